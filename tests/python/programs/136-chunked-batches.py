# about: Items are handled in batches of four; after each batch its result is written before the next starts.
# features: range with step, slicing into chunks, nested comprehension, writes between batches, sum of generator
# latency: fetch=3 db_write=1
# ideal_units: 6
# ideal_why: all items 3, then three writes one after another
# v1_units: 12
# v1_why: batch by batch: (3+1)*3
def score(n):
    return int(fetch(f"https://archive.example.org/item/{n}").split("Score: ")[1].split(".")[0])


numbers = list(range(40, 52))
for start in range(0, len(numbers), 4):
    chunk = numbers[start:start + 4]
    scores = [score(n) for n in chunk]
    db_write(f"batch/{start // 4}", {"sum": sum(scores), "best": max(zip(scores, chunk))[1]})
    print(chunk, scores)
