# about: Deduplicate tags over documents with sets, order them, and look each up by search.
# features: set comprehension, union and difference, sorted set, frozenset as dict key, dict.fromkeys
# latency: fetch=2 search=2
# ideal_units: 4
# ideal_why: documents 2 -> searches of their words 2
# v1_units: 6
# v1_why: documents, then the loop over the words
NAMES = ["sqlite", "redis", "retries"]
STOP = {"is", "an", "a", "the", "it", "to", "for", "not", "as", "of", "used", "only", "what", "many"}
words = {}
for name in NAMES:
    text = fetch(f"https://docs.example.dev/{name}").lower()
    words[name] = {w.strip(".") for w in text.split() if w.strip(".").isalpha()} - STOP
common = set.intersection(*words.values()) if words else set()
every = set().union(*words.values())
long_words = sorted((w for w in every if len(w) > 8), key=lambda w: (-len(w), w))[:3]
hits = {w: [h["title"] for h in search(w)] for w in long_words}
index = {frozenset(v): k for k, v in words.items()}
print(len(every), sorted(common), len(index))
for w, titles in hits.items():
    print(w, titles)
print(list(dict.fromkeys(t for ts in hits.values() for t in ts)))
