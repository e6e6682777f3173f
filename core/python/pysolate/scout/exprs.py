"""Expressions: values at once where the operands are known, futures where they are not."""
from __future__ import annotations

from .._own import __builtins__

import ast
import operator

from .effects import is_generator, scope_names
from .flow import DICTS, OPAQUE, Line, component
from .values import (SCALARS, Class, Frame, Fut, Func, Method, NamedTuple, NeedsValue, Poisoned, Ref, Rope, ScoutRaise,
                     Splice, Unknown)

MISSING = object()
LIST_ONLY = frozenset("append extend insert sort reverse remove pop".split())
DICT_ONLY = frozenset("update setdefault popitem".split())
SET_ONLY = frozenset("add discard".split())

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
          ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
          ast.MatMult: operator.matmul}
DUNDER = {ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__",
          ast.FloorDiv: "__floordiv__", ast.Mod: "__mod__", ast.Pow: "__pow__", ast.BitOr: "__or__",
          ast.BitAnd: "__and__", ast.BitXor: "__xor__", ast.LShift: "__lshift__", ast.RShift: "__rshift__",
          ast.MatMult: "__matmul__"}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
           ast.Gt: operator.gt, ast.GtE: operator.ge}
COMPARE_DUNDER = {ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__",
                  ast.GtE: "__ge__"}


class FuncInfo:
    """What is fixed about a function: its own names, whether it is a generator."""

    __slots__ = ("locals", "globals", "nonlocals", "generator")

    def __init__(self, node):
        self.locals, self.globals, self.nonlocals = scope_names(node)
        self.generator = is_generator(node)


SMALL = 1 << 64


