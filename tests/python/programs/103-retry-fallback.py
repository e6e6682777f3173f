# about: A helper that tries mirrors in turn, used for three documents; what is found is summarized.
# features: for with try/return/except continue, for-else style raise, custom exception, helper in comprehension
# latency: fetch=3 summarize=2 fetch('https://mirror.example.net/dead')=4
# ideal_units: 5
# ideal_why: every mirror of every document may be asked at 0; the answers come at 3 or 4, the summaries of good ones start at 3; all is known at 4
# v1_units: 17
# v1_why: helper opaque, mirrors in turn
class NoMirror(Exception):
    pass


def load(*urls):
    errors = []
    for url in urls:
        try:
            return fetch(url)
        except ConnectionError as err:
            errors.append(str(err))
    raise NoMirror("; ".join(errors))


docs = {
    "redis": load("https://docs.example.dev/redis"),
    "sqlite": load("https://mirror.example.net/dead", "https://docs.example.dev/sqlite"),
    "ghost": None,
}
try:
    docs["ghost"] = load("https://docs.example.dev/ghost")
except NoMirror as err:
    print("no mirror:", err)
for name, text in docs.items():
    if text is not None:
        print(f"{name}: {summarize(text, 45)}")
