# about: Short questions over many reads: any, all, next with a default, index of the first hit.
# features: any/all/next over generator expressions with tools, enumerate in a generator, nested function
# latency: workspace.read_text=2 lookup=2
# ideal_units: 3
# ideal_why: glob 1 -> reads 2; stock lookups 2 beside; only the stops are not known
# v1_units: 20
# v1_why: each stops at its first hit: as reached
files = workspace.glob("src/shop/*.py")
has_todo = any("TODO" in workspace.read_text(f) for f in files)
all_short = all(len(workspace.read_text(f)) < 400 for f in files)
first_class = next((f for f in files if "class " in workspace.read_text(f)), None)


def sold_out(skus):
    return next((i for i, s in enumerate(skus) if lookup("stock", s) == 0), -1)


print(has_todo, all_short, first_class, sold_out(["sku-3", "sku-1", "sku-2", "sku-5"]))
