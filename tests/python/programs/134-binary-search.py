# about: Binary search for the first issue page that is empty; each probe depends on the one before.
# features: while lo < hi, integer arithmetic, values that decide the next argument
# latency: lookup=2
# ideal_units: 2
# ideal_why: the pages that may be probed are few: with guessed answers the three probes are under way at 0 and the page asked for at the end is one of them
# v1_units: 6
# v1_why: as reached
def is_empty(page):
    return not lookup("issues", page)


lo, hi = 1, 4
while lo < hi:
    mid = (lo + hi) // 2
    if is_empty(mid):
        hi = mid
    else:
        lo = mid + 1
print("first empty page:", lo)
print(lookup("issues", lo - 1))
