# about: Totals kept in a closure by nonlocal and in a global counter; each order adds to them.
# features: nonlocal, global, nested function returned, augmented assignment across calls
# latency: lookup=2
# ideal_units: 4
# ideal_why: accounts 2 -> owners 2; the orders 2 beside
# v1_units: 14
# v1_why: helpers are opaque
asked = 0


def accounts_total():
    total, names = 0, []

    def add(acc):
        nonlocal total
        global asked
        asked += 1
        info = lookup("accounts", acc)
        total += info["balance"]
        names.append(lookup("users", info["owner"])["name"])

    for acc in ("acc-1", "acc-2", "acc-3"):
        add(acc)
    return total, names


total, names = accounts_total()
paid = sum(lookup("orders", o)["total"] for o in ("o-1", "o-3"))
print(asked, total, names, paid, total - paid)
