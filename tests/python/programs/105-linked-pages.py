# about: Cursor pagination: each page names the next, the items of all pages are looked at one by one.
# features: while cursor, dict.get, accumulate and extend, chain of dependent calls, per-item calls beside it
# latency: lookup=2 search=1
# ideal_units: 9
# ideal_why: four dependent pages 8, then the search for the last page's item 1; earlier items' searches run beside the pages
# v1_units: 14
# v1_why: the pages one by one 8, then six searches 6
cursor, items = "p1", []
while cursor:
    page = lookup("pages", cursor)
    items.extend(page["items"])
    cursor = page["next"]
hits = {}
for item in items:
    hits[item] = len(search(f"{item} tea"))
print(items)
print(hits, sum(hits.values()))
