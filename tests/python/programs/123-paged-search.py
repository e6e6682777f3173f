# about: Pages of issues by number until an empty one, in a generator; the consumer flattens them.
# features: generator with itertools.count and return, yield from, list of generator, any/all, string methods
# latency: lookup=3 classify=1
# ideal_units: 4
# ideal_why: page numbers do not depend on results 3, then the classifications 1
# v1_units: 17
# v1_why: generators are opaque
from itertools import count


def pages():
    for number in count(1):
        titles = lookup("issues", number)
        if not titles:
            return
        yield number, titles


def issues():
    for number, titles in pages():
        yield from ((number, t) for t in titles)


rows = list(issues())
labels = [classify(title, ["crash", "typo", "slow", "stock"]) for _, title in rows]
for (page, title), label in zip(rows, labels):
    print(page, label, title)
print(any(label == "crash" for label in labels), all(len(t) > 3 for _, t in rows))
