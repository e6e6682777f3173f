# about: Keep the documents that mention a word, then summarize and classify those.
# features: comprehension with a filter that calls a tool's result, walrus in a filter, zip of two derived lists
# latency: fetch=3 summarize=2 classify=2 fetch('https://docs.example.dev/duckdb')=6
# ideal_units: 8
# ideal_why: the slowest document 6, then its summary 2; the others long before
# v1_units: 10
# v1_why: stage by stage: 6, then summaries 2, classifications 2
NAMES = ["sqlite", "postgres", "duckdb", "redis", "http-cache"]
kept = [(name, text) for name in NAMES if "database" in (text := fetch(f"https://docs.example.dev/{name}"))]
notes = [summarize(text, 50) for _, text in kept]
kinds = [classify(text, ["embedded", "server"]) for _, text in kept]
for (name, _), note, kind in zip(kept, notes, kinds):
    print(f"{name} [{kind}] {note}")
