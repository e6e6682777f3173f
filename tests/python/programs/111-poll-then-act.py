# about: Poll a live price until it moved, with a cap; meanwhile documents are prepared.
# features: while with counter and open read, walrus, break, reads that pass the polling
# latency: now_price=2 fetch=5 summarize=2
# ideal_units: 13
# ideal_why: five polls in order 10, the mail after them 1; fetch 5 and summary 2 beside them; the body needs both; one last poll 2
# v1_units: 18
# v1_why: the loop comes first, what follows it is a block of its own
first = now_price("ACME")
polls = 0
while (price := now_price("ACME")) < first + 0.1:
    polls += 1
    if polls >= 10:
        break
pages = [fetch(u) for u in ("https://news.example.com/chips", "https://news.example.com/rail")]
notes = [summarize(p, 50) for p in pages]
sent = send_email("desk@example.com", f"moved after {polls}", "\n".join(notes))
print(polls, round(price - first, 2), sent)
print(round(now_price("ACME") - price, 2))
