"""Calls: the program's functions, its classes, and tools (which is what all of this is for)."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .effects import effects_of
from .exprs import MISSING, Exprs
from .flow import DICTS, Line, component
from .control import BLOCK, WAIT, K, GenState
from .values import (PLAIN_SCALARS, SCALARS, Class, Frame, Fut, Func, Method, Native, NeedsValue, OutOfFuel, Partial, Poisoned,
                     RecordType, Ref,
                     Rope, ScoutRaise, Splice, Tool, ToolSpace, Unknown, Wrapped)


class Call:
    """An early call that the scout announced. `futs`: who waits for it."""

    __slots__ = ("id", "tool", "key", "futs", "state", "payload", "scopes", "args", "site", "order", "guess")

    def __init__(self, id_, tool, site, order, scope, guess):
        self.id, self.tool, self.site, self.order, self.scopes, self.guess = id_, tool, site, order, [scope], guess
        self.key, self.futs, self.state, self.payload, self.args = None, [], 0, None, None


def canonical(v):
    """Equal texts for equal plain data of equal types."""
    t = type(v)
    if t is set or t is frozenset:
        return t.__name__ + "{" + ",".join(sorted(map(canonical, v))) + "}"
    if t is list or t is tuple:
        return ("[" if t is list else "(") + ",".join(map(canonical, v)) + "]"
    if t is dict:
        return "{" + ",".join(f"{canonical(k)}:{canonical(x)}" for k, x in v.items()) + "}"
    return repr(v)


class Calls:
    """Mixin of the machine."""

    # -- call expressions ---------------------------------------------------------------------------------------------
    def ev_call(self, line, node):
        f = node.func
        if type(f) is ast.Attribute:
            obj = self.ev(line, f.value)
            if type(obj) is Native and obj.name == "super":
                obj = self.call(line, obj, [], {})
            callee = None
            if type(obj) not in (ToolSpace,) and not (type(obj) is Ref and obj.kind == "inst"):
                callee = (obj, f.attr)
            else:
                callee = self.get_attr(line, obj, f.attr)
        else:
            callee = self.ev(line, f)
        args, kwargs, open_ = self.arguments(line, node)
        if type(callee) is Tool:
            if open_ is not None:
                return self.when(line, open_, lambda ctx, *_: self.ev_call(ctx, node))
            return self.tool_call(line, callee, node, args, kwargs)
        if open_ is not None:
            return self.when(line, open_, lambda ctx, *_: self.ev_call(ctx, node))
        if type(callee) is tuple:
            return self.call_method(line, callee[0], callee[1], args, kwargs, node)
        return self.call(line, callee, args, kwargs, node)

    def arguments(self, line, node):
        """-> args, kwargs, and what must be known before the call can be made (None: nothing)."""
        args, kwargs, open_ = [], {}, []
        for a in node.args:
            if type(a) is ast.Starred:
                items = self.seq_of(line, self.ev(line, a.value))
                if type(items) is Rope:
                    items = self.flat_rope(items)
                if type(items) is Fut:
                    open_.append(items)
                else:
                    args.extend(items)
            else:
                args.append(self.safe(line, a))
        for k in node.keywords:
            if k.arg is None:
                d = self.unwrap(self.ev(line, k.value))
                state = self.state(line.store, d) if type(d) is Ref and d.kind in DICTS else d
                if type(state) is Fut:
                    open_.append(state)
                elif isinstance(state, dict):
                    kwargs.update({str(n): v for n, v in state.items()})
                else:
                    raise Poisoned(Unknown("** of something that is no dict"))
            else:
                kwargs[k.arg] = self.safe(line, k.value)
        return args, kwargs, open_ or None

    def call(self, line, f, args, kwargs, node=None):
        t = type(f)
        if t is Func:
            return self.call_func(line, f, args, kwargs)
        if t is Method:
            return self.call(line, f.func, [f.self] + list(args), kwargs, node)
        if t is Native:
            self.tick()
            return f.impl(self, line, list(args), kwargs)
        if t is tuple and len(f) == 3 and f[0] == "method":
            return self.call_method(line, f[1], f[2], list(args), kwargs, node)
        if t is Tool:
            return self.tool_call(line, f, node or line.node, list(args), kwargs)
        if t is Class:
            return self.instantiate(line, f, list(args), kwargs)
        if t is Partial:
            return self.call(line, f.func, list(f.args) + list(args), {**f.kwargs, **kwargs}, node)
        if t is Fut:
            return self.when(line, [f], lambda ctx, g: self.call(ctx, g, args, kwargs, node))
        if t is RecordType:
            return self.make_record(f, args, kwargs)
        if isinstance(f, type) and issubclass(f, BaseException):
            return self.new_exception(line, f, args)
        if t is Ref and f.kind == "inst":
            g = self.class_attr(line, f.extra, "__call__")
            if g is not MISSING:
                return self.call(line, g, [f] + list(args), kwargs, node)
        if t is Wrapped:
            return self.call(line, f.func, args, kwargs, node)
        if t is Unknown:
            raise Poisoned(f)
        raise Poisoned(Unknown(f"a call of a {self.type_name(f)} is not followed"))

    def bind(self, line, f, args, kwargs):
        """Local names of a call, as Python binds them."""
        a = f.node.args
        names = [x.arg for x in a.posonlyargs + a.args]
        out = {}
        args = list(args)
        if len(args) > len(names) and a.vararg is None:
            raise ScoutRaise(TypeError(
                f"{f.name}() takes {len(names)} positional arguments but {len(args)} were given"))
        for n, v in zip(names, args):
            out[n] = v
        if a.vararg is not None:
            out[a.vararg.arg] = tuple(args[len(names):])
        extra = {}
        keyword_names = {x.arg for x in a.args + a.kwonlyargs}
        for n, v in kwargs.items():
            if n in keyword_names:
                if n in out:
                    raise ScoutRaise(TypeError(f"{f.name}() got multiple values for argument '{n}'"))
                out[n] = v
            elif a.kwarg is not None:
                extra[n] = v
            else:
                raise ScoutRaise(TypeError(f"{f.name}() got an unexpected keyword argument '{n}'"))
        first = len(names) - len(f.defaults)
        for i, n in enumerate(names):
            if n not in out:
                if i < first:
                    raise ScoutRaise(TypeError(f"{f.name}() missing 1 required positional argument: '{n}'"))
                out[n] = f.defaults[i - first]
        for x, d in zip(a.kwonlyargs, f.kw_defaults):
            if x.arg not in out:
                if d is MISSING:
                    raise ScoutRaise(TypeError(f"{f.name}() missing 1 required keyword-only argument: '{x.arg}'"))
                out[x.arg] = d
        if a.kwarg is not None:
            out[a.kwarg.arg] = self.new(line, "dict", extra)
        return out

    def call_func(self, line, f, args, kwargs):
        if f.wrap is not None:
            return f.wrap(line, args, kwargs)
        if line.depth >= self.limits.depth:
            raise Poisoned(Unknown(f"{f.name} calls itself too deeply to be followed"))
        key = None
        if f.memo is not None:
            if not kwargs and all(type(a) in SCALARS for a in args):
                key = tuple((type(a), a) for a in args)
                if key in f.memo:
                    return self.known(f.memo[key])
        names = self.bind(line, f, args, kwargs)
        info = f.info
        frame = Frame(f.frame, f.frame.module, info.locals, info.globals, f.node)
        line.store.add(frame, names)
        if f.cls is not None:
            names["__class__"] = f.cls
            frame.locals = info.locals | {"__class__"}
        body = f.node.body
        if info.generator:
            entries = [K(BLOCK, None, line.path, False, body, 0)]
            return self.new(line, "gen", GenState(entries, frame), f)
        line.seq += 1
        path = line.path + "!" + component(line.seq)
        if type(f.node) is ast.Lambda:
            saved = line.frame, line.path, line.seq
            line.frame, line.path, line.seq = frame, path, 0
            line.depth += 1
            try:
                return self.ev(line, body)
            finally:
                line.depth -= 1
                line.frame, line.path, line.seq = saved
        saved = line.frame
        sub = self.child(line, None, line.node)
        sub.k = K(BLOCK, None, path, False, body, 0)
        sub.path, sub.frame, sub.collect = path, frame, None
        sub.depth += 1
        if self.deadline is not None and f.node in self.computing and not sub.base_try and self.is_late():
            gate = Fut()                                  # it goes on when there is time; `line` need not wait for it
            sub.k = K(WAIT, sub.k, path, False, gate)
            self.queue.append(lambda: self.resolve(gate, None))
        out = self.run_child(line, sub, body)
        line.frame = saved
        if out is None:
            result = sub.done
        elif out[0] == "raise":
            raise ScoutRaise(out[1])
        elif out[0] == "poison":
            raise Poisoned(out[1])
        else:
            result = out[1]
        if key is not None and type(result) is not Unknown:
            f.memo[key] = result
        if type(result) is Unknown:
            raise Poisoned(result)
        return result

    # -- what a waiting part may change -------------------------------------------------------------------------------
    def peek(self, line, name):
        frame = line.frame
        while frame is not None:
            if frame.globals and name in frame.globals:
                frame = frame.module
            if frame.locals is None or name in frame.locals:
                v = line.store.names(frame).get(name, MISSING)
                if v is not MISSING:
                    if type(v) is Fut and v.state == 1:
                        v = v.value
                    return frame, v
            frame = frame.outer
        return None, MISSING

    def targets(self, line, node):
        """-> (frame, name) pairs that `node` (a statement or a body) may bind, containers that it may change, lists
        to which it only appends."""
        eff = self.fact(effects_of, node)
        names = [(self.find_frame(line.frame, n), n) for n in sorted(eff.assigned) if n not in eff.augmented or
                 not self.is_container(self.peek(line, n)[1])]
        refs, appended = {}, {}
        self.changed(line, eff, names, refs, appended)
        self.called(line, eff, names, refs, appended, set())
        return list(dict.fromkeys(names)), list(refs), [r for r in appended if r not in refs]

    @staticmethod
    def is_container(v):
        return type(v) is Ref and v.kind in ("list", "dict", "set", "counter", "odict", "ddict", "deque")

    @staticmethod
    def appendable(v):
        return v.kind == "list" or v.kind == "deque" and v.extra is None

    def changed(self, line, eff, names, refs, appended):
        for name in sorted(eff.mutated | eff.deep):
            frame, v = self.peek(line, name)
            if type(v) is Fut and not v.state:
                if frame is not None:
                    names.append((frame, name))
            elif type(v) is Ref and v.kind == "gen":
                self.reach(line, v, refs, 0)
            elif type(v) is Ref:
                if name in eff.mutated:
                    if name in eff.appended and self.appendable(v) and name not in eff.deep:
                        appended[v] = None
                    else:
                        refs[v] = None
                if name in eff.deep:
                    self.reach(line, v, refs, 0)
            elif type(v) is Method:
                self.reach(line, v.self, refs, 0)
            elif type(v) is Class:
                refs[v.ns] = None

    def reach(self, line, v, refs, depth):
        """Containers that can be reached from a value (a bounded number)."""
        if type(v) is Fut and v.state == 1:
            v = v.value
        if type(v) is Class:
            refs[v.ns] = None
            return
        if type(v) is tuple and depth < 4:
            for x in v[:50]:
                self.reach(line, x, refs, depth)
            return
        if type(v) is not Ref or v in refs or len(refs) > 100 or depth > 3:
            return
        refs[v] = None
        state = line.store.get(v)
        if type(state) is Fut and state.state == 1:
            state = state.value
        if type(state) is GenState:
            if state.frame is not None and state.frame not in refs:
                refs[state.frame] = None                   # its locals move on with it, and so do those it consumes
                for x in list(line.store.names(state.frame).values()):
                    if type(x) is Ref and x.kind in ("gen", "iter"):
                        self.reach(line, x, refs, depth + 1)
            return
        if type(state) is dict:
            for x in list(state.values())[:50]:
                self.reach(line, x, refs, depth + 1)
            if v.kind == "inst":
                refs[v.extra.ns] = None
        elif type(state) is list:
            for x in state[:50]:
                self.reach(line, x, refs, depth + 1)
        elif type(state) is Rope:
            for x in state.parts[:50]:
                if type(x) is not Splice:
                    self.reach(line, x, refs, depth + 1)

    def called(self, line, eff, names, refs, appended, seen):
        """The same for what functions called by `eff` may do."""
        for callee in sorted(eff.calls):
            frame, v = self.peek(line, callee)
            f = v.func if type(v) is Method else v
            if type(f) is Func:
                if self.func_changes(line, f, names, refs, appended, seen):
                    for n in sorted(eff.calls[callee]):
                        self.reach(line, self.peek(line, n)[1], refs, 0)
            elif type(v) is Ref and v.kind == "gen":
                self.reach(line, v, refs, 0)
                if type(v.extra) is Func:
                    self.func_changes(line, v.extra, names, refs, appended, seen)
            elif type(v) is Ref and v.kind == "iter":
                refs[v] = None
            elif type(v) is Class:
                init = self.class_attr(line, v, "__init__")
                if type(init) is Func:
                    self.func_changes(line, init, names, refs, appended, seen)
        for method in sorted(eff.methods):
            for f_node in self.method_nodes.get(method, ()):
                if f_node in seen:
                    continue
                seen.add(f_node)
                e = self.fact(effects_of, f_node.body)
                if e.mutated or e.deep:
                    for n in sorted(eff.methods[method]):
                        self.reach(line, self.peek(line, n)[1], refs, 0)
                self.called(line, e, names, refs, appended, seen)
                module = line.frame.module
                for n in sorted(e.mutated | e.deep):
                    v = line.store.names(module).get(n)
                    if type(v) is Ref or type(v) is Class:
                        self.reach(line, v, refs, 0)

    def func_changes(self, line, f, names, refs, appended, seen):
        """Adds what calling `f` may change; whether it may change its arguments."""
        if f.node in seen:
            return False
        seen.add(f.node)
        eff = self.fact(effects_of, f.node.body)
        inner = Line(None, line.store, f.frame, "")
        info = f.info
        for n in sorted(eff.assigned):
            if n in info.globals:
                names.append((f.frame.module, n))
            elif n in info.nonlocals:
                names.append((self.find_frame(f.frame, n), n))
        touched = False
        for n in sorted(eff.mutated | eff.deep):
            if n in info.locals:
                touched = True
            else:
                frame, v = self.peek(inner, n)
                if type(v) is Ref:
                    if v.kind == "gen":
                        self.reach(line, v, refs, 0)
                    elif n in eff.mutated:
                        if n in eff.appended and self.appendable(v) and n not in eff.deep:
                            appended[v] = None
                        else:
                            refs[v] = None
                    if n in eff.deep or v.kind == "inst":
                        self.reach(line, v, refs, 0)
                elif type(v) is Fut and not v.state and frame is not None:
                    names.append((frame, n))
        self.called(inner, eff, names, refs, appended, seen)
        return touched

    # -- tools --------------------------------------------------------------------------------------------------------
    def site_of(self, node):
        if isinstance(node, ast.Call):
            return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0), getattr(node, "end_lineno", 0),
                getattr(node, "end_col_offset", 0))

    def is_guess(self, line):
        if not self.speculate:
            return False
        scope = line.scope
        while scope is not None:                          # whoever goes on for a guess later guesses, too
            if scope.state != "active":
                return True
            scope = scope.parent
        return line.guess or any(e.open and e.expect is not None for e in line.entries)

    def tool_call(self, line, tool, node, args, kwargs):
        """The value (a future, mostly) of a tool call of the program; announces it if it may be early."""
        line.seq += 1
        order = line.path + "!" + component(line.seq)
        site = self.site_of(node)
        info = tool.info
        record = self.site_record(site, info)
        for a in list(args) + list(kwargs.values()):
            if type(a) is Unknown:
                self.refuse(record, a.reason)
                raise Poisoned(a)
        if not info.early_ok:
            return self.later_call(line, info, site, args, kwargs)
        if not kwargs and all(type(a) in PLAIN_SCALARS for a in args):
            return self.supply_now(line, info, site, order, list(args), kwargs, record)
        flat = (tuple(args), tuple(kwargs.values()))
        names = list(kwargs)
        pend = []
        try:
            a, kw = self.gather(flat, line.store, True, pend)
        except Poisoned as p:
            self.refuse(record, p.unknown.reason)
            raise
        if not pend:
            return self.supply_now(line, info, site, order, a, dict(zip(names, kw)), record)
        guess = self.is_guess(line)
        if guess or info.choose is not None or self.outstanding >= self.limits.outstanding:
            return self.guessed_call(line, info, site, order, pend, flat, names, record, (tool, node, args, kwargs))
        call_id = self.host.announce(info.handle or info.name, site, guess, self.deps_of(pend), order,
                                     self.scope_id(line.scope))
        fut = Fut(pend)
        if not call_id:
            self.refuse(record, "the host refused to start it early")
            return self.later_call(line, info, site, args, kwargs)
        self.outstanding += 1
        call = self.calls[call_id] = Call(call_id, info.handle or info.name, site, order, line.scope, guess)
        fut.call = call_id
        call.futs.append(fut)
        record["early"] += 1
        self.found += 1
        ctx = self.detached(line)
        self.supply_later(ctx, call, info, pend, flat, names, record)
        self.watch(line, fut)
        if self.speculate and line.generation < 2:
            fut.alts = self.guess_arguments(line, tool, node, args, kwargs)
        return fut

    def guessed_call(self, line, info, site, order, pend, flat, names, record, again):
        """A guess whose arguments wait is announced when they are known: most of them turn out to be known calls. So is a
        call whose contract depends on its arguments."""
        fut = Fut(pend)
        ctx = self.detached(line)

        def ready():
            if ctx.dead:
                return
            more = []
            try:
                a, kw = self.gather(flat, ctx.store, True, more)
                if more:
                    self.on_all(more, ready)
                    return
                self.resolve(fut, self.supply_now(ctx, info, site, order, a, dict(zip(names, kw)), record))
            except ScoutRaise as r:
                self.fail(fut, r.exc)
            except Poisoned as p:
                self.resolve(fut, p.unknown)
            except OutOfFuel as e:
                self.out_of_fuel(ctx.lineno, e.what)
        self.on_all(pend, ready)
        self.watch(line, fut)
        if line.generation < 2 and (self.speculate or self.is_guess(line)):
            fut.alts = self.guess_arguments(line, *again)
        return fut

    def guess_arguments(self, line, tool, node, args, kwargs):
        found = []
        for j in range(3):
            a = [self.alternative(x, j) for x in args]
            kw = {n: self.alternative(x, j) for n, x in kwargs.items()}
            if all(x is y for x, y in zip(a, args)) and all(kw[n] is x for n, x in kwargs.items()):
                break
            ctx = self.detached(line)
            ctx.guess, ctx.generation = True, 2
            ctx.base_try = False
            try:
                value = self.tool_call(ctx, tool, node, a, kw)
            except (ScoutRaise, Poisoned, NeedsValue):
                continue
            ctx.store.publish()
            if not any(value is x for x in found):
                found.append(value)
        return found or None

    def supply_later(self, ctx, call, info, pend, flat, names, record):
        def ready():
            if call.state:
                return
            if ctx.dead:
                self.drop_call(call, None)
                return
            more = []
            try:
                a, kw = self.gather(flat, ctx.store, True, more)
            except ScoutRaise as r:
                self.drop_call(call, r.exc)
                return
            except Poisoned as p:
                self.refuse(record, p.unknown.reason)
                self.drop_call(call, p.unknown)
                return
            except OutOfFuel as e:
                self.out_of_fuel(ctx.lineno, e.what)
                self.drop_call(call, Unknown("out of fuel"))
                return
            if more:
                self.on_all(more, ready)
                return
            self.supply_call(call, info, a, dict(zip(names, kw)), record)
        self.on_all(pend, ready)

    def call_key(self, info, args, kwargs):
        try:
            bound = info.bind(args, kwargs)
        except TypeError as e:
            raise ScoutRaise(e) from None
        return (info.name, canonical(bound))

    def supply_now(self, line, info, site, order, args, kwargs, record):
        if (kwargs or not all(type(a) in PLAIN_SCALARS for a in args)) and not (
                self.is_plain(args) and self.is_plain(kwargs)):
            self.refuse(record, "an argument is not plain data")
            raise Poisoned(Unknown("an argument is not plain data"))
        if info.choose is not None:
            try:
                info = info.choose(tuple(args), kwargs)
            except TypeError as e:
                raise ScoutRaise(e) from None
            if not info.early_ok:
                self.refuse(record, f"{info.effect} calls run when reached")
                return self.later_call(line, info, site, list(args), kwargs)
        key = self.call_key(info, args, kwargs)
        known = self.memo.get(key)
        if known is not None:
            value = self.share(known, line)
            self.watch(line, value)
            return value
        if self.outstanding >= self.limits.outstanding:
            return self.line_up(line, info, site, order, args, kwargs, record)
        guess = self.is_guess(line)
        call_id = self.host.announce(info.handle or info.name, site, guess, [], order, self.scope_id(line.scope))
        if not call_id:
            self.refuse(record, "the host refused to start it early")
            return self.later_call(line, info, site, list(args), kwargs)
        self.outstanding += 1
        call = self.calls[call_id] = Call(call_id, info.handle or info.name, site, order, line.scope, guess)
        record["early"] += 1
        self.found += 1
        fut = Fut((), call_id)
        call.futs.append(fut)
        self.memo[key] = call
        call.key, call.args = key, (args, kwargs, info)
        if call.scopes[0] is not None:
            self.guessed[call] = None
        try:
            self.host.supply(call_id, args, kwargs)
        except TypeError as e:
            self.forget(call)
            self.outstanding -= 1
            raise ScoutRaise(e) from None
        self.watch(line, fut)
        return fut

    def line_up(self, line, info, site, order, args, kwargs, record):
        """Too many early calls are open: this one is announced when others have settled."""
        if len(self.backlog) >= self.limits.backlog:
            raise Poisoned(Unknown("too many early calls are open"))
        fut = Fut()

        def later():
            if line.dead:
                return
            try:
                self.resolve(fut, self.supply_now(line, info, site, order, args, kwargs, record))
            except ScoutRaise as r:
                self.fail(fut, r.exc)
            except Poisoned as p:
                self.resolve(fut, p.unknown)
        self.backlog.append(later)
        self.watch(line, fut)
        return fut

    def supply_call(self, call, info, args, kwargs, record):
        """Arguments of an announced call have become known."""
        if not self.is_plain(args) or not self.is_plain(kwargs):
            self.refuse(record, "an argument is not plain data")
            self.drop_call(call, Unknown("an argument is not plain data"))
            return
        try:
            key = self.call_key(info, args, kwargs)
        except ScoutRaise as r:
            self.drop_call(call, r.exc)
            return
        known = self.memo.get(key)
        if known is not None and known is not call:
            futs, call.futs = call.futs, []
            known.scopes += [s for s in call.scopes if s not in known.scopes]
            self.drop_call(call, None)
            for f in futs:
                self.resolve_like(f, known)
            return
        self.memo[key] = call
        call.key, call.args = key, (args, kwargs, info)
        if call.scopes[0] is not None:
            self.guessed[call] = None
        try:
            self.host.supply(call.id, args, kwargs)
        except TypeError as e:
            self.forget(call)
            self.outstanding -= 1
            call.state = 3
            for f in call.futs:
                self.fail(f, e)

    def resolve_like(self, fut, call):
        value = self.share(call, None)
        if type(value) is Fut:
            fut.call = value.call
            self.resolve(fut, value)
        else:
            self.resolve(fut, value)

    def share(self, call, line):
        """The value of a call that was announced already: each taker gets its own copy."""
        if line is not None and line.scope not in call.scopes:
            call.scopes.append(line.scope)
        if call.state == 1:
            return self.lift(call.payload)
        if call.state == 2:
            if line is None:
                fut = Fut()
                self.fail(fut, call.payload)
                return fut
            raise ScoutRaise(call.payload)
        fut = Fut((), call.id)
        call.futs.append(fut)
        return fut

    def scope_id(self, scope) -> int:
        """The host's id of a scope; opens it there if it is new."""
        if scope is None:
            return 1
        if not scope.id:
            scope.id = self.host.open_scope(self.scope_id(scope.parent), scope.kind, scope.line,
                                            scope.state == "pending") or 1
        return scope.id

    def set_scope(self, scope, state):
        if scope.state in ("dead", state):
            return
        scope.state = state
        if state == "dead":
            for call in [c for c in self.guessed if not c.scopes[0].alive()]:
                self.guessed.pop(call, None)
                self.announce_again(call)
        if scope.id > 1:
            self.host.set_scope(scope.id, state)

    def announce_again(self, call) -> bool:
        """A call was dropped with the path on which it was found, but another path wants it, too."""
        scope = next((s for s in call.scopes if s is None or s.alive()), MISSING)
        if scope is MISSING or call.args is None:
            return False
        args, kwargs, info = call.args
        call_id = self.host.announce(call.tool, call.site, True, [], call.order, self.scope_id(scope))
        if not call_id:
            return False
        new = self.calls[call_id] = Call(call_id, call.tool, call.site, call.order, scope, True)
        self.outstanding += 1
        new.key, new.args, new.futs, call.futs = call.key, call.args, call.futs, []
        new.scopes += [s for s in call.scopes if s is not scope and (s is None or s.alive())]
        self.memo[new.key] = new
        if scope is not None:
            self.guessed[new] = None
        if call.state == 0:                               # what becomes of the old one is of no interest
            self.calls.pop(call.id, None)
            call.state = 3
            self.outstanding -= 1
        for f in new.futs:
            f.call = call_id
        try:
            self.host.supply(call_id, args, kwargs)
        except TypeError:
            return False
        return True

    def drop_call(self, call, why):
        if call.state:
            return
        call.state = 3
        self.outstanding -= 1
        self.host.drop(call.id)
        self.calls.pop(call.id, None)
        for f in call.futs:
            if isinstance(why, Unknown):
                self.resolve(f, why)
            elif why is not None:
                self.fail(f, why)

    def adopt(self, call_id, info, bound):
        """A call that the program reached before we found it: its outcome comes as that of our own calls do."""
        key = (info.name, canonical(bound))
        if key in self.memo:
            return
        call = self.calls[call_id] = self.memo[key] = Call(call_id, info.name, None, "", None, False)
        call.key = key
        self.outstanding += 1

    def forget(self, call):
        if call.key is not None and self.memo.get(call.key) is call:
            del self.memo[call.key]

    def later_call(self, line, info, site, args, kwargs):
        """A call that runs when the program reaches it: its value becomes known then."""
        fut = Fut()
        if not line.ghost and not self.is_guess(line):
            self.later.setdefault((site, info.name), []).append(fut)
        self.watch(line, fut)
        return fut


Exprs.EV[ast.Call] = Calls.ev_call
