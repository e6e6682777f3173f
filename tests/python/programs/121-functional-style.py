# about: The same in a functional style: map, filter, reduce, partial, sorted with itemgetter.
# features: map, filter with lambda, functools.reduce and partial, operator.itemgetter, zip(*rows), star arguments
# latency: lookup=2 math_eval=1
# ideal_units: 3
# ideal_why: all tables' keys are literals 2, then the arithmetic 1
# v1_units: 13
# v1_why: calls inside lambdas run as reached
from functools import partial, reduce
from operator import itemgetter

skus = [f"sku-{n}" for n in range(1, 6)]
price, stock = partial(lookup, "prices"), partial(lookup, "stock")
rows = list(zip(skus, map(price, skus), map(stock, skus)))
available = list(filter(lambda row: row[2] > 0, rows))
value = reduce(lambda acc, row: acc + row[1] * row[2], available, 0)
exact = math_eval(" + ".join(f"{p} * {n}" for _, p, n in available))
for sku, p, n in sorted(rows, key=itemgetter(2, 1), reverse=True):
    print(f"{sku} {p:>3} {n:>3}")
names, prices, counts = zip(*available)
print(names, max(prices), sum(counts), value == exact)
