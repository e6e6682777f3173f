# about: Follow optional links: order -> user -> manager -> manager's plan, with "or" and conditional defaults.
# features: or / and short circuits with tools, walrus in while, nested conditional expressions, dict.get defaults
# latency: lookup=2
# ideal_units: 6
# ideal_why: order 2 -> user 2 -> manager u3 2; u5 above it is known by then from the other order
# v1_units: 22
# v1_why: conditional calls run as reached
def top_boss(uid):
    levels = 0
    while (boss := lookup("users", uid)["manager"]) is not None:
        uid, levels = boss, levels + 1
    return uid, levels


for oid in ("o-1", "o-3"):
    order = lookup("orders", oid)
    user = order.get("user") and lookup("users", order["user"])
    boss, levels = top_boss(order["user"])
    plan = (lookup("users", boss)["plan"] if levels else None) or "none"
    print(f"{oid}: {user['name']} -> {boss} ({levels} up), plan {plan}, note {order.get('note') or '-'}")
