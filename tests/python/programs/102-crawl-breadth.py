# about: Breadth first crawl of the wiki from one page with a queue, a visited set and a page limit.
# features: while over a queue, list.pop(0), set membership, append in nested loop, string parsing
# latency: fetch=3
# ideal_units: 12
# ideal_why: tea -> its links (green-tea ...) -> their links (matcha ...) -> theirs (uji, coffee): four levels of 3
# v1_units: 27
# v1_why: while loop over a queue runs as reached
start = "https://wiki.example.org/tea"
queue, seen, titles = [start], {start}, []
while queue and len(titles) < 9:
    url = queue.pop(0)
    text = fetch(url)
    titles.append(text.split(".")[0])
    if "Links: " not in text:
        continue
    for link in text.split("Links: ")[1].split():
        if link not in seen:
            seen.add(link)
            queue.append(link)
print(len(seen), "seen")
print(", ".join(titles))
