"""Library functions written in the program's own language and interpreted like the program, so that waiting, guessing
and early stops in them come for free."""

PRELUDE = '''
def any(items):
    for x in items:
        if x:
            return True
    return False
def all(items):
    for x in items:
        if not x:
            return False
    return True
def next(it, *default):
    for x in it:
        return x
    if default:
        return default[0]
    raise StopIteration
def iter_next(f):
    while True:
        try:
            x = f()
        except StopIteration:
            return
        yield x
def iter_until(f, last):
    while True:
        x = f()
        if x == last:
            return
        yield x
def map(f, *its):
    if len(its) == 1:
        for x in its[0]:
            yield f(x)
    else:
        for xs in zip(*its):
            yield f(*xs)
def filter(f, it):
    for x in it:
        if (x if f is None else f(x)):
            yield x
def starmap(f, it):
    for xs in it:
        yield f(*xs)
def lazy_enumerate(it, start):
    for x in it:
        yield start, x
        start += 1
def lazy_zip(*its):
    its = [iter(x) for x in its]
    while True:
        row = []
        for it in its:
            for x in it:
                row.append(x)
                break
            else:
                return
        yield tuple(row)
def count(start=0, step=1):
    while True:
        yield start
        start += step
def cycle(it):
    kept = list(it)
    while kept:
        for x in kept:
            yield x
def repeat(x, *times):
    if times:
        for _ in range(times[0]):
            yield x
    else:
        while True:
            yield x
def islice(it, *bounds):
    start, stop, step = 0, None, 1
    if len(bounds) == 1:
        stop = bounds[0]
    else:
        start, stop = bounds[0] or 0, bounds[1]
        if len(bounds) > 2:
            step = bounds[2] or 1
    if stop is not None and stop <= 0:
        return
    i = 0
    for x in it:
        if i >= start and (i - start) % step == 0:
            yield x
        i += 1
        if stop is not None and i >= stop:
            return
def chain(*its):
    for it in its:
        for x in it:
            yield x
def from_iterable(its):
    for it in its:
        for x in it:
            yield x
def takewhile(f, it):
    for x in it:
        if not f(x):
            return
        yield x
def dropwhile(f, it):
    dropping = True
    for x in it:
        if dropping and f(x):
            continue
        dropping = False
        yield x
def filterfalse(f, it):
    for x in it:
        if not (x if f is None else f(x)):
            yield x
def accumulate(it, f=None, initial=None):
    total, first = initial, initial is None
    if not first:
        yield total
    for x in it:
        if first:
            total, first = x, False
        elif f is None:
            total = total + x
        else:
            total = f(total, x)
        yield total
def pairwise(it):
    a = list(it)
    for i in range(len(a) - 1):
        yield a[i], a[i + 1]
def batched(it, n):
    a = list(it)
    for i in range(0, len(a), n):
        yield tuple(a[i:i + n])
def zip_longest(*its, fillvalue=None):
    rows = [list(it) for it in its]
    for i in range(max([len(r) for r in rows])):
        yield tuple([r[i] if i < len(r) else fillvalue for r in rows])
def groupby(it, key=None):
    groups = []
    for x in it:
        k = x if key is None else key(x)
        if groups and groups[-1][0] == k:
            groups[-1][1].append(x)
        else:
            groups.append((k, [x]))
    for g in groups:
        yield g
def product(*its, repeat=1):
    pools = [list(it) for it in its] * repeat
    rows = [()]
    for pool in pools:
        rows = [r + (x,) for r in rows for x in pool]
    for r in rows:
        yield r
def combinations(it, n):
    a = list(it)
    if n == 0:
        yield ()
    else:
        for i in range(len(a)):
            for rest in combinations(a[i + 1:], n - 1):
                yield (a[i],) + rest
def permutations(it, n=None):
    a = list(it)
    if n is None:
        n = len(a)
    if n == 0:
        yield ()
    else:
        for i in range(len(a)):
            for rest in permutations(a[:i] + a[i + 1:], n - 1):
                yield (a[i],) + rest
def tee(it, n=2):
    a = list(it)
    return tuple([iter(list(a)) for _ in range(n)])
class StringIO:
    def __init__(self, text=""):
        self.parts = [text]
    def write(self, text):
        self.parts.append(text)
    def getvalue(self):
        return "".join(self.parts)
    def read(self):
        return "".join(self.parts)
    def __iter__(self):
        return iter("".join(self.parts).splitlines(True))
    def __enter__(self):
        return self
    def __exit__(self, *details):
        return None
def reduce(f, it, *initial):
    acc, first = (initial[0] if initial else None), not initial
    for x in it:
        if first:
            acc, first = x, False
        else:
            acc = f(acc, x)
    return acc
def sum(items, start=0):
    for x in items:
        start = start + x
    return start
'''
