"""Objects: attributes, the program's classes, text forms, iteration."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .exprs import MISSING
from .flow import DICTS, component
from .control import BLOCK, K, GenState, Items
from .values import (LIBRARY, SCALARS, Class, Frame, Fut, Func, Method, Module, NamedTuple, Native, NeedsValue,
                     Partial, Poisoned,
                     RecordType, Ref, Rope, ScoutRaise, Tool, ToolSpace, Unknown, Wrapped, copy_state)

KIND_NAMES = {"list": "list", "dict": "dict", "set": "set", "counter": "Counter", "ddict": "defaultdict",
              "odict": "OrderedDict", "deque": "deque", "gen": "generator", "iter": "iterator"}


class Objects:
    """Mixin of the machine."""

    def type_name(self, v):
        if type(v) is Ref:
            return v.extra.name if v.kind == "inst" else KIND_NAMES.get(v.kind, v.kind)
        if type(v) is Class:
            return "type"
        if isinstance(v, NamedTuple):
            return v.record.name
        return {"Func": "function", "Native": "builtin", "Fut": "value that waits", "Tool": "tool"}.get(
            type(v).__name__, type(v).__name__)

    @staticmethod
    def is_type(v):
        return (type(v) is Native and v.type is not None) or (isinstance(v, type) and issubclass(v, BaseException))

    # -- attributes ---------------------------------------------------------------------------------------------------
    def get_attr(self, line, obj, name):
        t = type(obj)
        if t is Fut:
            return self.when(line, [obj], lambda ctx, o: self.get_attr(ctx, o, name))
        if t is Ref and obj.kind == "inst":
            state = self.state(line.store, obj)
            if type(state) is Fut:
                return self.when(line, [state], lambda ctx, s: self.known(s[name]) if name in s else
                                 self.class_value(ctx, obj, name))
            v = state.get(name, MISSING)
            if v is not MISSING:
                return self.known(v)
            return self.class_value(line, obj, name)
        if t is Module:
            v = obj.members.get(name, MISSING)
            if v is MISSING:
                raise Poisoned(Unknown(f"'{obj.name}.{name}' is not evaluated by the scout"))
            return v
        if t is ToolSpace:
            path = obj.path + "." + name
            tool = self.tool_values.get(path)
            if tool is None:
                raise Poisoned(Unknown(f"'{path}' is not a tool"))
            return tool
        if t is Class:
            v = self.class_attr(line, obj, name)
            if v is not MISSING:
                if type(v) is Wrapped:
                    if v.kind == "static":
                        return v.func
                    if v.kind == "class":
                        return Method(v.func, obj)
                return self.known(v) if type(v) is Fut else v
            if name == "__name__":
                return obj.name
        if t is Func and name in ("__name__", "__qualname__"):
            return obj.name
        if t is Tool and name == "__name__":
            return obj.path.split(".")[-1]
        if (t is Native and obj.type is not None or isinstance(obj, type)) and name == "__name__":
            return obj.type.__name__ if t is Native else obj.__name__
        if isinstance(obj, NamedTuple):
            if name in obj.record.fields:
                return self.known(obj[obj.record.fields.index(name)])
            if name == "_fields":
                return tuple(obj.record.fields)
        if isinstance(obj, BaseException):
            if name == "args":
                return tuple(self.lift(a) if not isinstance(a, (Fut, Ref)) else a for a in obj.args)
            v = getattr(obj, name, MISSING) if name in ("errno", "strerror", "filename", "code", "value", "name",
                                                        "status", "reason", "msg", "pos", "lineno") else MISSING
            if v is not MISSING and type(v) in SCALARS:
                return v
        if t is Native and obj.type is not None and f"{obj.name}.{name}" in self.builtins:
            return self.builtins[f"{obj.name}.{name}"]
        if t is Native and obj.type is not None and obj.type not in LIBRARY:   # str.upper, dict.get
            kind = obj.type
            if hasattr(kind, name):
                return Native(f"{kind.__name__}.{name}", lambda s, ln, args, kw: s.call_method(
                    ln, args[0], name, args[1:], kw) if args else s.no_args(name))
            fn = self.builtins.get(f"{obj.name}.{name}")
            if fn is not None:
                return fn
        if t in LIBRARY:
            return self.library_attr(obj, name)
        if name == "__class__":
            if t is Ref and obj.kind == "inst":
                return obj.extra
        if t is Unknown:
            raise Poisoned(obj)
        if t in (Func, Class, Tool, Native):
            raise Poisoned(Unknown(f"attribute '{name}' of a {self.type_name(obj)} is not followed"))
        if t in (int, float) and name in ("real", "imag"):
            return getattr(obj, name)
        return ("method", obj, name)

    def library_attr(self, v, name):
        """An attribute of a library value: plain, or a method to be called."""
        allowed = next((names for t, names in LIBRARY.items() if type(v) is t), frozenset())
        if name not in allowed:
            raise Poisoned(Unknown(f"'{name}' of a {type(v).__name__} is not evaluated by the scout"))
        x = getattr(v, name)
        if callable(x):
            def run(s2, line, args, kw):
                names = list(kw)
                return self.when(line, [tuple(args), tuple(kw.values())],
                              lambda ctx, a, k: self.native(x, a, dict(zip(names, k))), deep=True)
            return Native(name, run)
        return self.lift(x)

    def no_args(self, name):
        raise ScoutRaise(TypeError(f"unbound method {name}() needs an argument"))

    def class_attr(self, line, cls, name):
        if type(cls) is not Class:
            return MISSING
        for c in cls.mro:
            if type(c) is Class:
                ns = self.state(line.store, c.ns)
                if type(ns) is Fut:
                    raise Poisoned(Unknown(f"class {c.name} changes in a part that waits"))
                v = ns.get(name, MISSING)
                if v is not MISSING:
                    return self.unwrap(v)
        return MISSING

    def class_value(self, line, obj, name):
        v = self.class_attr(line, obj.extra, name)
        if v is MISSING:
            if name == "__class__":
                return obj.extra
            if name == "__dict__":
                return self.new(line, "dict", dict(line.store.get(obj)))
            if obj.extra.fields is not None and name == "__dataclass_fields__":
                raise Poisoned(Unknown("dataclass introspection is not followed"))
            f = self.class_attr(line, obj.extra, "__getattr__")
            if f is not MISSING:
                return self.call(line, f, [obj, name], {})
            if name == "args" and self.exc_class(obj) is not None:
                return line.store.get(obj).get("args", ())
            raise ScoutRaise(AttributeError(f"'{obj.extra.name}' object has no attribute '{name}'"))
        if type(v) is Func:
            return Method(v, obj)
        if type(v) is Wrapped:
            if v.kind == "property":
                return self.call(line, v.func, [obj], {})
            if v.kind == "cached":
                value = self.call(line, v.func, [obj], {})
                line.store.own(obj)[name] = value
                return value
            return v.func if v.kind == "static" else Method(v.func, obj.extra)
        if type(v) is Unknown:
            raise Poisoned(v)
        return v

    def set_attr(self, line, obj, name, value):
        obj = self.unwrap(obj)
        if type(obj) is Fut:
            raise NeedsValue(obj)
        if type(obj) is Ref and obj.kind == "inst":
            if obj.extra.frozen:
                raise ScoutRaise(AttributeError(f"cannot assign to field '{name}'"))
            v = self.class_attr(line, obj.extra, name)
            if type(v) is Wrapped and v.kind == "property" and v.setter is not None:
                self.call(line, v.setter, [obj, value], {})
                return
            state = self.state(line.store, obj)
            if type(state) is Fut:
                def put(s):
                    s[name] = value
                self.mutate(line, obj, [], put)
                return
            line.store.own(obj)[name] = value
            return
        if type(obj) is Class:
            line.store.own(obj.ns)[name] = value
            return
        if type(obj) is Func:
            return
        raise Poisoned(Unknown(f"an attribute set on a {self.type_name(obj)} is not followed"))

    # -- classes ------------------------------------------------------------------------------------------------------
    def make_class(self, line, node):
        bases = [self.ev(line, b) for b in node.bases]
        for b in bases:
            if type(b) is Unknown:
                raise Poisoned(b)
        record = any(type(b) is Native and b.name == "NamedTuple" for b in bases)
        if any(type(b) is Native and b.name == "TypedDict" or b is self.builtins["dict"] and not any(
                isinstance(n, ast.FunctionDef) for n in node.body) for b in bases):
            return self.builtins["dict"]
        enum = any(type(b) is Native and b.name == "Enum" or type(b) is Class and b.enum for b in bases)
        bases = [b for b in bases if not (type(b) is Native and b.name in ("NamedTuple", "object", "Enum", "ABC",
                                                                           "Protocol", "Generic"))]
        for b in bases:
            if type(b) is Native:
                raise Poisoned(Unknown(f"a class derived from {b.name} is not followed", node.lineno))
        if node.keywords:
            raise Poisoned(Unknown("metaclasses are not followed", node.lineno))
        frame = Frame(line.frame, line.frame.module, set(), None, node)
        frame.locals = self.func_info(node).locals
        ns = self.new(line, "dict", {})
        cls = Class(node.name, bases, ns)
        frame.cls = cls
        line.store.add(frame, {"__name__": "__main__"})
        saved, path = line.frame, line.path
        line.frame = frame
        fields = {}
        try:
            for stmt in node.body:
                if type(stmt) is ast.AnnAssign and type(stmt.target) is ast.Name:
                    fields[stmt.target.id] = stmt
                    if stmt.value is not None:
                        self.assign_name(line, stmt.target.id, self.safe(line, stmt.value))
                elif type(stmt) in self.EXEC and type(stmt) in (
                        ast.FunctionDef, ast.Assign, ast.Expr, ast.Pass, ast.ClassDef, ast.AugAssign):
                    self.EXEC[type(stmt)](self, line, stmt)
                elif type(stmt) is ast.AsyncFunctionDef:
                    self.exec_asyncfunctiondef(line, stmt)
                else:
                    raise Poisoned(Unknown("this class body is not followed", stmt.lineno))
        finally:
            line.frame, line.path = saved, path
        names = dict(line.store.get(frame))
        names.pop("__name__", None)
        cls.has_eq = cls.has_eq or "__eq__" in names
        self.put(line, ns, names)
        for v in names.values():
            f = v.func if type(v) is Wrapped else v
            if type(f) is Func and f.cls is None:
                f.cls = cls
        if record:
            defaults = {n: names[n] for n in fields if n in names}
            return RecordType(node.name, list(fields), defaults)
        if enum:
            cls.enum = True
            for n, v in list(names.items()):
                if not n.startswith("_") and type(v) not in (Func, Wrapped, Class):
                    member = self.new(line, "inst", {"name": n, "value": v, "_name_": n, "_value_": v}, cls)
                    names[n] = member
        for d in reversed(node.decorator_list):
            name = d.func if isinstance(d, ast.Call) else d
            v = self.ev(line, name)
            if type(v) is Native and v.name == "dataclass":
                self.make_dataclass(line, cls, fields, names, d)
            elif type(v) is Native and v.name == "total_ordering":
                pass
            else:
                raise Poisoned(Unknown("class decorators are not followed", d.lineno))
        return cls

    def make_dataclass(self, line, cls, fields, names, decorator):
        inherited = {}
        for b in reversed(cls.mro[1:]):
            if type(b) is Class and b.fields:
                inherited.update(b.fields)
        own = {}
        for n, stmt in fields.items():
            if "ClassVar" in ast.unparse(stmt.annotation):
                continue
            own[n] = names.get(n, MISSING)
        cls.fields = {**inherited, **own}
        for k in getattr(decorator, "keywords", ()):
            if k.arg == "frozen":
                cls.frozen = bool(getattr(k.value, "value", False))
            elif k.arg == "order":
                cls.order = bool(getattr(k.value, "value", False))

    def instantiate(self, line, cls, args, kwargs):
        if cls.enum:
            if args and type(self.unwrap(args[0])) is Fut:
                return self.when(line, [args[0]], lambda ctx, v: self.instantiate(ctx, cls, [v], {}))
            for c in self.enum_members(line, cls):
                value = line.store.get(c).get("value")
                if args and type(args[0]) in SCALARS and value == args[0]:
                    return c
            raise ScoutRaise(ValueError("not a member of the enum"))
        obj = self.new(line, "inst", {}, cls)
        new = self.class_attr(line, cls, "__new__")
        if new is not MISSING:
            raise Poisoned(Unknown(f"__new__ of {cls.name} is not followed"))
        init = self.class_attr(line, cls, "__init__")
        if init is not MISSING:
            if self.exc_class(obj) is not None:
                line.store.own(obj)["args"] = tuple(args)
            self.call(line, init, [obj] + args, kwargs)
        elif cls.fields is not None:
            self.init_fields(line, cls, obj, args, kwargs)
        elif self.exc_class(obj) is not None:
            line.store.own(obj)["args"] = tuple(args)
        elif args or kwargs:
            raise ScoutRaise(TypeError(f"{cls.name}() takes no arguments"))
        return obj

    def enum_members(self, line, cls):
        return [v for v in line.store.get(cls.ns).values() if type(v) is Ref and v.kind == "inst" and v.extra is cls]

    def init_fields(self, line, cls, obj, args, kwargs):
        values = {}
        names = [n for n, d in cls.fields.items() if not (isinstance(d, Partial) and d.kwargs.get("init") is False)]
        if len(args) > len(names):
            raise ScoutRaise(TypeError(f"{cls.name}() takes {len(names)} arguments"))
        values.update(zip(names, args))
        for n, v in kwargs.items():
            if n not in names or n in values:
                raise ScoutRaise(TypeError(f"{cls.name}() got an unexpected keyword argument '{n}'"))
            values[n] = v
        for n, d in cls.fields.items():
            if n in values:
                continue
            if d is MISSING:
                raise ScoutRaise(TypeError(f"{cls.name}() missing argument '{n}'"))
            if type(d) is Partial and d.func == "field":
                if "default_factory" in d.kwargs:
                    values[n] = self.call(line, d.kwargs["default_factory"], [], {})
                elif "default" in d.kwargs:
                    values[n] = d.kwargs["default"]
                elif d.kwargs.get("init") is not False:
                    raise ScoutRaise(TypeError(f"{cls.name}() missing argument '{n}'"))
            else:
                values[n] = d
        self.put(line, obj, {n: values[n] for n in cls.fields if n in values})
        post = self.class_attr(line, cls, "__post_init__")
        if post is not MISSING:
            self.call(line, post, [obj], {})

    def make_record(self, record, args, kwargs):
        values = dict(zip(record.fields, args))
        values.update(kwargs)
        for n in record.fields:
            if n not in values:
                if n not in record.defaults:
                    raise ScoutRaise(TypeError(f"{record.name}() missing argument '{n}'"))
                values[n] = record.defaults[n]
        if len(values) != len(record.fields) or len(args) > len(record.fields):
            raise ScoutRaise(TypeError(f"{record.name}() got unexpected arguments"))
        return record.cls([values[n] for n in record.fields])

    # -- exceptions ---------------------------------------------------------------------------------------------------
    def exc_class(self, obj):
        """The builtin exception class that a program object derives from, or None."""
        if type(obj) is Ref and obj.kind == "inst":
            for c in obj.extra.mro:
                if isinstance(c, type) and issubclass(c, BaseException):
                    return c
        return None

    def new_exception(self, line, cls, args):
        pend = []
        try:
            vals = self.gather([tuple(args)], line.store, True, pend)[0]
        except Poisoned:
            vals = ()
        if pend:
            vals = ("?",)
        try:
            return cls(*vals)
        except Exception as e:
            raise ScoutRaise(e) from None

    def make_exception(self, line, v):
        if isinstance(v, type) and issubclass(v, BaseException):
            return v()
        if type(v) is Class:
            return self.instantiate(line, v, [], {})
        if isinstance(v, BaseException) or self.exc_class(v) is not None:
            return v
        if type(v) is Fut:
            return RuntimeError("?")
        if type(v) is Unknown:
            return Unknown(v.reason)
        return TypeError("exceptions must derive from BaseException")

    def exc_matches(self, exc, cls):
        cls = self.unwrap(cls)
        if type(cls) is tuple:
            return any(self.exc_matches(exc, c) for c in cls)
        if type(exc) is Unknown or type(cls) in (Unknown, Fut):
            return True
        if isinstance(cls, type):
            if isinstance(exc, BaseException):
                return isinstance(exc, cls)
            base = self.exc_class(exc)
            return base is not None and issubclass(base, cls)
        if type(cls) is Class:
            return type(exc) is Ref and exc.kind == "inst" and cls in exc.extra.mro
        return False

    # -- text ---------------------------------------------------------------------------------------------------------
    def to_str(self, line, v):
        if type(v) is str:
            return v
        if type(v) is Ref and v.kind == "inst":
            f = self.class_attr(line, v.extra, "__str__")
            if f is not MISSING:
                return self.call(line, f, [v], {})
            if self.exc_class(v) is not None:
                args = line.store.get(v).get("args", ())
                return self.to_str(line, args[0]) if len(args) == 1 else self.to_repr(line, args) if args else ""
            return self.to_repr(line, v)
        if isinstance(v, BaseException):
            return self.text_of(lambda: str(v))
        return self.text(line, v, str)

    def to_repr(self, line, v):
        if type(v) is Ref and v.kind == "inst":
            f = self.class_attr(line, v.extra, "__repr__")
            if f is not MISSING:
                return self.call(line, f, [v], {})
            if v.extra.fields is not None:
                state = line.store.get(v)
                parts = [self.to_repr(line, state[n]) for n in v.extra.fields if n in state]
                names = [n for n in v.extra.fields if n in state]
                return self.when(line, parts, lambda ctx, *ps: f"{v.extra.name}("
                                 + ", ".join(f"{n}={p}" for n, p in zip(names, ps)) + ")")
            raise Poisoned(Unknown(f"the default repr of a {v.extra.name} is not known"))
        if isinstance(v, BaseException):
            return self.text_of(lambda: repr(v))
        if type(v) is Fut:
            return self.when(line, [v], self.to_repr)
        return self.text(line, v, repr)

    def text(self, line, v, how):
        if type(v) is Fut:
            return self.when(line, [v], self.to_str if how is str else self.to_repr)

        def show(ctx, x):
            self.guard_big_int(x)
            return self.text_of(lambda: how(x))
        return self.when(line, [v], show, deep=True)

    def text_of(self, make):
        try:
            s = make()
        except (Poisoned, ScoutRaise):
            raise
        except Exception as e:
            raise ScoutRaise(e) from None
        self.charge(len(s))
        return s

    def guard_big_int(self, x):
        if type(x) is int and x.bit_length() > 20_000:
            raise Poisoned(Unknown("a number too large to be written out ahead"))

    def guard_format(self, spec):
        """Refuses widths and precisions that would make a huge text."""
        digits = 0
        for ch in spec if type(spec) is str else spec.decode("latin-1"):
            digits = digits + 1 if ch.isdigit() else 0
            if digits > 5:
                raise Poisoned(Unknown("a format width too large to be computed ahead"))
            if ch == "*":
                digits = 0

    def to_format(self, line, v, spec):
        if not spec:
            return self.when(line, [v], self.to_str)
        if type(spec) is not str:
            raise ScoutRaise(TypeError("format spec must be str"))
        self.guard_format(spec)
        if type(v) is Ref and v.kind == "inst":
            f = self.class_attr(line, v.extra, "__format__")
            if f is not MISSING:
                return self.call(line, f, [v, spec], {})
            raise ScoutRaise(TypeError("unsupported format string"))

        def fmt(ctx, x):
            self.guard_big_int(x)
            return self.text_of(lambda: format(x, spec))
        return self.when(line, [v], fmt, deep=True)

    # -- iteration ----------------------------------------------------------------------------------------------------
    def seq_of(self, line, v):
        """All items: a Python list of entries, a `Rope`, or a pending future of one of these."""
        t = type(v)
        if t is Fut:
            return self.when(line, [v], self.seq_of)
        if t is Ref:
            kind = v.kind
            if kind == "gen":
                return self.collect(line, v)
            if kind == "iter":
                state = self.state(line.store, v)
                if type(state) is Fut:
                    self.put(line, v, ([], 0))
                    return self.when(line, [state], lambda ctx, s: list(s[0][s[1]:]))
                items, i = state
                self.put(line, v, (items, len(items)))
                return items[i:]
            if kind == "inst":
                return self.seq_of_instance(line, v)
            state = self.state(line.store, v)
            if type(state) is Fut:
                return self.when(line, [state], lambda ctx, s: self.entries(v, s))
            return self.entries(v, state)
        if t is tuple or isinstance(v, NamedTuple):
            return list(v)
        if t is str or t is bytes or t is range or t is frozenset:
            self.charge(8 * len(v))
            return list(v) if t is not frozenset else self.ordered(v)
        if t is Unknown:
            raise Poisoned(v)
        if t is Class and v.enum:
            return self.enum_members(line, v)
        if t in SCALARS or t in (Func, Class, Native, Tool):
            raise ScoutRaise(TypeError(f"'{self.type_name(v)}' object is not iterable"))
        raise Poisoned(Unknown(f"iteration over a {self.type_name(v)} is not followed"))

    def entries(self, ref, state):
        if ref.kind in ("list", "deque"):
            return Rope(list(state.parts)) if type(state) is Rope else list(state)
        if ref.kind in DICTS:
            return list(state)
        if ref.kind == "set":
            return self.ordered(state)
        raise Poisoned(Unknown(f"iteration over a {self.type_name(ref)} is not followed"))

    @staticmethod
    def ordered(items):
        """Members of a set in an order that does not depend on hashes."""
        return sorted(items, key=lambda x: (
            type(x).__name__, repr(x) if type(x) in SCALARS or type(x) is tuple else ""))

    def seq_of_instance(self, line, v):
        f = self.class_attr(line, v.extra, "__iter__")
        if f is not MISSING:
            it = self.call(line, f, [v], {})
            if it is v or (type(it) is Ref and it.kind == "inst"):
                raise Poisoned(Unknown(f"the iterator class {v.extra.name} is not followed"))
            return self.seq_of(line, it)
        raise ScoutRaise(TypeError(f"'{v.extra.name}' object is not iterable"))

    def iterate(self, line, v, stepwise):
        """What a `for` keeps to get its items: `Items`, (list, index), a generator, or a future."""
        v = self.unwrap(v)
        t = type(v)
        if t is Fut:
            return v
        if t is Ref:
            if v.kind == "list":
                return (v, 0)
            if v.kind == "gen" or v.kind == "iter":
                if stepwise:
                    return v
            elif v.kind == "inst":
                f = self.class_attr(line, v.extra, "__iter__")
                if f is not MISSING:
                    it = self.call(line, f, [v], {})
                    if it is not v:
                        return self.iterate(line, it, stepwise)
                    nxt = self.class_attr(line, v.extra, "__next__")
                    if nxt is not MISSING:
                        return self.iterate(line, self.call(line, self.prelude["iter_next"], [Method(nxt, v)], {}),
                                            True)
        if t is range:
            return Items(v)
        if t is Rope or t is list:
            return Items(v.parts if t is Rope else v)
        seq = self.seq_of(line, v)
        if type(seq) is Fut:
            return seq
        return Items(seq.parts if type(seq) is Rope else seq)

    def lazy_generator(self, line, node, first):
        """A generator expression: a generator whose body we write."""
        made = self.infos.get(("gen", node))
        if made is None:
            body = ast.Expr(ast.Yield(node.elt))
            for i, g in reversed(list(enumerate(node.generators))):
                if g.is_async:
                    raise Poisoned(Unknown("async generators are not followed", node.lineno))
                for test in reversed(g.ifs):
                    body = ast.If(test, [body], [])
                it = ast.Name(".0", ast.Load()) if i == 0 else g.iter
                body = ast.For(g.target, it, [body], [])
            names = {x.id for g in node.generators for x in ast.walk(g.target)
                     if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)} | {".0"}
            for n in ast.walk(body):
                if isinstance(n, (ast.stmt, ast.expr)) and not hasattr(n, "lineno"):
                    ast.copy_location(n, node)
            made = self.infos[("gen", node)] = ([body], names)
        body, names = made
        outer = line.frame
        while outer.cls is not None:
            outer = outer.outer
        frame = Frame(outer, outer.module, names, None, node, comp=True)
        line.store.add(frame, {".0": first})
        line.seq += 1
        return self.new(line, "gen", GenState(
            [K(BLOCK, None, line.path + "!" + component(line.seq), False, body, 0)], frame))

    def collect(self, line, ref):
        """All remaining items of a generator."""
        state = self.state(line.store, ref)
        if type(state) is Fut:
            return self.when(line, [state], lambda ctx, s: self.collect_state(ctx, s))
        self.put(line, ref, GenState([], None, True))
        return self.collect_state(line, state)

    def collect_state(self, line, state):
        if state.done:
            return []
        acc = self.new(line, "list", [])
        up = None
        for e in state.entries:
            up = e.on(up)
        if line.depth >= self.limits.depth:
            raise Poisoned(Unknown("generators nested too deeply"))
        saved = line.frame
        sub = self.child(line, up, line.node)
        sub.frame, sub.collect, sub.path = state.frame, acc, up.path
        sub.depth += 1
        node = state.frame.node
        body = self.infos[("gen", node)][0] if ("gen", node) in self.infos else node.body
        out = self.run_child(line, sub, body)
        line.frame = saved
        if out is not None:
            if out[0] == "raise":
                raise ScoutRaise(out[1])
            if out[0] == "poison":
                raise Poisoned(out[1])
        s = self.state(line.store, acc)
        return s if type(s) is Fut else Rope(list(s.parts)) if type(s) is Rope else list(s)

    def yield_from_loop(self, node):
        made = self.infos.get(("from", node))
        if made is None:
            target = ast.Name(".y", ast.Store())
            body = ast.Expr(ast.Yield(ast.Name(".y", ast.Load())))
            made = ast.For(target, ast.Name(".f", ast.Load()), [body], [])
            for n in ast.walk(made):
                if isinstance(n, (ast.stmt, ast.expr)):
                    ast.copy_location(n, node)
            self.infos[("from", node)] = made
        return made

    # -- copies -------------------------------------------------------------------------------------------------------
    def copy_ref(self, line, v):
        return self.new(line, v.kind, copy_state(self.state(line.store, v)), v.extra)

    def update_dict(self, line, ref, other):
        """dict.update with a mapping or with pairs."""
        other = self.unwrap(other)
        if type(other) is Ref and other.kind in DICTS:
            items = self.state(line.store, other)
        elif type(other) is Fut:
            items = self.when(line, [other], lambda ctx, o: self.state(ctx.store, o) if type(o) is Ref and
                              o.kind in DICTS else self.pairs_state(ctx, self.seq_of(ctx, o)))
        else:
            items = self.pairs_state(line, self.seq_of(line, other))
        return self.mutate(line, ref, [items], lambda s, x: s.update(x))

    # -- context managers ---------------------------------------------------------------------------------------------
    def open_manager(self, line, manager):
        """-> value of `as`, what to do on leaving (how, exception) -> swallow?, whether it may swallow."""
        manager = self.unwrap(manager)
        if type(manager) is Ref and manager.kind == "inst":
            enter = self.class_attr(line, manager.extra, "__enter__")
            leave = self.class_attr(line, manager.extra, "__exit__")
            if enter is MISSING or leave is MISSING:
                raise ScoutRaise(TypeError("not a context manager"))
            value = self.call(line, enter, [manager], {})

            def out(ln, how, exc):
                if how == "raise":
                    kind = exc.extra if type(exc) is Ref else type(exc)
                    return self.call(ln, leave, [manager, kind, exc, None], {})
                return self.call(ln, leave, [manager, None, None, None], {})
            return value, out, True
        if type(manager) is Partial and manager.func == "suppress":
            classes = tuple(manager.args)
            return None, lambda ln, how, exc: how == "raise" and self.exc_matches(exc, classes), True
        if type(manager) is Partial and manager.func == "nullcontext":
            return (manager.args[0] if manager.args else None), lambda ln, how, exc: False, False
        if type(manager) is Partial and manager.func == "contextmanager":
            gen = manager.args[0]
            value = self.call(line, self.prelude["next"], [gen], {})

            def out(ln, how, exc):
                if how == "raise":
                    return False
                self.call(ln, self.prelude["next"], [gen, None], {})
                return False
            return value, out, False
        raise Poisoned(Unknown(f"a with over a {self.type_name(manager)} is not followed"))

    # -- match --------------------------------------------------------------------------------------------------------
    def plain_shape(self, v, view, pend, depth):
        """Puts the futures that a match may look at on `pend`."""
        if type(v) is Fut:
            v = self.unwrap(v)
            if type(v) is Fut:
                pend.append(v)
                return
        if depth > 2:
            return
        if type(v) is tuple:
            for x in v:
                self.plain_shape(x, view, pend, depth + 1)
        elif type(v) is Ref and v.kind != "gen":
            s = self.state(view, v)
            if type(s) is Fut:
                pend.append(s)
            elif type(s) is Rope:
                s = self.flat_rope(s)
                if type(s) is Fut:
                    pend.append(s)
            elif isinstance(s, dict):
                for x in s.values():
                    self.plain_shape(x, view, pend, depth + 1)
            elif type(s) is list:
                for x in s:
                    self.plain_shape(x, view, pend, depth + 1)

    def match(self, line, p, v) -> bool:
        v = self.unwrap(v)
        t = type(p)
        if t is ast.MatchValue or t is ast.MatchSingleton:
            other = p.value if t is ast.MatchSingleton else self.ev(line, p.value)
            if t is ast.MatchSingleton:
                return v is other
            return self.compare(line, ast.Eq, v, other) is True
        if t is ast.MatchAs:
            if p.pattern is not None and not self.match(line, p.pattern, v):
                return False
            if p.name:
                self.assign_name(line, p.name, v)
            return True
        if t is ast.MatchOr:
            return any(self.match(line, x, v) for x in p.patterns)
        if t is ast.MatchSequence:
            if type(v) is Ref and v.kind in ("list", "deque"):
                items = self.flat(line.store, v)
            elif type(v) is tuple or isinstance(v, NamedTuple):
                items = list(v)
            else:
                return False
            star = next((i for i, x in enumerate(p.patterns) if type(x) is ast.MatchStar), None)
            n = len(p.patterns)
            if star is None:
                return len(items) == n and all(self.match(line, x, y) for x, y in zip(p.patterns, items))
            if len(items) < n - 1:
                return False
            tail = n - star - 1
            end = len(items) - tail
            if p.patterns[star].name:
                self.assign_name(line, p.patterns[star].name, self.new(line, "list", list(items[star:end])))
            return all(self.match(line, x, y) for x, y in zip(p.patterns[:star], items)) and \
                all(self.match(line, x, y) for x, y in zip(p.patterns[star + 1:], items[end:]))
        if t is ast.MatchMapping:
            if type(v) is not Ref or v.kind not in DICTS:
                return False
            state = self.state(line.store, v)
            used = set()
            for k, x in zip(p.keys, p.patterns):
                key = self.key(self.ev(line, k))
                used.add(key)
                if key not in state or not self.match(line, x, state[key]):
                    return False
            if p.rest:
                self.assign_name(line, p.rest, self.new(line, "dict", {k: x for k, x in state.items()
                                                                      if k not in used}))
            return True
        if t is ast.MatchClass:
            cls = self.ev(line, p.cls)
            if not self.is_instance(v, cls):
                return False
            names = []
            if p.patterns:
                if type(cls) is Native:
                    return len(p.patterns) == 1 and self.match(line, p.patterns[0], v)
                args = self.class_attr(line, cls, "__match_args__") if type(cls) is Class else MISSING
                names = list(args) if args is not MISSING else list(cls.fields or ())
            for n, x in list(zip(names, p.patterns)) + list(zip(p.kwd_attrs, p.kwd_patterns)):
                try:
                    value = self.get_attr(line, v, n)
                except ScoutRaise:
                    return False
                if not self.match(line, x, value):
                    return False
            return True
        raise Poisoned(Unknown("this pattern is not followed", p.lineno))
