# about: Score many items, group them by topic, fetch the best item of every topic again in full.
# features: range fan-out, setdefault(...).append, dict comprehension over groups, max with key on tuples, sorted items
# latency: fetch=2 summarize=1
# ideal_units: 3
# ideal_why: twelve items 2, then the summaries 1 (the best items are fetched already: equal calls share)
# v1_units: 9
# v1_why: items 2, then the best of each group again when reached
def parse(text):
    topic = text.split("note on ")[1].split(".")[0]
    score = int(text.split("Score: ")[1].split(".")[0])
    return topic, score


groups = {}
for n in range(20, 32):
    topic, score = parse(fetch(f"https://archive.example.org/item/{n}"))
    groups.setdefault(topic, []).append((score, n))

best = {topic: max(pairs) for topic, pairs in groups.items()}
for topic, (score, n) in sorted(best.items()):
    average = sum(s for s, _ in groups[topic]) / len(groups[topic])
    text = fetch(f"https://archive.example.org/item/{n}")
    print(f"{topic:<8} best {n} ({score}), average {average:.1f}: {summarize(text, 30)}")
