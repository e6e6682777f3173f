# about: Orders are looked up, their users and managers follow, urgent notes are summarized only where needed.
# features: nested results, dict building, conditional expression with a tool, f-string arguments, sorted by value
# latency: lookup=2 summarize=3
# ideal_units: 6
# ideal_why: orders 2 -> users 2 -> managers 2; the summaries need the orders only: 2+3
# v1_units: 19
# v1_why: helper opaque in the loop, the summary under a condition
ORDER_IDS = ["o-1", "o-2", "o-3", "o-4"]


def describe_user(uid):
    user = lookup("users", uid)
    boss = lookup("users", user["manager"])
    return f"{user['name']} ({user['plan']}, reports to {boss['name']})"


report = {}
for oid in ORDER_IDS:
    order = lookup("orders", oid)
    entry = {"who": describe_user(order["user"]), "total": order["total"]}
    entry["note"] = summarize(order["note"], limit=20) if order["note"] else "-"
    report[oid] = entry

for oid, entry in sorted(report.items(), key=lambda kv: kv[1]["total"], reverse=True):
    print(f"{oid}: {entry['total']:>4} EUR  {entry['who']:<48} {entry['note']}")
