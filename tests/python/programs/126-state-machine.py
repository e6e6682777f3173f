# about: A ticket workflow as a state machine: transitions in a dict of functions, until done.
# features: dict of functions, while loop on a state, tuple results, functions as values
# latency: lookup=2 classify=3 summarize=1
# ideal_units: 5
# ideal_why: the ticket 2, then classify 3 (user lookup 2 and summary 1 beside it)
# v1_units: 8
# v1_why: functions are opaque
def start(ctx):
    ctx["ticket"] = lookup("tickets", ctx["id"])
    return "label"


def label(ctx):
    ctx["label"] = classify(ctx["ticket"]["body"], ["refund", "login"])
    return "person"


def person(ctx):
    ctx["who"] = lookup("users", ctx["ticket"]["from"])["name"]
    return "note"


def note(ctx):
    ctx["note"] = summarize(ctx["ticket"]["body"], 40)
    return "done"


STEPS = {"start": start, "label": label, "person": person, "note": note}
ctx, state = {"id": "t-101"}, "start"
while state != "done":
    state = STEPS[state](ctx)
print(ctx["who"], "|", ctx["label"], "|", ctx["note"])
