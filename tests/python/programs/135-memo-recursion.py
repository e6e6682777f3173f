# about: Total weight of a dependency tree with lru_cache; shared parts are counted once per path.
# features: functools.lru_cache, recursion in sum over a generator expression, max with default, tuple results
# latency: lookup=2
# ideal_units: 6
# ideal_why: app, web and db are literals 2 -> http, pool, json 2 -> net 2
# v1_units: 22
# v1_why: recursive helper is opaque
from functools import lru_cache


@lru_cache(maxsize=None)
def weight(name):
    deps = lookup("deps", name)
    return 1 + sum(weight(d) for d in deps)


@lru_cache
def depth(name):
    return 1 + max((depth(d) for d in lookup("deps", name)), default=0)


print({n: weight(n) for n in ("app", "web", "db")})
print("depth", depth("app"))
