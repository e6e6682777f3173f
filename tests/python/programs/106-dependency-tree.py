# about: Resolve a dependency graph recursively with memory, print an install order with versions.
# features: recursion with a visited dict, closure over lists, nested function, dependent lookups
# latency: lookup=2
# ideal_units: 10
# ideal_why: app -> web, db -> http, pool, json -> net: four levels of dependencies 8, then the version of what was found last 2
# v1_units: 28
# v1_why: recursive helper is opaque: 7 dependency and 7 version lookups
def resolve(root):
    order, state = [], {}

    def visit(name):
        if state.get(name) == "done":
            return
        state[name] = "open"
        for dep in lookup("deps", name):
            visit(dep)
        state[name] = "done"
        order.append(name)

    visit(root)
    return order


plan = resolve("app")
versions = [f"{name}=={lookup('versions', name)}" for name in plan]
print(" -> ".join(plan))
print("\n".join(versions))
