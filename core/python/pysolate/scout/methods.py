"""Methods of plain data: what the scout evaluates of them, each bounded before it runs."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .effects import MUTATORS, effects_of
from .exprs import MISSING
from .flow import DICTS, Token
from .values import (SCALARS, Fut, NamedTuple, Native, NeedsValue, Poisoned, Ref, Rope, ScoutRaise, Splice, Unknown,
                     copy_state)

STR = frozenset("""capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii
isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper ljust lower lstrip partition
removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip
swapcase title translate upper zfill""".split())
BYTES = frozenset("decode count endswith find hex index join lower replace split startswith strip upper".split())
NUMBER = frozenset("bit_length bit_count is_integer as_integer_ratio conjugate hex".split())
MATCH = frozenset("group groups groupdict start end span".split())


class Methods:
    """Mixin of the machine."""

    def call_method(self, line, obj, name, args, kwargs, node=None):
        self.tick()
        t = type(obj)
        if t is Fut:
            if node is not None and name in MUTATORS and isinstance(node.func, ast.Attribute):
                dicts = name == "pop" and args and type(args[0]) is str
                ref = self.take_over(line, node.func.value, obj, method="update" if dicts else name)
                if ref is not None:
                    return self.call_method(line, ref, name, args, kwargs, node)
                raise NeedsValue(obj)
            for f in self.method_nodes.get(name, ()):
                eff = self.fact(effects_of, f.body)
                if eff.mutated or eff.deep:
                    raise NeedsValue(obj)
            return self.when(line, [obj], lambda ctx, o: self.call_method(ctx, o, name, args, kwargs, node))
        if t is str:
            return self.str_method(line, obj, name, args, kwargs)
        if t is Ref and obj.kind != "inst":
            m = getattr(self, f"m_{'dict' if obj.kind in DICTS else obj.kind}_{name}", None)
            if m is None and obj.kind in ("deque", "counter"):
                m = getattr(self, f"m_list_{name}" if obj.kind == "deque" else "m_none", None)
            if m is not None:
                try:
                    return m(line, obj, *args, **kwargs)
                except TypeError as e:
                    if "m_" in str(e):
                        raise ScoutRaise(TypeError(str(e))) from None
                    raise
            raise Poisoned(Unknown(f"method '{name}' of a {self.type_name(obj)} is not followed"))
        if t is tuple and len(obj) == 3 and obj[0] == "method":
            return self.call(line, self.get_attr(line, obj, name), args, kwargs, node)
        if t in (int, float, bool) and name in NUMBER:
            return self.when(line, [tuple(args)], lambda ctx, a: self.native(getattr(obj, name), a), deep=True)
        if t is bytes and name in BYTES:
            return self.when(line, [tuple(args)], lambda ctx, a: self.native(getattr(obj, name), a), deep=True)
        if t.__name__ == "Match" and name in MATCH:
            return self.when(line, [tuple(args)], lambda ctx, a: self.native(getattr(obj, name), a), deep=True)
        if t.__name__ == "Pattern":
            fn = self.modules["re"].members.get(name)
            if fn is not None:
                return self.call(line, fn, [obj] + list(args), kwargs)
        if t in (tuple, range) and name in ("index", "count"):
            return self.when(line, [obj, tuple(args)], lambda ctx, o, a: self.native(getattr(o, name), a), deep=True)
        if isinstance(obj, NamedTuple) and name in ("_replace", "_asdict"):
            if name == "_asdict":
                return self.new(line, "dict", dict(zip(obj.record.fields, obj)))
            return obj.record.cls([kwargs.get(f, v) for f, v in zip(obj.record.fields, obj)])
        if t is frozenset or (t is Ref and obj.kind == "set"):
            return self.when(line, [obj, tuple(args)], lambda ctx, o, a: self.native(getattr(o, name), a), deep=True)
        if t is Native and obj.name == "super":
            raise Poisoned(Unknown("super is not followed here"))
        return self.call(line, self.get_attr(line, obj, name), args, kwargs, node)

    def native(self, fn, args, kwargs=None):
        try:
            return self.lift(fn(*args, **(kwargs or {})))
        except (Poisoned, ScoutRaise):
            raise
        except Exception as e:
            raise ScoutRaise(e) from None

    # -- str ----------------------------------------------------------------------------------------------------------
    def str_method(self, line, s, name, args, kwargs):
        if name == "join":
            items = self.seq_of(line, args[0]) if args else []
            if type(items) is Rope:
                items = self.flat_rope(items)

            def join(ctx, parts):
                return self.when(ctx, [tuple(self.as_list(parts))], lambda c, ps: self.join(s, ps), deep=True)
            return self.when(line, [items], join)
        if name == "format" or name == "format_map":
            self.guard_format(s)
            if "{" in s and ("." in s.split("{", 1)[1].split("}", 1)[0]):
                raise Poisoned(Unknown("attribute access in str.format is not followed"))
            if any(type(a) is Ref and a.kind == "inst" for a in list(args) + list(kwargs.values())):
                args = [self.to_str(line, a) if type(a) is Ref and a.kind == "inst" else a for a in args]
                kwargs = {k: self.to_str(line, a) if type(a) is Ref and a.kind == "inst" else a
                          for k, a in kwargs.items()}
            names = list(kwargs)
            return self.when(line, [tuple(args), tuple(kwargs.values())], lambda ctx, a, kw: self.native(
                getattr(s, name), a, dict(zip(names, kw))), deep=True)
        if name not in STR:
            if name == "maketrans":
                return self.when(line, [tuple(args)], lambda ctx, a: self.native(str.maketrans, a), deep=True)
            raise ScoutRaise(AttributeError(f"'str' object has no attribute '{name}'"))
        if SCALARS.issuperset(map(type, args)) and not kwargs:
            self.guard_str(s, name, args)
            return self.native(getattr(s, name), args)
        names = list(kwargs)

        def run(ctx, a, kw):
            self.guard_str(s, name, a)
            return self.native(getattr(s, name), a, dict(zip(names, kw)))
        return self.when(line, [tuple(args), tuple(kwargs.values())], run, deep=True)

    def guard_str(self, s, name, args):
        if name in ("center", "ljust", "rjust", "zfill") and args and type(args[0]) is int:
            self.charge(max(args[0], 0))
        elif name == "replace" and len(args) >= 2 and type(args[0]) is str and type(args[1]) is str:
            count = s.count(args[0]) if args[0] else len(s) + 1
            self.charge(len(s) + count * len(args[1]))
        elif name == "expandtabs":
            self.charge(len(s) + s.count("\t") * (args[0] if args and type(args[0]) is int else 8))
        elif name == "translate":
            self.charge(len(s) * 8)
        else:
            self.charge(len(s))

    def join(self, sep, parts):
        try:
            self.charge(sum(map(len, parts)) + len(sep) * len(parts))
            return sep.join(parts)
        except TypeError as e:
            raise ScoutRaise(e) from None

    # -- list, deque --------------------------------------------------------------------------------------------------
    def m_list_append(self, line, ref, value):
        self.charge(16)
        if ref.kind == "deque" and ref.extra is not None:
            return self.mutate(line, ref, [], lambda s: self.trimmed(s, [value], ref.extra))
        self.append(line, ref, value)

    @staticmethod
    def trimmed(s, more, maxlen):
        s.extend(more)
        del s[:max(len(s) - maxlen, 0)]

    def m_list_extend(self, line, ref, more):
        items = self.seq_of(line, more)
        if ref.kind == "deque" and ref.extra is not None:
            if type(items) is Rope:
                items = self.flat_rope(items)
            return self.mutate(line, ref, [items], lambda s, x: self.trimmed(s, self.as_list(x), ref.extra))
        self.extend(line, ref, items)

    def m_list_insert(self, line, ref, index, value):
        return self.mutate(line, ref, [index], lambda s, i: s.insert(i, value))

    def m_list_pop(self, line, ref, index=-1):
        state = self.state(line.store, ref)
        if type(line.store.get(ref)) is Rope:
            self.put(line, ref, copy_state(state))
        if type(state) is Rope and index == 0 and state.parts:
            if type(state.parts[0]) is not Splice:
                return self.known(line.store.own(ref).parts.pop(0))
            return self.pop_first(line, ref, state.parts)
        if type(state) is Rope and index == -1 and state.parts and type(state.parts[-1]) is not Splice:
            return self.known(line.store.own(ref).parts.pop())

        def pop(s, i):
            try:
                return s.pop(i)
            except (IndexError, TypeError) as e:
                raise ScoutRaise(e) from None
        v = self.mutate(line, ref, [index], pop)
        return self.known(v) if type(v) in (Fut, Unknown) else v

    def pop_first(self, line, ref, parts):
        """pop(0) of a list that begins with a stretch that waits: it needs that stretch only."""
        result, rest = Fut((parts[0].fut,)), Fut((parts[0].fut,))
        self.put(line, ref, Rope([Splice(rest)]))

        def take(parts):
            while parts:
                head = parts[0]
                if type(head) is not Splice:
                    self.resolve(result, head)
                    self.resolve(rest, Rope(parts[1:]))
                    return
                try:
                    inner = self.unwrap(head.fut)
                except ScoutRaise as r:
                    self.fail(result, r.exc)
                    self.fail(rest, r.exc)
                    return
                if type(inner) is Unknown:
                    self.resolve(result, inner)
                    self.resolve(rest, inner)
                    return
                if type(inner) is Fut:
                    later = parts
                    inner.waiters.append(lambda: take(later))
                    return
                parts = list(inner.parts if type(inner) is Rope else inner) + parts[1:]
            self.fail(result, IndexError("pop from empty list"))
            self.resolve(rest, [])
        take(list(parts))
        self.watch(line, result)
        return self.unwrap(result)

    def m_list_popleft(self, line, ref):
        return self.m_list_pop(line, ref, 0)

    def m_list_appendleft(self, line, ref, value):
        return self.mutate(line, ref, [], lambda s: s.insert(0, value))

    def m_list_remove(self, line, ref, value):
        view = line.store.freeze()

        def remove(s, v):
            for i, x in enumerate(s):
                pend = []
                if self.plain(x, view, pend) == v:
                    del s[i]
                    return None
                if pend:
                    raise Poisoned(Unknown("remove from a list with items that wait"))
            raise ScoutRaise(ValueError("list.remove(x): x not in list"))
        return self.mutate(line, ref, [value], remove, deep=True)

    def m_list_clear(self, line, ref):
        self.put(line, ref, [])

    def m_list_reverse(self, line, ref):
        return self.mutate(line, ref, [], lambda s: s.reverse())

    def m_list_copy(self, line, ref):
        return self.copy_ref(line, ref)

    def m_list_index(self, line, ref, value, *bounds):
        return self.when(line, [ref, value, tuple(bounds)], lambda ctx, s, v, b: self.native(s.index, (v,) + b),
                         deep=True)

    def m_list_count(self, line, ref, value):
        return self.when(line, [ref, value], lambda ctx, s, v: s.count(v), deep=True)

    def m_list_sort(self, line, ref, key=None, reverse=False):
        items = self.flat(line.store, ref)
        self.put(line, ref, self.when(line, [items], lambda ctx, s: self.sorted_items(ctx, s, key, reverse)))
        return None

    def sorted_items(self, line, items, key, reverse):
        """A sorted Python list of the items, or a future of it. Keys are computed side by side."""
        items = self.as_list(items)
        if key is None:
            items = self.known_items(items)
        keys = [self.order_key(line, x) for x in items] if key is None else [
            self.call(line, key, [x], {}) for x in items]
        self.tick(len(items))
        if key is None and any(type(x) is Ref and x.kind == "inst" for x in keys):
            return self.sorted_instances(line, items, reverse)

        def sort(ctx, ks, rev):
            try:
                order = sorted(range(len(items)), key=ks.__getitem__, reverse=bool(rev))
            except Exception as e:
                raise ScoutRaise(e) from None
            return [items[i] for i in order]
        return self.when(line, [tuple(keys), reverse], sort, deep=True)

    def known_items(self, items):
        out = []
        for x in items:
            x = self.unwrap(x)
            out.append(x)
        return out

    def order_key(self, line, x):
        """What an object is ordered by: its fields, for a dataclass with order=True."""
        if type(x) is Ref and x.kind == "inst" and x.extra.order:
            state = self.state(line.store, x)
            if type(state) is dict:
                values = [self.unwrap(state.get(f)) for f in x.extra.fields]
                return tuple([Token(v) if type(v) is Ref and v.kind == "inst" else v for v in values])
        return x

    def sorted_instances(self, line, items, reverse):
        if len(items) > 200:
            raise Poisoned(Unknown("too many objects to be sorted ahead"))
        out = []
        for x in items:                                   # insertion keeps equal ones in order
            i = len(out)
            while i > 0:
                r = self.truth(line, self.compare(line, ast.Lt, *((x, out[i - 1]) if not reverse else
                                                                              (out[i - 1], x))))
                if type(r) is Fut:
                    raise NeedsValue(r)
                if type(r) is not bool:
                    raise Poisoned(Unknown("objects whose order is not known"))
                if not r:
                    break
                i -= 1
            out.insert(i, x)
        return out

    def m_deque_rotate(self, line, ref, n=1):
        def turn(s, n):
            k = n % len(s) if s else 0
            s[:] = s[-k:] + s[:-k] if k else s
        return self.mutate(line, ref, [n], turn)

    def m_deque_extendleft(self, line, ref, more):
        items = self.seq_of(line, more)
        if type(items) is Rope:
            items = self.flat_rope(items)

        def put(s, x):
            s[:0] = self.as_list(x)[::-1]
        return self.mutate(line, ref, [items], put)

    # -- dict ---------------------------------------------------------------------------------------------------------
    def m_dict_get(self, line, ref, key, default=None):
        def get(ctx, s, k):
            v = s.get(self.key(k), MISSING)
            return default if v is MISSING else self.known(v)
        return self.when(line, [self.state(line.store, ref), key], get)

    def m_dict_setdefault(self, line, ref, key, default=None):
        def put(s, k):
            return s.setdefault(self.key(k), default)
        v = self.mutate(line, ref, [key], put)
        return self.known(v) if type(v) in (Fut, Unknown) else v

    def m_dict_pop(self, line, ref, key, *default):
        def pop(s, k):
            try:
                return s.pop(self.key(k), *default)
            except KeyError as e:
                raise ScoutRaise(e) from None
        v = self.mutate(line, ref, [key], pop)
        return self.known(v) if type(v) in (Fut, Unknown) else v

    def m_dict_popitem(self, line, ref, last=True):
        def pop(s):
            if not s:
                raise ScoutRaise(KeyError("popitem(): dictionary is empty"))
            k = next(reversed(s)) if last else next(iter(s))
            return (k, s.pop(k))
        return self.mutate(line, ref, [], pop)

    def view(self, line, ref, how, extra=None):
        state = self.state(line.store, ref)
        if type(state) is Fut:
            return self.new(line, "list", self.when(line, [state], lambda ctx, s: how(s)), extra)
        self.charge(16 * len(state))
        return self.new(line, "list", how(state), extra)

    def m_dict_items(self, line, ref):
        return self.view(line, ref, lambda s: list(s.items()))

    def m_dict_keys(self, line, ref):
        return self.view(line, ref, list, "keys")

    def m_dict_values(self, line, ref):
        return self.view(line, ref, lambda s: list(s.values()))

    def m_dict_update(self, line, ref, *others, **more):
        for o in others:
            if ref.kind == "counter":
                self.count_into(line, ref, o, 1)
            else:
                self.update_dict(line, ref, o)
        if more:
            self.mutate(line, ref, [], lambda s: s.update(more))

    def m_dict_subtract(self, line, ref, other):
        self.count_into(line, ref, other, -1)

    def count_into(self, line, ref, other, sign):
        def add(s, x):
            pairs = x.items() if isinstance(x, dict) else ((k, 1) for k in x)
            for k, n in pairs:
                s[k] = s.get(k, 0) + sign * n
        if type(other) is Ref and other.kind in ("gen", "iter"):
            items = self.seq_of(line, other)
            other = Ref("list", self.list_state(list(items)) if type(items) is list else items)
        self.mutate(line, ref, [other], add, deep=True)

    def m_dict_copy(self, line, ref):
        return self.copy_ref(line, ref)

    def m_dict_clear(self, line, ref):
        self.put(line, ref, {})

    def m_dict_move_to_end(self, line, ref, key, last=True):
        def move(s, k):
            if k not in s:
                raise ScoutRaise(KeyError(k))
            v = s.pop(k)
            if last:
                s[k] = v
            else:
                rest = dict(s)
                s.clear()
                s[k] = v
                s.update(rest)
        return self.mutate(line, ref, [key], move)

    def m_dict_most_common(self, line, ref, n=None):
        def top(ctx, s, n):
            out = sorted(s.items(), key=lambda kv: kv[1], reverse=True)
            return self.lift(out if n is None else out[:n])
        return self.when(line, [ref, n], top, deep=True)

    def m_dict_elements(self, line, ref):
        def spread(ctx, s):
            self.charge(8 * sum(max(n, 0) for n in s.values()))
            return self.lift([k for k, n in s.items() for _ in range(n)])
        return self.when(line, [ref], spread, deep=True)

    def m_dict_total(self, line, ref):
        return self.when(line, [ref], lambda ctx, s: sum(s.values()), deep=True)

    # -- set ----------------------------------------------------------------------------------------------------------
    def m_set_add(self, line, ref, item):
        return self.mutate(line, ref, [item], lambda s, x: s.add(self.key(x)), deep=type(item) is tuple)

    def m_set_discard(self, line, ref, item):
        return self.mutate(line, ref, [item], lambda s, x: s.discard(x))

    def m_set_remove(self, line, ref, item):
        def remove(s, x):
            if x not in s:
                raise ScoutRaise(KeyError(x))
            s.discard(x)
        return self.mutate(line, ref, [item], remove)

    def m_set_pop(self, line, ref):
        def pop(s):
            if not s:
                raise ScoutRaise(KeyError("pop from an empty set"))
            if len(s) > 1:
                raise Poisoned(Unknown("set.pop takes an item that cannot be told ahead"))
            return s.pop()
        return self.mutate(line, ref, [], pop)

    def m_set_clear(self, line, ref):
        self.put(line, ref, set())

    def m_set_copy(self, line, ref):
        return self.copy_ref(line, ref)

    def m_set_update(self, line, ref, *others):
        for o in others:
            items = self.make_set(line, self.seq_of(line, o))
            self.mutate(line, ref, [items], lambda s, x: s.update(x), deep=True)

    def set_op(self, line, ref, name, others):
        sets = [self.make_set(line, self.seq_of(line, o)) for o in others]
        return self.when(line, [ref, tuple(sets)], lambda ctx, s, o: self.native(getattr(s, name), o), deep=True)

    def m_set_union(self, line, ref, *o):
        return self.set_op(line, ref, "union", o)

    def m_set_intersection(self, line, ref, *o):
        return self.set_op(line, ref, "intersection", o)

    def m_set_difference(self, line, ref, *o):
        return self.set_op(line, ref, "difference", o)

    def m_set_symmetric_difference(self, line, ref, *o):
        return self.set_op(line, ref, "symmetric_difference", o)

    def m_set_issubset(self, line, ref, *o):
        return self.set_op(line, ref, "issubset", o)

    def m_set_issuperset(self, line, ref, *o):
        return self.set_op(line, ref, "issuperset", o)

    def m_set_isdisjoint(self, line, ref, *o):
        return self.set_op(line, ref, "isdisjoint", o)

    def m_gen_close(self, line, ref):
        return None
