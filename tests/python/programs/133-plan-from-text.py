# about: Parse a plan of lines "verb argument", run each verb by a dispatch table, stop at an unknown one.
# features: dispatch by dict of lambdas and methods, str.partition, try/except KeyError, list of results
# latency: fetch=3 search=2 workspace.read_text=2
# ideal_units: 3
# ideal_why: the plan is a literal
# v1_units: 9
# v1_why: lambdas are opaque
PLAN = """
read README.md
get https://docs.example.dev/retries
find tea caffeine
read LICENSE
fly to the moon
read docs/faq.md
"""
VERBS = {
    "read": workspace.read_text,
    "get": lambda url: fetch(url),
    "find": lambda q: [h["title"] for h in search(q)],
}
results = []
for line in PLAN.strip().splitlines():
    verb, _, arg = line.partition(" ")
    try:
        action = VERBS[verb]
    except KeyError:
        results.append(("unknown", verb))
        break
    results.append((verb, action(arg)))
for verb, value in results:
    print(verb, "->", value[:30] if isinstance(value, str) else value)
