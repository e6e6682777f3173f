# about: The chain of managers of several users, by recursion with a default list.
# features: recursion over a carried value, list concatenation, conditional expression, default None argument
# latency: lookup=2
# ideal_units: 4
# ideal_why: u1, u2, u4 and u5 are literals 2, their manager u3 2 more; u5 above it is there by then
# v1_units: 18
# v1_why: recursive helper is opaque
def chain(uid, above=None):
    above = above or []
    user = lookup("users", uid)
    path = above + [user["name"].split()[0]]
    return chain(user["manager"], path) if user["manager"] else path


for uid in ("u1", "u2", "u4", "u5"):
    print(f"{uid}: {' > '.join(chain(uid))}")
