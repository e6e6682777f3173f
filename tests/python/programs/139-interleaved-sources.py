# about: Merge two paginated sources in turn until both are exhausted.
# features: two generators advanced by next with a default, while True with break, sentinel object, round robin
# latency: lookup=2
# ideal_units: 8
# ideal_why: the cursor pages are a chain of four 8; the numbered pages all at once beside it
# v1_units: 16
# v1_why: generators are opaque
def by_cursor(cursor):
    while cursor:
        page = lookup("pages", cursor)
        yield from page["items"]
        cursor = page["next"]


def by_number():
    n = 1
    while titles := lookup("issues", n):
        for t in titles:
            yield t
        n += 1


DONE = object()
sources, merged = [by_cursor("p1"), by_number()], []
while sources:
    for source in list(sources):
        item = next(source, DONE)
        if item is DONE:
            sources.remove(source)
        else:
            merged.append(item)
print(len(merged), merged)
