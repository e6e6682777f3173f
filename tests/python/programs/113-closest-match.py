# about: Rank documents by similarity of their embeddings to a question, read the best two.
# features: helper with math, sorted with key over zip, slicing, lambda capturing, nested calls
# latency: fetch=2 embed=3 summarize=1
# ideal_units: 6
# ideal_why: documents 2 -> embeddings 3 -> summaries of the best two 1 (the question's embedding 3 beside)
# v1_units: 9
# v1_why: three blocks
import math

QUESTION = "embedded database with parquet"
NAMES = ["sqlite", "postgres", "duckdb", "redis", "retries"]


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b))
    norm = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return dot / norm if norm else 0.0


q = embed(QUESTION)
docs = {name: fetch(f"https://docs.example.dev/{name}") for name in NAMES}
scores = {name: cosine(q, embed(text)) for name, text in docs.items()}
best = sorted(scores, key=scores.get, reverse=True)[:2]
for name in best:
    print(f"{name} {scores[name]:.3f} {summarize(docs[name], 40)}")
