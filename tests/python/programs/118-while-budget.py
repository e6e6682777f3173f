# about: Read articles until a word budget is used up.
# features: while with an index and a running total, break by a condition on results, len of split
# latency: fetch=2 summarize=1
# ideal_units: 3
# ideal_why: the urls are known, only the stop is not: all at 0-2, the summaries 1
# v1_units: 8
# v1_why: loop with break: 2 a turn
URLS = [f"https://news.example.com/{n}" for n in ("chips", "heat", "ferry", "rail", "recall", "outage")]
budget, used, picked, i = 60, 0, [], 0
while i < len(URLS) and used < budget:
    text = fetch(URLS[i])
    words = len(text.split())
    if used + words > budget:
        break
    used += words
    picked.append(text)
    i += 1
print(i, used)
for text in picked:
    print("-", summarize(text, 60))
