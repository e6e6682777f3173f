"""What must hold in every trace, read off the events alone (core/trace/FORMAT.md)."""
from __future__ import annotations

import json

ORDERED = {"open_read", "private_write", "external_write"}
_CALL_ENDS = {"consume", "discard", "call_cancelled", "skip"}
_ATTEMPT_ENDS = {"complete", "fail", "cancelled", "lost"}


def problems(text: str, budget: int | None):
    """Yields what is wrong, in words."""
    seq = t = 0
    tools, calls, reached, ended, running, cost = {}, {}, set(), {}, {}, {}
    held, started = 0, {}
    last = None
    for line in text.splitlines():
        e = json.loads(line)
        k = e["k"]
        if e["seq"] != seq + 1:
            yield f"event {e['seq']} follows event {seq}"
        if e["t"] < t:
            yield f"event {e['seq']}: time goes back from {t} to {e['t']}"
        seq, t, last = e["seq"], e["t"], k
        if k == "tool":
            tools[e["tool"]] = e
        elif k == "arrive":
            calls[e["call"]] = e
        elif k == "reach":
            if e["call"] in reached:
                yield f"event {seq}: call {e['call']} is reached twice"
            reached.add(e["call"])
        elif k == "dispatch":
            call = calls[e["call"]]
            tool = tools[call["tool"]]
            if tool["effect"] in ORDERED:
                if e["call"] not in reached or e["early"]:
                    yield f"event {seq}: {tool['name']} (call {e['call']}) is dispatched before it is reached"
                if any(tools[calls[started[a]]["tool"]]["effect"] in ORDERED for a in running):
                    yield f"event {seq}: {tool['name']} is dispatched while another effect runs"
            running[e["attempt"]] = True
            started[e["attempt"]] = e["call"]
            cost[e["attempt"]] = 0 if e.get("parent") else e["cost"]
            held += cost[e["attempt"]]
            if budget is not None and held > budget:
                yield f"event {seq}: {held} held, the budget is {budget}"
            if e["early"] and budget == 1:
                yield f"event {seq}: an early dispatch at budget 1"
            if e["call"] in ended:
                yield f"event {seq}: call {e['call']} is dispatched after its end"
        elif k in _ATTEMPT_ENDS:
            attempt = e["attempt"]
            if attempt in running:
                held -= cost[attempt]
                del running[attempt]
            elif k != "lost" and attempt in started:
                yield f"event {seq}: attempt {attempt} ends twice ({k})"
            elif attempt not in started:
                yield f"event {seq}: {k} of an attempt that was never dispatched"
        if k in _CALL_ENDS:
            if e["call"] in ended:
                yield f"event {seq}: call {e['call']} ends as {k}, it was {ended[e['call']]}"
            ended[e["call"]] = k
            if k == "consume" and e["call"] not in reached:
                yield f"event {seq}: call {e['call']} is consumed, it was never reached"
    if "end" not in text[-4000:]:
        yield f"the last event is {last}, there is no end"