class Exprs:
    """Mixin of the machine."""

    def ev(self, line: Line, node):
        self.tick()
        try:
            how = self.EV[type(node)]
        except KeyError:
            raise Poisoned(Unknown(f"{type(node).__name__} expressions are not followed", node.lineno)) from None
        return how(self, line, node)

    def safe(self, line, node):
        """As `ev`, with poison as a value."""
        try:
            return self.ev(line, node)
        except Poisoned as p:
            return self.at(p.unknown, node)

    @staticmethod
    def at(unknown, node):
        if not unknown.line:
            unknown.line = getattr(node, "lineno", 0)
        return unknown

    # -- names --------------------------------------------------------------------------------------------------------
    def find_frame(self, frame, name):
        while True:
            if frame.globals and name in frame.globals:
                return frame.module
            if frame.locals is None or name in frame.locals:
                return frame
            if frame.outer is None:
                return frame
            frame = frame.outer

    def lookup(self, line, name):
        frame = line.frame
        while frame is not None:
            if frame.globals and name in frame.globals:
                frame = frame.module
            if frame.locals is None or name in frame.locals:
                v = line.store.names(frame).get(name, MISSING)
                if v is not MISSING:
                    return self.unwrap(v) if type(v) is Fut else v
                if frame.locals is not None and frame.cls is None:
                    raise Poisoned(Unknown(f"'{name}' has no value here that the scout knows"))
            frame = frame.outer
        v = self.builtins.get(name, MISSING)
        if v is MISSING:
            raise Poisoned(Unknown(f"'{name}' is not a name that the scout knows"))
        return v

    def ev_name(self, line, node):
        v = self.lookup(line, node.id)
        if type(v) is Unknown:
            raise Poisoned(v)
        return v

    def assign_name(self, line, name, value):
        frame = line.frame
        while frame.comp and name not in frame.locals:
            frame = frame.outer
        frame = self.find_frame(frame, name) if frame.locals is not None else frame
        line.store.own(frame)[name] = value

    def assign(self, line, target, value):
        t = type(target)
        if t is ast.Name:
            self.assign_name(line, target.id, value)
        elif t is ast.Tuple or t is ast.List:
            self.unpack(line, target.elts, value)
        elif t is ast.Subscript:
            obj = self.ev(line, target.value)
            index = self.ev_index(line, target.slice)
            if type(obj) is Fut:
                obj = self.take_over(line, target.value, obj, index) or obj
            self.set_item(line, obj, index, value)
        elif t is ast.Attribute:
            self.set_attr(line, self.ev(line, target.value), target.attr, value)
        elif t is ast.Starred:
            self.assign(line, target.value, value)
        else:
            raise Poisoned(Unknown(f"assignment to {t.__name__} is not followed"))

    def unpack(self, line, targets, value):
        if type(value) is Unknown:
            for t in targets:
                self.assign(line, t, value)
            return
        n = len(targets)
        star = next((i for i, t in enumerate(targets) if type(t) is ast.Starred), None)
        items = self.seq_of(line, value)
        if type(items) is Rope:
            items = self.flat_rope(items)
        if type(items) is list:
            items = self.spread(items, n, star)
            for t, v in zip(targets, items):
                if type(v) is list:
                    v = self.new(line, "list", v)
                self.assign(line, t, v)
            return
        whole = self.when(line, [items], lambda ctx, s: tuple(
            Ref("list", x) if type(x) is list else x for x in self.spread(self.as_list(s), n, star)))
        for i, t in enumerate(targets):
            self.assign(line, t, self.when(line, [whole], lambda ctx, s, i=i: s[i]))

    def as_list(self, s):
        s = self.flat_rope(s) if type(s) is Rope else s
        if type(s) is Fut:
            raise Poisoned(Unknown("a sequence whose length waits"))
        return s

    @staticmethod
    def spread(items, n, star):
        if star is None:
            if len(items) != n:
                raise ScoutRaise(ValueError(f"not enough values to unpack (expected {n}, got {len(items)})"
                                            if len(items) < n else f"too many values to unpack (expected {n})"))
            return items
        tail = n - star - 1
        if len(items) < n - 1:
            raise ScoutRaise(ValueError(
                f"not enough values to unpack (expected at least {n - 1}, got {len(items)})"))
        end = len(items) - tail
        return items[:star] + [items[star:end]] + items[end:]

    # -- literals -----------------------------------------------------------------------------------------------------
    def ev_constant(self, line, node):
        return node.value

    def elements(self, line, nodes):
        out = []
        for n in nodes:
            if type(n) is ast.Starred:
                items = self.seq_of(line, self.ev(line, n.value))
                if type(items) is Fut:
                    out.append(Splice(items))
                else:
                    out.extend(items.parts if type(items) is Rope else items)
            else:
                out.append(self.safe(line, n))
        return out

    @staticmethod
    def list_state(parts):
        return Rope(parts) if any(type(p) is Splice for p in parts) else parts

    def ev_list(self, line, node):
        return self.new(line, "list", self.list_state(self.elements(line, node.elts)))

    def ev_tuple(self, line, node):
        parts = self.elements(line, node.elts)
        if any(type(p) is Splice for p in parts):
            return self.when(line, [self.flat_rope(Rope(parts))], lambda ctx, items: tuple(items))
        return tuple(parts)

    def ev_set(self, line, node):
        return self.make_set(line, self.list_state(self.elements(line, node.elts)))

    def make_set(self, line, items):
        """A new set of the items of a list, rope or future."""
        def build(ctx, parts):
            return self.when(ctx, [tuple(parts)], lambda c, s: {self.key(x) for x in s}, deep=True)
        if type(items) is Rope:
            items = self.flat_rope(items)
        return self.new(line, "set", self.when(line, [items], build))

    def ev_dict(self, line, node):
        ref = self.new(line, "dict", {})
        for k, v in zip(node.keys, node.values):
            if k is None:
                self.update_dict(line, ref, self.ev(line, v))
            else:
                key = self.ev(line, k)
                self.set_item(line, ref, key, self.safe(line, v))
        return ref

    def ev_joined(self, line, node):
        parts = []
        for p in node.values:
            if type(p) is ast.Constant:
                parts.append(p.value)
            else:
                parts.append(self.ev(line, p))

        def join(ctx, *vals):
            self.charge(sum(map(len, vals)))
            return "".join(vals)
        if all(type(p) is str for p in parts):
            return join(line, *parts)
        return self.when(line, parts, join)

    def ev_formatted(self, line, node):
        v = self.ev(line, node.value)
        how = node.conversion
        if node.format_spec is None and how == -1 and (type(v) is str or type(v) is int and -SMALL < v < SMALL):
            return str(v)
        spec = self.ev(line, node.format_spec) if node.format_spec is not None else ""

        def conv(ctx, v, spec):
            if how == 114:
                v = self.to_repr(ctx, v)
            elif how == 115:
                v = self.to_str(ctx, v)
            elif how == 97:
                v = self.when(ctx, [self.to_repr(ctx, v)], lambda c, s: ascii(s))
            return self.to_format(ctx, v, spec)
        return self.when(line, [v, spec], conv)

    # -- operators ----------------------------------------------------------------------------------------------------
    def ev_binop(self, line, node):
        return self.binop(line, type(node.op), self.ev(line, node.left), self.ev(line, node.right))

    def binop(self, line, op, a, b):
        if type(a) in SCALARS and type(b) in SCALARS:
            return self.scalar_binop(op, a, b)
        return self.when(line, [a, b], lambda ctx, x, y: self.binop_known(ctx, op, x, y))

    def scalar_binop(self, op, a, b):
        self.guard_binop(op, a, b)
        try:
            v = BINARY[op](a, b)
        except Exception as e:
            raise ScoutRaise(e) from None
        if type(v) is str or type(v) is bytes:
            self.charge(len(v))
        return v

    def guard_binop(self, op, a, b):
        """Refuses what may be huge before it is computed."""
        if op is ast.Mult:
            if type(a) is int and type(b) is int:
                if a.bit_length() + b.bit_length() > 200_000:
                    raise Poisoned(Unknown("a product too large to be computed ahead"))
            elif type(a) is int and hasattr(b, "__len__"):
                self.charge(max(a, 0) * len(b))
            elif type(b) is int and hasattr(a, "__len__"):
                self.charge(max(b, 0) * len(a))
        elif op is ast.Pow:
            if type(a) not in (int, float, bool) or type(b) not in (int, float, bool):
                raise Poisoned(Unknown("a power of these is not computed ahead"))
            if type(a) is int and type(b) is int and b > 0 and a.bit_length() * b > 50_000:
                raise Poisoned(Unknown("a power too large to be computed ahead"))
        elif op is ast.LShift:
            if type(a) is int and type(b) is int and b + a.bit_length() > 200_000:
                raise Poisoned(Unknown("a shift too large to be computed ahead"))
        elif op is ast.Mod:
            if type(a) in (str, bytes):
                self.guard_format(a)
        elif op is ast.Add and type(a) is str and type(b) is str:
            self.charge(len(a) + len(b))

    def binop_known(self, line, op, a, b):
        if type(a) in SCALARS and type(b) in SCALARS:
            return self.scalar_binop(op, a, b)
        ka = a.kind if type(a) is Ref else None
        kb = b.kind if type(b) is Ref else None
        if ka == "inst" or kb == "inst":
            return self.dunder_binop(line, op, a, b)
        if op is ast.Add:
            if ka == "list" and kb == "list":
                x, y = self.state(line.store, a), self.state(line.store, b)
                parts = []
                for s in (x, y):
                    parts.extend([Splice(s)] if type(s) is Fut else s.parts if type(s) is Rope else s)
                self.charge(8 * len(parts))
                return self.new(line, "list", self.list_state(parts))
            if type(a) is tuple and type(b) is tuple:
                self.charge(8 * (len(a) + len(b)))
                return a + b
        if op is ast.Mult and (ka == "list" or kb == "list" or type(a) is tuple or type(b) is tuple):
            seq, n = (a, b) if type(b) is int else (b, a)
            if type(n) is not int:
                raise ScoutRaise(TypeError("can't multiply sequence by non-int"))
            if type(seq) is tuple:
                self.charge(8 * len(seq) * max(n, 0))
                return seq * n
            def rep(ctx, s):
                self.charge(8 * len(s) * max(n, 0))
                return self.new(ctx, "list", s * n)
            return self.with_state(line, seq, rep)
        if op is ast.BitOr and ka in DICTS and kb in DICTS and ka != "counter":
            out = self.copy_ref(line, a)
            self.update_dict(line, out, b)
            return out
        if type(a) in (Class, type) or type(b) in (Class, type) or self.is_type(a) or self.is_type(b):
            if op is ast.BitOr:                       # int | None in an annotation or isinstance
                return (a if type(a) is tuple else (a,)) + (b if type(b) is tuple else (b,))
        if ka == "list" and a.extra == "keys":
            a = self.make_set(line, self.state(line.store, a))
        if kb == "list" and b.extra == "keys":
            b = self.make_set(line, self.state(line.store, b))

        def plain_op(ctx, x, y):
            self.guard_binop(op, x, y)
            try:
                return self.lift(BINARY[op](x, y))
            except (Poisoned, ScoutRaise):
                raise
            except Exception as e:
                raise ScoutRaise(e) from None
        return self.when(line, [a, b], plain_op, deep=True)

    def dunder_binop(self, line, op, a, b):
        name = DUNDER[op]
        for obj, other, method in ((a, b, name), (b, a, "__r" + name[2:])):
            if type(obj) is Ref and obj.kind == "inst":
                f = self.class_attr(line, obj.extra, method)
                if f is not MISSING:
                    return self.call(line, f, [obj, other], {})
        raise Poisoned(Unknown(f"operator {name} between these objects is not followed"))

    def ev_unary(self, line, node):
        v = self.ev(line, node.operand)
        if type(node.op) is ast.Not:
            return self.when(line, [self.truth(line, v)], lambda ctx, b: not b)

        def op(ctx, x):
            try:
                return UNARY[type(node.op)](x)
            except Exception as e:
                raise ScoutRaise(e) from None
        return self.when(line, [v], op, deep=True)

    def ev_boolop(self, line, node):
        return self.bool_rest(line, node.values, type(node.op) is ast.And)

    def bool_rest(self, line, values, is_and):
        v = self.ev(line, values[0])
        if len(values) == 1:
            return v
        known = self.truth(line, v)
        if type(known) is bool:
            return self.bool_rest(line, values[1:], is_and) if known == is_and else v
        if type(known) is Unknown:
            raise Poisoned(known)

        def go(ctx, b):
            return self.bool_rest(ctx, values[1:], is_and) if b == is_and else v
        result = self.when(line, [known], go)
        if self.speculate and line.generation < 2:
            other = self.ghost_value(line, lambda ctx: self.bool_rest(ctx, values[1:], is_and))
            if type(result) is Fut and not result.state:
                result.alts = [v] + ([other] if other is not None else [])
        return result

    def ghost_value(self, line, fn):
        """Guessing: evaluates what may never be asked for; None if that led nowhere."""
        if self.guess_left <= 0:
            return None
        ctx = self.detached(line)
        ctx.guess, ctx.generation = True, line.generation + 1
        ctx.mark = None
        before = self.steps_left
        try:
            value = fn(ctx)
        except (ScoutRaise, Poisoned, NeedsValue):
            return None
        finally:
            self.guess_left -= before - self.steps_left
        ctx.store.publish()
        return value

    def ev_ifexp(self, line, node):
        c = self.truth(line, self.ev(line, node.test))
        if type(c) is bool:
            return self.ev(line, node.body if c else node.orelse)
        if type(c) is Unknown:
            raise Poisoned(c)
        result = self.when(line, [c], lambda ctx, b: self.ev(ctx, node.body if b else node.orelse))
        if self.speculate and line.generation < 2 and type(result) is Fut and not result.state:
            alts = [self.ghost_value(line, lambda ctx, n=n: self.ev(ctx, n)) for n in (node.body, node.orelse)]
            result.alts = [a for a in alts if a is not None] or None
        return result

    def ev_compare(self, line, node):
        left = self.ev(line, node.left)
        result = None
        for op, right_node in zip(node.ops, node.comparators):
            right = self.ev(line, right_node)
            r = self.compare(line, type(op), left, right)
            if result is None:
                result = r
            else:
                result = self.when(line, [result, r], lambda ctx, a, b: a and b)
            if result is False:
                return False
            left = right
        return result

    def compare(self, line, op, a, b):
        if type(a) in SCALARS and type(b) in SCALARS and op in COMPARE:
            try:
                return COMPARE[op](a, b)
            except Exception as e:
                raise ScoutRaise(e) from None
        return self.when(line, [a, b], lambda ctx, x, y: self.compare_known(ctx, op, x, y))

    def compare_known(self, line, op, a, b):
        if op is ast.Is or op is ast.IsNot:
            if type(a) in (int, float, str, bytes, tuple) and type(b) in (int, float, str, bytes, tuple):
                same = type(a) is type(b) and a == b
            else:
                same = a is b or (isinstance(a, Method) and isinstance(b, Method) and a.func is b.func)
            return same == (op is ast.Is)
        if op is ast.In or op is ast.NotIn:
            found = self.contains(line, b, a)
            return found if op is ast.In else self.when(line, [self.truth(line, found)], lambda ctx, x: not x)
        for x, y, name in ((a, b, COMPARE_DUNDER[op]), (b, a, None)):
            if type(x) is Ref and x.kind == "inst":
                return self.compare_instances(line, op, a, b)
        if not self.comparable(a) or not self.comparable(b):
            same = a is b
            if op is ast.Eq or op is ast.NotEq:
                return same == (op is ast.Eq)
            raise Poisoned(Unknown("a comparison of these objects is not followed"))

        def cmp(ctx, x, y):
            try:
                return bool(COMPARE[op](x, y))
            except Exception as e:
                raise ScoutRaise(e) from None
        return self.when(line, [a, b], cmp, deep=True)

    @staticmethod
    def comparable(v):
        return type(v) in SCALARS or type(v) is tuple or (type(v) is Ref and v.kind in (
            "list", "dict", "set", "counter", "ddict", "odict", "deque")) or type(v) is frozenset \
            or isinstance(v, NamedTuple) or type(v) in OPAQUE

    def compare_instances(self, line, op, a, b):
        name = COMPARE_DUNDER[op]
        if type(a) is Ref and a.kind == "inst":
            f = self.class_attr(line, a.extra, name)
            if f is not MISSING:
                return self.call(line, f, [a, b], {})
            if op is ast.NotEq and self.class_attr(line, a.extra, "__eq__") is not MISSING:
                f = self.class_attr(line, a.extra, "__eq__")
                r = self.call(line, f, [a, b], {})
                return self.when(line, [self.truth(line, r)], lambda ctx, x: not x)
        if op in (ast.Eq, ast.NotEq) or a.extra.order if type(a) is Ref and a.kind == "inst" else False:
            same_class = type(a) is Ref and type(b) is Ref and a.kind == b.kind == "inst" and a.extra is b.extra
            if same_class and a.extra.fields is not None:
                x = tuple(line.store.get(a).get(f) for f in a.extra.fields)
                y = tuple(line.store.get(b).get(f) for f in a.extra.fields)
                return self.compare(line, op, x, y)
        if op is ast.Eq or op is ast.NotEq:
            return (a is b) == (op is ast.Eq)
        if type(b) is Ref and b.kind == "inst":
            swap = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}[op]
            f = self.class_attr(line, b.extra, COMPARE_DUNDER[swap])
            if f is not MISSING:
                return self.call(line, f, [b, a], {})
        raise Poisoned(Unknown("an order between these objects is not followed"))

    def contains(self, line, box, item):
        if type(box) is str:
            def sub(ctx, s, x):
                try:
                    return x in s
                except TypeError as e:
                    raise ScoutRaise(e) from None
            return self.when(line, [box, item], sub)
        if type(box) is range:
            return item in box if type(item) is int else False
        if type(box) is Ref:
            if box.kind in DICTS or box.kind == "set":
                def has(ctx, state, k):
                    return self.key(k) in state
                state = self.state(line.store, box)
                return self.when(line, [state, self.when(line, [item], self._plain_key, deep=True)
                                        if type(item) is tuple else item], has)
            if box.kind == "inst":
                f = self.class_attr(line, box.extra, "__contains__")
                if f is not MISSING:
                    return self.call(line, f, [box, item], {})
            elif box.kind == "list":
                state = self.state(line.store, box)
                if type(state) is Rope and type(item) in SCALARS:
                    if any(p == item for p in state.parts if type(p) in SCALARS):
                        return True
        items = self.seq_of(line, box)
        if type(items) is Rope:
            items = self.flat_rope(items)

        def member(ctx, seq):
            seq = self.as_list(seq)
            if type(item) is Ref and any(x is item for x in seq):
                return True
            if any(type(x) is Ref and x.kind == "inst" for x in seq) or (type(item) is Ref and item.kind == "inst"):
                found = False
                for x in seq:
                    r = self.truth(ctx, self.compare(ctx, ast.Eq, x, item))
                    if r is True:
                        return True
                    if r is not False:
                        found = r
                return found
            return self.when(ctx, [tuple(seq), item], lambda c, s, i: i in s, deep=True)
        return self.when(line, [items], member)

    def _plain_key(self, ctx, k):
        return self.key(k)

    def truth(self, line, v):
        """True, False, a future of one of them, or Unknown."""
        t = type(v)
        if t in SCALARS or t is tuple or t is frozenset:
            return bool(v)
        if t is Unknown:
            return v
        if t is Fut:
            return self.when(line, [v], self.truth)
        if t is Ref:
            if v.kind in ("list", "dict", "set", "deque", "counter", "ddict", "odict"):
                try:
                    s = self.state(line.store, v)
                except Poisoned as p:
                    return p.unknown
                if type(s) is Rope:
                    if any(type(p) is not Splice for p in s.parts):
                        return True
                    s = self.flat_rope(s)
                if type(s) is Fut:
                    return self.when(line, [s], lambda ctx, x: self.rope_truth(x))
                return bool(s)
            if v.kind == "inst":
                for name in ("__bool__", "__len__"):
                    f = self.class_attr(line, v.extra, name)
                    if f is not MISSING:
                        return self.when(line, [self.call(line, f, [v], {})], lambda ctx, x: bool(x), deep=True)
            return True
        if isinstance(v, NamedTuple):
            return len(v) > 0
        return True

    def rope_truth(self, s):
        if type(s) is Rope:
            if any(type(p) is not Splice for p in s.parts):
                return True
            s = self.flat_rope(s)
            if type(s) is Fut:
                raise Poisoned(Unknown("a sequence whose length waits"))
        return bool(s)

    def ev_namedexpr(self, line, node):
        v = self.ev(line, node.value)
        self.assign_name(line, node.target.id, v)
        return v

    # -- subscripts ---------------------------------------------------------------------------------------------------
    def ev_index(self, line, node):
        if type(node) is ast.Slice:
            parts = [self.ev(line, n) if n is not None else None for n in (node.lower, node.upper, node.step)]
            return self.when(line, parts, lambda ctx, a, b, c: slice(a, b, c))
        return self.ev(line, node)

    def ev_subscript(self, line, node):
        obj = self.ev(line, node.value)
        index = self.ev_index(line, node.slice)
        return self.get_item(line, obj, index)

    def get_item(self, line, obj, index):
        return self.when(line, [obj, index], self.item_known)

    def item_known(self, line, obj, index):
        t = type(obj)
        if t is Ref:
            kind = obj.kind
            if kind == "list" or kind == "deque":
                s = self.state(line.store, obj)
                if type(s) is Rope and type(index) is int:
                    k = next((i for i, p in enumerate(s.parts) if type(p) is Splice), 0)
                    if 0 <= index < k:
                        return self.known(s.parts[index])
                    if index < 0 and not any(type(p) is Splice for p in s.parts[index:]) and -index <= len(s.parts):
                        return self.known(s.parts[index])
                if type(s) is Rope:
                    s = self.flat_rope(s)
                if type(s) is Fut:
                    return self.when(line, [s], lambda ctx, x: self.list_item(ctx, self.as_list(x), index))
                return self.list_item(line, s, index)
            if kind in DICTS:
                return self.when(line, [self.state(line.store, obj), index], lambda ctx, s, k:
                                 self.dict_item(ctx, obj, s, k))
            if kind == "inst":
                f = self.class_attr(line, obj.extra, "__getitem__")
                if f is not MISSING:
                    return self.call(line, f, [obj, index], {})
        elif t is tuple or isinstance(obj, NamedTuple):
            return self.list_item(line, obj, index)
        elif t is str or t is bytes or t is range:
            try:
                v = obj[index]
            except Exception as e:
                raise ScoutRaise(e) from None
            if t is not range and type(index) is slice:
                self.charge(len(v))
            return v
        elif t in (Class,) or self.is_type(obj):
            if type(obj) is Class and obj.enum:
                return self.get_attr(line, obj, index)
            return obj                                    # list[str] in an annotation
        elif t.__name__ == "Match":
            try:
                return self.lift(obj[index])
            except Exception as e:
                raise ScoutRaise(e) from None
        raise Poisoned(Unknown(f"a subscript of a {self.type_name(obj)} is not followed"))

    def known(self, v):
        v = self.unwrap(v)
        if type(v) is Unknown:
            raise Poisoned(v)
        return v

    def list_item(self, line, items, index):
        if type(index) is slice:
            self.charge(8 * len(items))
            try:
                if isinstance(items, tuple):
                    return tuple(items[index])
                return self.new(line, "list", list(items)[index])
            except (TypeError, ValueError) as e:
                raise ScoutRaise(e) from None
        try:
            v = items[index]
        except (IndexError, TypeError) as e:
            if isinstance(e, TypeError):
                e = TypeError(f"list indices must be integers or slices, not {self.type_name(index)}")
            raise ScoutRaise(e) from None
        return self.known(v)

    def dict_item(self, line, ref, state, key):
        k = self.key(key)
        v = state.get(k, MISSING)
        if v is not MISSING:
            return self.known(v)
        if ref.kind == "counter":
            return 0
        if ref.kind == "ddict" and ref.extra is not None:
            v = self.call(line, ref.extra, [], {})
            if line.store.get(ref) is state or type(line.store.get(ref)) is dict:
                line.store.own(ref)[k] = v
            return v
        raise ScoutRaise(KeyError(k if type(k) in SCALARS or type(k) is tuple else "?"))

    def set_item(self, line, obj, index, value):
        obj = self.unwrap(obj)
        if type(obj) is Unknown:
            return
        if type(obj) is Fut:
            raise NeedsValue(obj)
        if type(obj) is Ref:
            if obj.kind in DICTS:
                if type(index) in SCALARS:
                    state = self.state(line.store, obj)
                    if type(state) is dict:
                        line.store.own(obj)[index] = value
                        return
                if type(index) is tuple:
                    index = self.when(line, [index], self._plain_key, deep=True)

                def put(state, k):
                    state[self.key(k)] = value
                self.mutate(line, obj, [index], put)
                return
            if obj.kind == "list" or obj.kind == "deque":
                if type(index) is slice:
                    items = self.seq_of(line, value)
                    if type(items) is Rope:
                        items = self.flat_rope(items)

                    def put_slice(state, k, items):
                        state[k] = self.as_list(items)
                    self.mutate(line, obj, [index, items], put_slice)
                    return

                def put_at(state, k):
                    try:
                        state[k] = value
                    except (IndexError, TypeError) as e:
                        raise ScoutRaise(e) from None
                self.mutate(line, obj, [index], put_at)
                return
            if obj.kind == "inst":
                f = self.class_attr(line, obj.extra, "__setitem__")
                if f is not MISSING:
                    self.call(line, f, [obj, index, value], {})
                    return
        raise Poisoned(Unknown(f"an item set in a {self.type_name(obj)} is not followed"))

    @staticmethod
    def need(fut):
        raise NeedsValue(fut)

    def take_over(self, line, node, fut, index=MISSING, method=None):
        """A result that waits is about to be changed: from here on it is a container of ours whose state waits. The
        name (or item) at `node` is bound to it; None if that cannot be done."""
        if method is not None:
            kind = "list" if method in LIST_ONLY else "dict" if method in DICT_ONLY else "set" if method in SET_ONLY \
                else None
            if kind is None:
                return None
        else:
            kind = "list" if type(index) in (int, slice) else "dict"
        n = node
        while isinstance(n, (ast.Subscript, ast.Attribute)):
            n = n.value
        if not isinstance(n, ast.Name):
            return None

        def state(ctx, o):
            if type(o) is Ref and (o.kind == kind or kind == "dict" and o.kind in DICTS):
                return self.state(ctx.store, o)
            raise Poisoned(Unknown("a result that is changed in place is not what the scout took it for"))
        ref = self.new(line, kind, self.when(line, [fut], state))
        self.assign(line, node, ref)
        return ref

    def delete(self, line, target):
        t = type(target)
        if t is ast.Name:
            frame = self.find_frame(line.frame, target.id)
            line.store.own(frame).pop(target.id, None)
        elif t is ast.Tuple or t is ast.List:
            for e in target.elts:
                self.delete(line, e)
        elif t is ast.Subscript:
            obj = self.unwrap(self.ev(line, target.value))
            index = self.ev_index(line, target.slice)
            if type(obj) is Fut:
                obj = self.take_over(line, target.value, obj, index) or self.need(obj)
            if type(obj) is Ref and obj.kind in ("list", "deque", "dict", "odict", "ddict", "counter"):
                def drop(state, k):
                    try:
                        del state[k]
                    except Exception as e:
                        raise ScoutRaise(e) from None
                self.mutate(line, obj, [index], drop, deep=type(index) is tuple)
                return
            raise Poisoned(Unknown("this del is not followed"))
        elif t is ast.Attribute:
            obj = self.ev(line, target.value)
            if type(obj) is Ref and obj.kind == "inst":
                line.store.own(obj).pop(target.attr, None)
        else:
            raise Poisoned(Unknown("this del is not followed"))

    # -- functions, comprehensions ------------------------------------------------------------------------------------
    def func_info(self, node):
        info = self.infos.get(node)
        if info is None:
            info = self.infos[node] = FuncInfo(node)
        return info

    def make_func(self, line, node, name):
        args = node.args
        defaults = [self.safe(line, d) for d in args.defaults]
        kw = [self.safe(line, d) if d is not None else MISSING for d in args.kw_defaults]
        frame = line.frame
        while frame.cls is not None:
            frame = frame.outer
        return Func(node, frame, defaults, kw, name, self.func_info(node))

    def ev_lambda(self, line, node):
        return self.make_func(line, node, "<lambda>")

    def comp_frame(self, line, node):
        names = {x.id for g in node.generators for x in ast.walk(g.target)
                 if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
        outer = line.frame
        frame = Frame(outer, outer.module, names, None, node, comp=True)
        line.store.add(frame, {})
        return frame

    def run_comp(self, line, node, emit):
        """The entries (with splices) that a comprehension makes, in order."""
        if any(g.is_async for g in node.generators):
            raise Poisoned(Unknown("async comprehensions are not followed", node.lineno))
        first = self.seq_of(line, self.ev(line, node.generators[0].iter))
        saved, seq, path = line.frame, line.seq, line.path
        line.seq = seq + 1
        line.path, line.seq = path + "!" + component(seq + 1), 0
        line.frame = self.comp_frame(line, node)
        try:
            return self.comp_loop(line, node, 0, first, emit)
        finally:
            line.frame, line.path, line.seq = saved, path, seq + 1

    def comp_loop(self, line, node, depth, items, emit):
        """One `for` of a comprehension over `items` (list, rope or future)."""
        gen = node.generators[depth]
        if type(items) is Fut:
            fut = self.when(line, [items], lambda ctx, s: self.list_state(self.comp_loop(ctx, node, depth, s, emit)))
            if type(fut) is Fut:
                return [Splice(fut)]
            return list(fut.parts) if type(fut) is Rope else fut
        parts = []
        path = line.path
        items = items.parts if type(items) is Rope else items
        for i, item in enumerate(items):
            self.tick()
            line.path, line.seq = path + component(i), 0
            if self.deadline is not None and self.is_late():
                parts.append(Splice(self.put_off(line, lambda ctx, i=i: self.list_state(
                    self.comp_loop(ctx, node, depth, items[i:], emit)))))
                break
            if type(item) is Splice:
                parts.extend(self.comp_loop(line, node, depth, item.fut, emit))
                continue
            try:
                item = self.unwrap(item)
                self.assign(line, gen.target, item)
                self.comp_ifs(line, node, depth, 0, parts, emit)
            except Poisoned as p:
                parts.append(self.at(p.unknown, node))
        line.path = path
        return parts

    def comp_ifs(self, line, node, depth, i, parts, emit):
        gen = node.generators[depth]
        while i < len(gen.ifs):
            c = self.truth(line, self.ev(line, gen.ifs[i]))
            if type(c) is Unknown:
                raise Poisoned(c)
            if c is False:
                return
            if c is not True:
                def rest(ctx, ok, i=i):
                    out = []
                    if ok:
                        self.comp_ifs(ctx, node, depth, i + 1, out, emit)
                    return self.list_state(out)
                fut = self.when(line, [c], rest)
                parts.append(Splice(fut))
                if self.speculate and line.generation < 2 and type(fut) is Fut:
                    other = self.ghost_value(line, lambda ctx: rest(ctx, True))
                    if other is not None:
                        fut.alts = [other]
                return
            i += 1
        if depth + 1 < len(node.generators):
            items = self.seq_of(line, self.ev(line, node.generators[depth + 1].iter))
            parts.extend(self.comp_loop(line, node, depth + 1, items, emit))
        else:
            parts.append(emit(line))

    def ev_listcomp(self, line, node):
        parts = self.run_comp(line, node, lambda ctx: self.safe(ctx, node.elt))
        return self.new(line, "list", self.list_state(parts))

    def ev_setcomp(self, line, node):
        parts = self.run_comp(line, node, lambda ctx: self.safe(ctx, node.elt))
        return self.make_set(line, self.list_state(parts))

    def ev_dictcomp(self, line, node):
        parts = self.run_comp(line, node, lambda ctx: (self.safe(ctx, node.key), self.safe(ctx, node.value)))
        return self.new(line, "dict", self.pairs_state(line, self.list_state(parts)))

    def pairs_state(self, line, items):
        """State of a dict from entries that are pairs: known keys are enough."""
        if type(items) is Rope:
            items = self.flat_rope(items)

        def build(ctx, pairs):
            pairs = self.as_list(pairs)
            split = []
            for p in pairs:
                p = self.unwrap(p)
                if type(p) is not tuple or len(p) != 2:
                    if type(p) is Fut:
                        return self.when(ctx, [p], lambda c, _: build(c, pairs))
                    two = self.seq_of(ctx, p)
                    if type(two) is not list or len(two) != 2:
                        raise Poisoned(Unknown("a dict is made from items that are not known as pairs"))
                    p = tuple(two)
                split.append(p)
            self.charge(100 * len(split))
            keys = [p[0] for p in split]
            if SCALARS.issuperset(map(type, keys)):
                return dict(split)
            return self.when(ctx, [self.when(ctx, [tuple(keys)], lambda c, ks: ks, deep=True)],
                             lambda c, ks: {self.key(k): p[1] for k, p in zip(ks, split)})
        return self.when(line, [items], build)

    def ev_genexp(self, line, node):
        first = self.ev(line, node.generators[0].iter)
        return self.lazy_generator(line, node, first)

    def ev_starred(self, line, node):
        raise Poisoned(Unknown("a star expression here is not followed"))

    def ev_await(self, line, node):
        raise Poisoned(Unknown("await is not followed", node.lineno))

    def ev_yield(self, line, node):
        if line.collect is None:
            raise Poisoned(Unknown("a yield inside an expression is not followed", node.lineno))
        value = self.safe(line, node.value) if node.value is not None else None
        self.append(line, line.collect, value)
        return None

    def ev_yieldfrom(self, line, node):
        if line.collect is None:
            raise Poisoned(Unknown("a yield from inside an expression is not followed", node.lineno))
        self.extend(line, line.collect, self.seq_of(line, self.ev(line, node.value)))
        return None

    def ev_attribute(self, line, node):
        return self.get_attr(line, self.ev(line, node.value), node.attr)

    EV = {ast.Constant: ev_constant, ast.Name: ev_name, ast.List: ev_list, ast.Tuple: ev_tuple, ast.Set: ev_set,
          ast.Dict: ev_dict, ast.JoinedStr: ev_joined, ast.FormattedValue: ev_formatted, ast.BinOp: ev_binop,
          ast.UnaryOp: ev_unary, ast.BoolOp: ev_boolop, ast.IfExp: ev_ifexp, ast.Compare: ev_compare,
          ast.NamedExpr: ev_namedexpr, ast.Subscript: ev_subscript, ast.Attribute: ev_attribute,
          ast.Lambda: ev_lambda, ast.ListComp: ev_listcomp, ast.SetComp: ev_setcomp, ast.DictComp: ev_dictcomp,
          ast.GeneratorExp: ev_genexp, ast.Starred: ev_starred, ast.Await: ev_await, ast.Yield: ev_yield,
          ast.YieldFrom: ev_yieldfrom, ast.Slice: ev_index}
