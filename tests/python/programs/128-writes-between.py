# about: For every order: read, decide, write; the writes stay in order, the reads do not wait for them.
# features: loop with reads and writes, if/elif/else with different effects, f-string keys, counter
# latency: lookup=2 db_write=1 send_email=2
# ideal_units: 8
# ideal_why: orders 2 and users 4 known at 4; the first write needs its order only: 2-3, mail 4-6 (its address at 4), write 6-7, write 7-8
# v1_units: 15
# v1_why: calls under conditions run as reached
from collections import Counter

seen = Counter()
for n in (1, 3, 2, 4):
    order = lookup("orders", f"o-{n}")
    status = order["status"]
    seen[status] += 1
    if status == "paid":
        db_write(f"paid/{n}", order["total"])
    elif status == "failed":
        user = lookup("users", order["user"])
        send_email(user["email"], f"Order {n} failed", order["note"])
    else:
        db_write(f"other/{n}", [status, order["items"]])
print(dict(seen))
