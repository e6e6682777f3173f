"""Statements: control as a linked list of entries, so that a line of scouting can stop, go on later, fork or go back.

An entry is never changed; a line holds the top one. What a generator suspends is a stretch of them.
"""
from __future__ import annotations

import ast

from .effects import breaks, continues, effects_of, leaves
from .flow import Line, Scope, chained, component
from .values import (Class, Frame, Fut, NeedsValue, OutOfFuel, OutOfTime, Poisoned, Ref, Rope, ScoutRaise, Splice, Store, Unknown)

(BLOCK, IF, FOR, WHILE, WTEST, TRY, FINAL, REDO, HANDLER, WITH, GEN, MATCH, WAIT) = range(13)


class K:
    """A control entry: `kind`, the entry below (`up`), its order path, whether a handler is around (`tr`), and three
    fields whose meaning depends on the kind."""

    __slots__ = ("kind", "up", "path", "tr", "a", "b", "c")

    def __init__(self, kind, up, path, tr, a=None, b=None, c=None):
        self.kind, self.up, self.path, self.tr, self.a, self.b, self.c = kind, up, path, tr, a, b, c

    def on(self, up):
        return K(self.kind, up, self.path, self.tr, self.a, self.b, self.c)


class Blocked(Exception):
    def __init__(self, fut):
        super().__init__()
        self.fut = fut


class GenState:
    """A suspended generator: its control entries, bottom first."""

    __slots__ = ("entries", "frame", "done")

    def __init__(self, entries, frame, done=False):
        self.entries, self.frame, self.done = entries, frame, done


class Items:
    """Iteration over items that are known one by one. `parts[i]` is next."""

    __slots__ = ("parts", "i")

    def __init__(self, parts, i=0):
        self.parts, self.i = parts, i


class Machine:
    """Mixin: runs lines."""

    def fact(self, question, node, *more):
        """A cached answer about the program's text."""
        key = (question, node if type(node) is not list else tuple(node), more)
        answer = self.facts.get(key)
        if answer is None:
            answer = self.facts[key] = question(node, *more)
        return answer

    def leaves(self, node, collect):
        return self.fact(leaves, node, collect)

    def breaks(self, node, collect):
        return self.fact(breaks, node, collect)

    def catches(self, node):
        """Whether a handler may be inside."""
        return self.fact(has_try, node)

    def block(self, up, stmts, path, tr):
        return K(BLOCK, up, path, tr, stmts, 0)

    # -- running ------------------------------------------------------------------------------------------------------
    def run(self, line: Line) -> None:
        """Until the line is finished, blocked, out of fuel or paused."""
        if line.dead or line.status == "done":
            return
        line.status = "run"
        while True:
            k = line.k
            if k is None:
                self.finish(line, "ok", None)
                return
            if line.left is not None:
                line.left[0] -= 1
                if line.left[0] < 0:
                    self.stop(line)
                    return
            if self.deadline is not None and self.nest == 0:
                back = (line.store.freeze(), line.frame, line.path, line.seq, line.exc, len(line.entries),
                        len(line.children), line.depth)
            try:
                self.nest += 1
                self.tick()
                self.STEP[k.kind](self, line, k)
                if line.status == "done":
                    return
            except ScoutRaise as r:
                self.unwind(line, "raise", r.exc)
                if line.status == "done":
                    return
            except Blocked as b:
                fut = line.waits = b.fut
                line.status = "blocked"
                fut.waiters.append(lambda: self.wake(line, fut))
                return
            except OutOfTime:
                if self.nest > 1:
                    raise
                self.pause(line, k, back)
                return
            except NeedsValue as n:
                self.wait_statement(line, n.fut, k)
            except Poisoned as p:
                if not self.poison(line, p.unknown, k):
                    return
            except OutOfFuel as e:
                self.out_of_fuel(line.lineno, e.what)
                self.finish(line, "poison", Unknown(f"out of fuel ({e.what})", line.lineno))
                return
            except RecursionError:
                if not self.poison(line, Unknown("recursion too deep to be followed", line.lineno), k):
                    return
            except Exception as e:                        # an error of ours: contained, and told
                self.fault(e)
                if not self.poison(line, Unknown(f"the scout failed here: {type(e).__name__}: {e}", line.lineno), k):
                    return
            finally:
                self.nest -= 1

    def pause(self, line, k, back):
        """The step is undone; it is taken again when there is time."""
        base, line.frame, line.path, line.seq, line.exc, entries, children, line.depth = back
        line.k, line.status = k, "paused"
        line.store = Store(base, line.store.log, line.store.dirty)
        for e in line.entries[entries:]:
            e.open = False
        del line.entries[entries:]
        for c in line.children[children:]:
            self.kill(c)
        del line.children[children:]
        self.queue.appendleft(lambda: self.run(line) if line.status == "paused" else None)

    def wait_statement(self, line, fut, k):
        """The current statement changes something inside a result that waits: it is run again when that is there."""
        node = line.node
        if line.mark is None or node is None or line.mark[0] is not k or k.kind != BLOCK or \
                self.leaves(node, self.collecting(line)):
            if line.k is k:
                line.k = k.up
            self.lose(line, node, Unknown("something inside a result that waits is changed here", line.lineno))
            return
        line.store = Store(line.mark[1], line.store.log, line.store.dirty)
        path = line.mark[3]
        body = K(BLOCK, None, path, False, [node], 0)
        sub = self.child(line, K(WAIT, body, path, False, fut), node)
        try:
            self.after_child(line, node, self.run_child(line, sub, node))
        except ScoutRaise as r:
            self.unwind(line, "raise", r.exc)

    def step_wait(self, line, k):
        fut = k.a
        if type(self.unwrap(fut)) is Fut:
            raise Blocked(fut)
        line.k = k.up

    def wake(self, line, fut):
        if line.status == "blocked" and line.waits is fut and not line.dead:
            self.run(line)

    def stop(self, line):
        """A side line that used up its steps."""
        line.dead, line.status = True, "done"
        if line.ghost:
            self.ghosts -= 1

    def poison(self, line, unknown, k) -> bool:
        """A statement that can't be followed: its names are lost, the line goes on if control surely does."""
        node = line.node
        if line.k is k:
            line.k = k.up
        self.at(unknown, node)
        self.lose(line, node, unknown)
        if node is None or self.leaves(node, self.collecting(line)):
            self.note(unknown.line or line.lineno, unknown.reason)
            self.finish(line, "poison", unknown)
            return False
        return True

    def lose(self, line, node, unknown):
        self.note(unknown.line or line.lineno, unknown.reason)
        if node is None:
            return
        names, refs, _ = self.targets(line, node)
        for frame, name in names:
            line.store.own(frame)[name] = unknown
        for ref in refs:
            self.put(line, ref, unknown)

    # -- ending -------------------------------------------------------------------------------------------------------
    def finish(self, line, how, value):
        line.status, line.out, line.k = "done", (how, value), None
        if line.ghost:
            self.ghosts -= 1
            if line.generation and line.node is not None:
                pass
        self.settle_line(line)

    def open_entries(self, line):
        entries = line.entries
        while entries and not entries[0].open:
            entries.pop(0)
        return any(e.open for e in entries)

    def settle_line(self, line):
        """Publishes what a finished line brought, once nothing that it assumed is open."""
        if line.status != "done" or line.done is None or line.final or self.open_entries(line):
            return
        line.final = True
        how, value = line.out
        store = line.store
        store.publish()
        if line.marks:                                    # what changed inside of what nobody beside it can know yet
            marked = {m[1] for m in line.marks}
            for ref in store.dirty:
                if ref not in marked and type(ref) is Ref and ref.birth is not None:
                    ref.birth = store.get(ref)
        for kind, where, name, fut, n in line.marks:
            if how == "poison":
                self.resolve(fut, value)
            elif kind == "name":
                if how == "raise":
                    self.fail(fut, value)
                else:
                    v = store.names(where).get(name)
                    self.resolve(fut, Unknown(f"'{name}' may be unbound") if v is None and
                                 name not in store.names(where) else v)
            elif kind == "tail":
                self.resolve(fut, self.tail(store.get(where), n))
            else:
                self.resolve(fut, store.get(where))
        if how == "raise":
            self.fail(line.done, value)
        else:
            self.resolve(line.done, value)

    def tail(self, state, n):
        """Entries of a list state behind the first `n` (or behind the state that the future `n` stood for)."""
        if type(n) is Fut:
            if state is n:
                return []
            if type(state) is Rope and state.parts and type(state.parts[0]) is Splice and state.parts[0].fut is n:
                return Rope(state.parts[1:])
            if n.state == 1 and type(n.value) in (list, Rope):
                n = len(n.value.parts if type(n.value) is Rope else n.value)
            elif type(state) is not Fut:
                return Unknown("a list that changed in a way that the scout lost")
        if type(state) is Fut:
            state = self.unwrap(state) if state.state != 2 else state
        if type(state) is Fut:
            if state is n:
                return []
            fut = Fut((state,))
            state.waiters.append(lambda: self.resolve(fut, self.tail(state.value, n)) if state.state == 1
                                 else self.fail(fut, state.value))
            return fut
        if type(state) is Unknown:
            return state
        if type(state) is Rope:
            return Rope(state.parts[n:])
        return state[n:]

    # -- forks --------------------------------------------------------------------------------------------------------
    def child(self, line, k, node):
        """A line for a part of `line` that may have to wait; it shares the store until it does."""
        sub = Line(k, line.store, line.frame, k.path if k is not None else line.path)
        chained(sub, line)
        sub.node, sub.collect = node, line.collect
        sub.base_try = line.intry or line.base_try
        sub.done = Fut((), 0)
        return sub

    def run_child(self, line, sub, scope):
        """Runs a child now. -> its outcome, or None: it waits, and `line` goes on beside it."""
        start = line.store.freeze()
        sub.log_start = len(line.store.log)
        self.run(sub)
        for f in sub.soft:
            self.watch(line, f)
        sub.soft = []
        guessed = any(e.open and e.expect is not None for e in sub.entries)
        if sub.status == "done" and not guessed:
            line.store = sub.store
            for e in sub.entries:
                if e.open:
                    e.open = False
                    self.assume(line, e.fut, None, line.mark or self.mark_of(line, start))
            sub.entries = []
            line.children.extend(sub.children)
            sub.final = True
            return sub.out
        self.split(line, sub, start, scope)
        return None

    def mark_of(self, line, base):
        return (line.k, base, line.frame, line.path, line.seq, line.exc)

    def split(self, line, sub, start, scope):
        """`sub` waits with the store as it is; `line` goes on with a copy in which whatever `sub` may yet change is
        a future."""
        log = sub.store.log
        sub_log = log[sub.log_start:]
        del log[sub.log_start:]
        base = sub.store.freeze()
        for e in sub.entries:                              # beside a guess the world is as it was before the guess
            if e.open and e.expect is not None:
                base = e.base
                break
        line.store = Store(base, log, sub.store.dirty)
        sub.store.log, sub.store.dirty = sub_log, {}
        names, refs, appended = self.targets(sub, scope) if scope is not None else ((), (), ())
        if sub.frame is not line.frame:                    # a function body: its own frame is of no interest
            names = [(f, n) for f, n in names if f is not sub.frame]
        line.children.append(sub)
        for frame, name in names:
            fut = Fut((sub.waits or sub.done,))
            fut.alts = self.alts_of(sub, lambda st, f=frame, n=name: st.get(f).get(n))
            sub.marks.append(("name", frame, name, fut, 0))
            if type(line.store.get(frame)) is Fut and not line.store.get(frame).state:
                continue
            line.store.own(frame)[name] = fut
            self.watch(line, fut)
        if sub.collect is not None and scope is not None and self.fact(effects_of, scope).yields:
            appended = list(appended) + [sub.collect]
        for ref in appended:
            state = start.get(ref)
            if type(state) is Fut and state.state == 1:
                state = state.value
            n = None
            if type(state) is Rope:
                parts = list(state.parts)
            elif type(state) is list:
                parts = list(state)
            elif type(state) is Fut and state.state == 0:
                parts, n = [Splice(state)], state
            else:
                refs = list(refs) + [ref]
                continue
            n = len(parts) if n is None else n
            fut = Fut((sub.waits or sub.done,))
            fut.alts = self.alts_of(sub, lambda st, r=ref, n=n: self.tail_or_none(st.get(r), n))
            sub.marks.append(("tail", ref, None, fut, n))
            self.put(line, ref, Rope(parts + [Splice(fut)]))
        for ref in refs:
            if ref in appended and type(line.store.get(ref)) is Rope:
                continue
            fut = Fut((sub.waits or sub.done,))
            sub.marks.append(("state", ref, None, fut, 0))
            self.put(line, ref, fut)
        sub.done.sources = (sub.waits,) if sub.waits is not None else ()
        sub.done.alts = [sub.out[1]] if sub.status == "done" and sub.out[0] == "ok" else None
        self.watch(line, sub.done)

    def tail_or_none(self, state, n):
        if type(state) in (list, Rope):
            return self.tail(state, n)
        return None

    def alts_of(self, sub, read):
        """Guessing: what a name may be after `sub`, by its own guess and by its side lines."""
        if not self.speculate:
            return None
        found = []
        for ln in [sub] + [c for c in sub.children if c.ghost]:
            if ln.status == "done" and ln.out is not None and ln.out[0] == "ok" and not ln.dead:
                v = read(ln.store)
                if v is not None and type(v) is not Unknown:
                    found.append(v)
        return found[:3] or None

    # -- assumptions --------------------------------------------------------------------------------------------------
    def judge(self, entry):
        line = entry.line
        if not entry.open or line.dead:
            return
        fut = entry.fut
        if entry.expect is None:
            right = fut.state == 1
        else:
            right = fut.state == 1 and fut.value is entry.expect
        if right:
            entry.open = False
            if entry.guessed is not None:
                self.set_scope(entry.guessed, "active")
            if entry.expect is not None and line.status == "blocked" and line.waits is None:
                self.run(line)
            self.settle_line(line)
            return
        self.go_back(entry)

    def go_back(self, entry):
        """The assumption was wrong: the line returns to where it made it."""
        line = entry.line
        if line.ghost and entry.expect is not None:
            if line.scope is not None:
                self.dying.append(line.scope)
            self.kill(line)
            return
        if line.final:
            return
        i = line.entries.index(entry)
        for e in line.entries[i:]:
            e.open = False
        del line.entries[i:]
        line.scope = entry.scope
        for c in line.children[entry.children:]:
            self.kill(c)
        del line.children[entry.children:]
        line.k, line.frame, line.path, line.seq, line.exc = entry.k, entry.frame, entry.path, entry.seq, entry.exc
        line.store = Store(entry.base, line.store.log, line.store.dirty)
        line.status, line.out, line.waits = "run", None, None
        self.run(line)
        if entry.guessed is not None:
            self.dying.append(entry.guessed)

    def kill(self, line):
        """Ends a line that another one replaces. Its calls stay: most of them are found again."""
        if line.dead:
            return
        line.dead = True
        if line.ghost and line.status != "done":
            self.ghosts -= 1
        for c in line.children:
            self.kill(c)

    # -- unwinding ----------------------------------------------------------------------------------------------------
    def unwind(self, line, how, value):
        """return, break, continue or raise: down to the entry that takes it."""
        while True:
            k = line.k
            if k is None:
                if how == "return":
                    self.finish(line, "ok", value)
                elif how == "raise":
                    self.finish(line, "raise", value)
                else:
                    self.finish(line, "ok", None)         # continue out of an iteration's own line
                return
            kind = k.kind
            if kind == FOR or kind == WHILE:
                if how == "break":
                    line.k = k.up
                    return
                if how == "continue":
                    return
            elif kind == TRY:
                node = k.a
                line.k = k.up
                if how == "raise":
                    after = k.up
                    if node.finalbody:
                        after = K(FINAL, k.up, k.path + "f", k.up.tr if k.up else False, node.finalbody)
                    if self.handle(line, k, node, value, after):
                        return
                if node.finalbody:
                    self.run_final(line, k, node.finalbody, (how, value))
                    return
                continue
            elif kind == FINAL:
                line.k = k.up
                self.run_final(line, k, k.a, (how, value))
                return
            elif kind == HANDLER:
                line.exc = k.b
                if k.a:
                    frame = self.find_frame(line.frame, k.a)
                    line.store.own(frame).pop(k.a, None)
            elif kind == WITH:
                line.k = k.up
                if self.leave_with(line, k, how, value):
                    return
                continue
            elif kind == GEN:
                line.frame = k.b
                self.put(line, k.a, GenState([], None, True))
                line.k = k.up
                if how == "return":
                    return                                # exhausted: the loop below sees it
                continue
            line.k = k.up

    def run_final(self, line, k, body, outcome):
        tr = k.up.tr if k.up is not None else False
        path = k.path + "f"
        line.k = self.block(K(REDO, k.up, path, tr, outcome), body, path, tr)

    def handle(self, line, k, node, exc, after) -> bool:
        for i, h in enumerate(node.handlers):
            if h.type is not None:
                line.k = after
                try:
                    matches = self.exc_matches(exc, self.ev(line, h.type))
                except Poisoned:
                    matches = True
                if not matches:
                    continue
            self.enter_handler(line, k, h, exc, after, i)
            return True
        line.k = k.up
        return False

    def enter_handler(self, line, k, h, exc, after, i):
        tr = after.tr if after is not None else False
        path = k.path + "h" + component(i)
        if h.name:
            self.assign_name(line, h.name, exc)
        line.k = self.block(K(HANDLER, after, path, tr, h.name, line.exc), h.body, path, tr)
        line.exc = exc

    # -- steps --------------------------------------------------------------------------------------------------------
    def step_block(self, line, k):
        i = k.b
        stmts = k.a
        if i >= len(stmts):
            line.k = k.up
            return
        stmt = stmts[i]
        line.node, line.lineno = stmt, stmt.lineno
        line.path, line.seq = k.path + component(i), 0
        line.intry = k.tr
        if k.tr or (self.calls_may_catch and type(stmt) in WITH_CALLS) or (
                type(stmt) in COMPOUND and self.catches(stmt)) or (
                type(stmt) in SIMPLE and self.fact(effects_of, stmt).deep):
            line.mark = (k, line.store.freeze(), line.frame, line.path, 0, line.exc)
        else:
            line.mark = None
        line.k = K(BLOCK, k.up, k.path, k.tr, stmts, i + 1) if i + 1 < len(stmts) or k.up is None else k.up
        self.EXEC[type(stmt)](self, line, stmt) if type(stmt) in self.EXEC else self.unsupported(stmt)

    def unsupported(self, stmt):
        raise Poisoned(Unknown(f"{type(stmt).__name__} statements are not followed", stmt.lineno))

    def exec_expr(self, line, node):
        v = node.value
        if type(v) is ast.Yield:
            self.do_yield(line, self.ev(line, v.value) if v.value is not None else None)
        elif type(v) is ast.YieldFrom:
            self.yield_from(line, v)
        else:
            self.ev(line, v)

    def do_yield(self, line, value):
        if line.collect is not None and not self.in_generator(line):
            self.append(line, line.collect, value)
            return
        entries = []
        k = line.k
        while k is not None and k.kind != GEN:
            entries.append(k)
            k = k.up
        if k is None:
            raise Poisoned(Unknown("a yield that the scout cannot place"))
        self.put(line, k.a, GenState(entries[::-1], line.frame))
        line.frame = k.b
        line.k = k.up
        self.deliver(line, value)

    @staticmethod
    def in_generator(line):
        k = line.k
        while k is not None:
            if k.kind == GEN:
                return True
            k = k.up
        return False

    def yield_from(self, line, node):
        items = self.ev(line, node.value)
        if line.collect is not None and not self.in_generator(line):
            self.extend(line, line.collect, self.seq_of(line, items))
            return
        loop = self.yield_from_loop(node)
        name = loop.iter.id
        line.store.own(line.frame)[name] = items
        line.frame.locals is not None and line.frame.locals.update((name, loop.target.id))
        self.exec_for(line, loop)

    def deliver(self, line, value):
        """Hands a generator's item to the loop below it."""
        k = line.k
        line.path, line.seq = k.path + component(k.c), 0
        line.k = K(FOR, k.up, k.path, k.tr, k.a, k.b, k.c + 1)
        self.assign(line, k.a.target, value)
        line.k = self.block(line.k, k.a.body, line.path, k.tr)

    def exec_assign(self, line, node):
        v = node.value
        if type(v) in (ast.Yield, ast.YieldFrom) and line.collect is None:
            for t in node.targets:                        # x = yield y: nobody is known to send
                self.assign(line, t, Unknown("what is sent to a generator is not followed", node.lineno))
            self.exec_expr(line, node)
            return
        value = self.safe(line, v)
        if type(value) is Unknown:
            self.note(value.line or node.lineno, value.reason)
        for t in node.targets:
            self.assign(line, t, value)

    def exec_annassign(self, line, node):
        if node.value is not None:
            self.assign(line, node.target, self.safe(line, node.value))

    def exec_augassign(self, line, node):
        target, op = node.target, type(node.op)
        if type(target) is ast.Name:
            old = self.lookup(line, target.id)
            new = self.augmented(line, op, old, self.safe(line, node.value))
            self.assign_name(line, target.id, new)
        elif type(target) is ast.Subscript:
            obj = self.ev(line, target.value)
            index = self.ev_index(line, target.slice)
            if type(obj) is Fut:
                obj = self.take_over(line, target.value, obj, index) or obj
            old = self.get_item(line, obj, index)
            self.set_item(line, obj, index, self.augmented(line, op, old, self.safe(line, node.value)))
        elif type(target) is ast.Attribute:
            obj = self.ev(line, target.value)
            old = self.get_attr(line, obj, target.attr)
            self.set_attr(line, obj, target.attr, self.augmented(line, op, old, self.safe(line, node.value)))

    def augmented(self, line, op, old, value):
        if type(old) is Unknown:
            return old
        if type(value) is Unknown:
            return value
        if type(old) is Ref and op is ast.Add and old.kind == "list":
            self.extend(line, old, self.seq_of(line, value))
            return old
        if type(old) is Ref and old.kind in ("set", "dict", "counter", "odict") and op is ast.BitOr:
            if old.kind == "set":
                self.mutate(line, old, [value], lambda s, x: s.update(x), deep=True)
            else:
                self.update_dict(line, old, value)
            return old
        if type(old) is Ref and old.kind == "inst":
            f = self.class_attr(line, old.extra, "__i" + self.dunder_name(op)[2:])
            if f is not None:
                return self.call(line, f, [old, value], {})
        return self.binop(line, op, old, value)

    def exec_return(self, line, node):
        self.unwind(line, "return", self.safe(line, node.value) if node.value is not None else None)

    def exec_pass(self, line, node):
        pass

    def exec_break(self, line, node):
        self.unwind(line, "break", None)

    def exec_continue(self, line, node):
        self.unwind(line, "continue", None)

    def exec_delete(self, line, node):
        for t in node.targets:
            self.delete(line, t)

    def exec_assert(self, line, node):
        c = self.truth(line, self.ev(line, node.test))
        if c is False:
            raise ScoutRaise(AssertionError())
        if type(c) is Fut:
            def check(ctx, ok):
                if not ok:
                    raise ScoutRaise(AssertionError())
            self.when(line, [c], check)

    def exec_raise(self, line, node):
        if node.exc is None:
            if line.exc is None:
                raise ScoutRaise(RuntimeError("No active exception to reraise"))
            raise ScoutRaise(line.exc)
        exc = self.ev(line, node.exc)
        if node.cause is not None:
            self.safe(line, node.cause)
        raise ScoutRaise(self.make_exception(line, exc))

    def exec_global(self, line, node):
        pass

    # -- if, match ----------------------------------------------------------------------------------------------------
    def raises_only(self, body):
        return all(type(s) is not ast.Return for s in body)

    def exec_if(self, line, node):
        c = self.truth(line, self.ev(line, node.test))
        path, tr = line.path, self.tr(line)
        if type(c) is Unknown:
            self.unknown_if(line, node, c)
            return
        if type(c) is bool:
            arm = node.body if c else node.orelse
            if arm:
                line.k = self.block(line.k, arm, path + ("a" if c else "b"), tr)
            return
        leaving = self.leaves(node, self.collecting(line))
        if leaving:
            joined = self.join_rest(line, node)
            if joined is not None:
                node, leaving = joined, False
        self.fork(line, node, K(IF, line.k, path, tr, node, c), leaving)

    def join_rest(self, line, node):
        """`if c: ...; continue` with the rest of the loop's body behind it is an if with two arms: nothing leaves."""
        k = line.k
        if k is None or k.kind != BLOCK or not (k.up is None or k.up.kind in (FOR, WHILE)):
            at_end = k is not None and k.kind in (FOR, WHILE)
            if not at_end:
                return None
            rest = []
        else:
            rest = k.a[k.b:]
            if k.up is None and line.done is None:
                return None
        joined = self.fact(join_continue, node, tuple(rest))
        if joined is False or self.leaves(joined, self.collecting(line)):
            return None
        line.k = k.up if k.kind == BLOCK else k
        return joined

    def collecting(self, line):
        return line.collect is not None and not self.in_generator(line)

    def tr(self, line):
        return line.k.tr if line.k is not None else False

    def unknown_if(self, line, node, unknown):
        if self.speculate and line.generation < 2:
            for arm, side in ((node.body, "a"), (node.orelse, "b")):
                if arm:
                    self.spawn_ghost(line, line.k, arm, line.path + side, None, None)
        raise Poisoned(unknown)

    def fork(self, line, node, k, leaving):
        """`k` waits. If control may leave `node` the line waits with it, else it goes on beside it."""
        if leaving:
            line.k = k
            return
        sub = self.child(line, K(k.kind, None, k.path, False, k.a, k.b, k.c), node)
        out = self.run_child(line, sub, node)
        self.after_child(line, node, out)

    def after_child(self, line, node, out):
        if out is not None:
            if out[0] == "raise":
                raise ScoutRaise(out[1])
            if out[0] == "poison":
                self.lose(line, node, out[1])

    def step_if(self, line, k):
        node = k.a
        line.node, line.lineno = node, node.lineno
        c = self.unwrap(k.b)
        if type(c) is Unknown:
            line.k = k.up
            line.path = k.path
            self.unknown_if(line, node, c)
        if type(c) is not Fut:
            arm = node.body if c else node.orelse
            line.k = self.block(k.up, arm, k.path + ("a" if c else "b"), k.tr) if arm else k.up
            return
        guess = self.predict(node.body, node.orelse, line)
        if not self.may_guess(line):
            raise Blocked(c)
        base = line.store.freeze()
        entry = self.assume(line, c, guess, (k, base, line.frame, k.path, line.seq, line.exc))
        outside = line.scope
        line.scope = entry.guessed = Scope(outside, "branch", node.lineno)
        other = node.orelse if guess else node.body
        if other or self.leaves(node, False):
            self.spawn_ghost(line, k.up, other, k.path + ("b" if guess else "a"), c, not guess, outside)
        arm = node.body if guess else node.orelse
        line.k = self.block(k.up, arm, k.path + ("a" if guess else "b"), k.tr) if arm else k.up

    def predict(self, body, orelse, line):
        """Which arm is guessed: the one that does not leave."""
        def goes(arm):
            return self.leaves(arm, self.collecting(line)) or any(type(s) is ast.Raise for s in arm)
        return not (goes(body) and not goes(orelse))

    def may_guess(self, line):
        return self.speculate and self.turn_left > 2000 and \
            sum(1 for e in line.entries if e.open and e.expect is not None) < self.limits.window

    def spawn_ghost(self, line, up, arm, path, fut, expect, outside=None):
        """Guessing: a side line down the other way. It never becomes the main one; the calls that it finds do."""
        if line.generation >= 2 or self.ghosts >= self.limits.ghosts:
            return
        ghost = Line(None, Store(line.store.freeze()), line.frame, path)
        chained(ghost, line)
        ghost.k = self.block(up, arm, path, False) if arm else up
        ghost.ghost = ghost.guess = True
        ghost.generation = line.generation + 1
        ghost.left = [300]
        ghost.collect, ghost.node = line.collect, line.node
        ghost.done = None
        ghost.scope = Scope(outside or line.scope, "branch", line.lineno)
        line.children.append(ghost)
        self.ghosts += 1
        if fut is not None:
            self.assume(ghost, fut, expect, (ghost.k, ghost.store.base, ghost.frame, path, 0, ghost.exc))
        if line.done is not None:
            self.run(ghost)
        else:
            self.queue.append(lambda: self.run(ghost))
        return ghost

    def exec_match(self, line, node):
        subject = self.ev(line, node.subject)
        self.fork_match(line, node, subject)

    def fork_match(self, line, node, subject):
        pend = []
        try:
            self.plain_shape(subject, line.store, pend, 0)
        except Poisoned:
            pend = []
        k = K(MATCH, line.k, line.path, self.tr(line), node, subject, tuple(pend))
        if pend:
            self.fork(line, node, k, self.leaves(node, self.collecting(line)))
        else:
            line.k = k

    def step_match(self, line, k):
        node, subject = k.a, self.unwrap(k.b)
        line.node, line.lineno, line.path = node, node.lineno, k.path
        pend = []
        try:
            self.plain_shape(subject, line.store, pend, 0)
        except Poisoned:
            pend = []
        if pend:
            if self.may_guess(line):
                for i, case in enumerate(node.cases):
                    self.spawn_ghost(line, k.up, case.body, k.path + component(i), None, None)
            raise Blocked(pend[0])
        line.k = k.up
        for i, case in enumerate(node.cases):
            if not self.match(line, case.pattern, subject):
                continue
            if case.guard is not None:
                ok = self.truth(line, self.ev(line, case.guard))
                if type(ok) is Fut:
                    line.k = k
                    raise Blocked(ok)
                if ok is not True:
                    continue
            line.k = self.block(k.up, case.body, k.path + component(i), k.tr)
            return

    # -- loops --------------------------------------------------------------------------------------------------------
    def exec_for(self, line, node):
        it = self.ev(line, node.iter)
        collecting = self.collecting(line)
        leaving = self.breaks(node, collecting)
        iterator = self.iterate(line, it, stepwise=leaving)
        k = K(FOR, line.k, line.path, self.tr(line), node, iterator, 0)
        if leaving and not self.leaves(node, collecting):      # its own break: the loop may wait, what follows need not
            self.fork(line, node, k, False)
        else:
            line.k = k

    def step_for(self, line, k):
        node, it, n = k.a, k.b, k.c
        line.node, line.lineno, line.path, line.seq = node, node.lineno, k.path, 0
        line.intry = k.tr
        if k.tr or self.calls_may_catch or self.catches(node):
            line.mark = (k, line.store.freeze(), line.frame, k.path, 0, line.exc)
        if type(it) is Fut:
            it = self.unwrap(it)
            if type(it) is Fut:
                self.wait_loop(line, k, it)
                return
            it = self.iterate(line, it, stepwise=self.breaks(node, self.collecting(line)))
            if type(it) is Fut:
                line.k = K(FOR, k.up, k.path, k.tr, node, it, n)
                return
        if type(it) is Unknown:
            line.k = k.up
            raise Poisoned(it)
        if type(it) is Rope or type(it) is list:
            it = Items(it.parts if type(it) is Rope else it)
        if type(it) is Ref and it.kind == "gen":
            self.resume(line, k, it)
            return
        if type(it) is Ref:                               # an iterator over known items
            state = self.unwrap(line.store.get(it))
            if type(state) is Fut:
                line.k = k
                raise Blocked(state)
            if type(state) is Unknown:
                line.k = k.up
                raise Poisoned(state)
            if state is None:
                raise Poisoned(Unknown("an iterator that the scout lost"))
            items, i = state
            if i >= len(items):
                self.end_loop(line, k)
                return
            self.put(line, it, (items, i + 1))
            line.path = k.path + component(n)
            line.k = K(FOR, k.up, k.path, k.tr, node, it, n + 1)
            self.assign(line, node.target, self.unwrap(items[i]))
            self.iteration(line, node, k.tr)
            return
        if type(it) is Items:
            parts, i = it.parts, it.i
            if i >= len(parts):
                self.end_loop(line, k)
                return
            item, after = parts[i], Items(parts, i + 1)
        else:                                             # a list of ours, read live by index
            ref, i = it
            state = self.unwrap(line.store.get(ref))
            if type(state) is Unknown:
                line.k = k.up
                raise Poisoned(state)
            if type(state) is Rope:
                parts = state.parts[i:]
                line.k = K(FOR, k.up, k.path, k.tr, node, Items(parts), n)
                return
            if type(state) is Fut:
                tail = Fut((state,))
                self.resolve_tail(tail, state, i)
                line.k = K(FOR, k.up, k.path, k.tr, node, tail, n)
                return
            if i >= len(state):
                self.end_loop(line, k)
                return
            item, after = state[i], (ref, i + 1)
        if type(item) is Splice:
            inner = self.unwrap(item.fut)
            rest = it.parts[i + 1:]
            if type(inner) is Unknown:
                line.k = k.up
                raise Poisoned(inner)
            if type(inner) is not Fut:
                inner = inner.parts if type(inner) is Rope else inner
                line.k = K(FOR, k.up, k.path, k.tr, node, Items(list(inner) + rest), n)
                return
            if self.breaks(node, self.collecting(line)):
                self.wait_loop(line, k, inner)
                return
            line.k = K(FOR, k.up, k.path, k.tr, node, Items(rest), n + 1)
            stretch = self.fact(stretch_of, node)
            sub = self.child(line, K(FOR, None, k.path + component(n), False, stretch, item.fut, 0), stretch)
            self.after_child(line, node, self.run_child(line, sub, stretch))
            return
        line.path = k.path + component(n)
        line.k = K(FOR, k.up, k.path, k.tr, node, after, n + 1)
        try:
            item = self.unwrap(item)
        except ScoutRaise:
            raise
        self.assign(line, node.target, item)
        self.iteration(line, node, k.tr)

    def resolve_tail(self, fut, state, i):
        def ready():
            if state.state == 2:
                self.fail(fut, state.value)
                return
            s = state.value
            if type(s) is Unknown:
                self.resolve(fut, s)
                return
            parts = s.parts if type(s) is Rope else s
            self.resolve(fut, Rope(list(parts[i:])) if type(s) is Rope else list(parts[i:]))
        state.waiters.append(ready)

    def iteration(self, line, node, tr):
        path = line.path
        if self.fact(continues, node.body) and not self.breaks(node, self.collecting(line)):
            sub = self.child(line, self.block(None, node.body, path, False), node)
            sub.frame = line.frame
            self.after_child(line, node, self.run_child(line, sub, node.body))
        else:
            line.k = self.block(line.k, node.body, path, tr)

    def end_loop(self, line, k):
        line.k = self.block(k.up, k.a.orelse, k.path + "e", k.tr) if k.a.orelse else k.up

    def wait_loop(self, line, k, fut):
        """The iterable waits."""
        node = k.a
        if k.up is None or self.breaks(node, self.collecting(line)):
            if self.speculate and line.generation < 2:
                for alt in fut.alts or ():
                    try:
                        alt = self.iterate(line, alt, stepwise=True)
                    except (ScoutRaise, Poisoned):
                        continue
                    self.spawn_ghost(line, K(FOR, k.up, k.path, k.tr, node, alt, k.c), None, k.path, None, None)
            line.k = k
            raise Blocked(fut)
        line.k = k.up
        sub = self.child(line, K(FOR, None, k.path, False, node, k.b if type(k.b) is Fut else fut, k.c), node)
        self.after_child(line, node, self.run_child(line, sub, node))

    def exec_while(self, line, node):
        k = K(WHILE, line.k, line.path, self.tr(line), node, None, 0)
        if self.leaves(node, self.collecting(line)):
            line.k = k
        else:
            self.fork(line, node, k, False)

    def step_while(self, line, k):
        node, n = k.a, k.c
        line.node, line.lineno = node, node.lineno
        line.path, line.seq = k.path + component(n), 0
        line.intry = k.tr
        if k.tr or self.calls_may_catch or self.catches(node):
            line.mark = (k, line.store.freeze(), line.frame, k.path, 0, line.exc)
        line.k = k.up                                     # where a test that is lost leaves the line
        c = self.truth(line, self.ev(line, node.test))
        line.k = K(WTEST, k.up, k.path, k.tr, node, c, n)

    def step_wtest(self, line, k):
        node, n = k.a, k.c
        line.node, line.lineno = node, node.lineno
        c = self.unwrap(k.b)
        if type(c) is Unknown:
            line.k = k.up
            raise Poisoned(c)
        if type(c) is Fut:
            if not self.may_guess(line):
                raise Blocked(c)
            entry = self.assume(line, c, True, (k, line.store.freeze(), line.frame, k.path, line.seq, line.exc))
            outside = line.scope
            line.scope = entry.guessed = Scope(outside, "iteration", node.lineno)
            self.spawn_ghost(line, k.up, node.orelse, k.path + "e", c, False, outside)
            c = True
        if not c:
            self.end_loop(line, k)
            return
        again = K(WHILE, k.up, k.path, k.tr, node, None, n + 1)
        line.k = self.block(again, node.body, k.path + component(n) + "b", k.tr)

    # -- generators ---------------------------------------------------------------------------------------------------
    def resume(self, line, k, ref):
        """Runs a generator on top of the loop that asks for its next item."""
        state = self.unwrap(line.store.get(ref))
        if type(state) is Unknown:
            line.k = k.up
            raise Poisoned(state)
        if type(state) is Fut:
            line.k = k
            raise Blocked(state)
        if state.done:
            self.end_loop(line, k)
            return
        if line.depth > self.limits.depth:
            raise Poisoned(Unknown("generators nested too deeply"))
        up = K(GEN, k, k.path + component(k.c) + "g", k.tr, ref, line.frame)
        for e in state.entries:
            up = e.on(up)
        line.k, line.frame = up, state.frame

    def step_gen(self, line, k):
        """Its body came to the end."""
        line.frame = k.b
        self.put(line, k.a, GenState([], None, True))
        line.k = k.up

    # -- try, with ----------------------------------------------------------------------------------------------------
    def exec_try(self, line, node):
        path, tr = line.path, self.tr(line)
        k = K(TRY, line.k, path, tr or bool(node.handlers), node)
        if self.speculate and node.handlers and line.generation < 2:
            after = line.k
            if node.finalbody:
                after = K(FINAL, line.k, path + "f", tr, node.finalbody)
            for i, h in enumerate(node.handlers):
                self.handler_ghost(line, k, h, after, i)
        line.k = self.block(k, node.body, path + "t", k.tr)

    def handler_ghost(self, line, k, h, after, i):
        ghost = self.spawn_ghost(line, after, None, k.path + "h" + component(i), None, None) if not h.body else None
        if self.ghosts >= self.limits.ghosts or not any(isinstance(n, ast.Call) for s in h.body for n in ast.walk(s)):
            return
        ghost = Line(None, Store(line.store.freeze()), line.frame, k.path)
        chained(ghost, line)
        ghost.ghost = ghost.guess = True
        ghost.generation = line.generation + 1
        ghost.left = [300]
        ghost.collect, ghost.node = line.collect, line.node
        ghost.scope = Scope(line.scope, "handler", h.lineno)
        self.enter_handler(ghost, k, h, Unknown("the exception is not known yet", h.lineno), after, i)
        line.children.append(ghost)
        self.ghosts += 1
        self.queue.append(lambda: self.run(ghost))

    def step_try(self, line, k):
        """The body ended normally."""
        node = k.a
        up = k.up
        tr = up.tr if up is not None else False
        if node.finalbody:
            up = K(FINAL, up, k.path + "f", tr, node.finalbody)
        line.k = self.block(up, node.orelse, k.path + "e", tr) if node.orelse else up

    def step_final(self, line, k):
        line.k = self.block(k.up, k.a, k.path, k.tr)

    def step_redo(self, line, k):
        """A `finally` ended: what it interrupted goes on."""
        line.k = k.up
        self.unwind(line, *k.a)

    def step_handler(self, line, k):
        line.exc = k.b
        if k.a:
            frame = self.find_frame(line.frame, k.a)
            line.store.own(frame).pop(k.a, None)
        line.k = k.up

    def exec_with(self, line, node):
        self.enter_with(line, node, 0)

    def enter_with(self, line, node, i):
        if i == len(node.items):
            line.k = self.block(line.k, node.body, line.path + "w", self.tr(line))
            return
        item = node.items[i]
        manager = self.ev(line, item.context_expr)
        value, leave, catches = self.open_manager(line, manager)
        if item.optional_vars is not None:
            self.assign(line, item.optional_vars, value)
        line.k = K(WITH, line.k, line.path + component(i), self.tr(line) or catches, leave)
        self.enter_with(line, node, i + 1)

    def step_with(self, line, k):
        line.k = k.up
        k.a(line, "ok", None)

    def leave_with(self, line, k, how, value) -> bool:
        """True: the exception was swallowed."""
        if how != "raise":
            k.a(line, "ok", None)
            return False
        swallowed = self.truth(line, k.a(line, "raise", value))
        return swallowed is True

    # -- definitions --------------------------------------------------------------------------------------------------
    def exec_functiondef(self, line, node):
        f = self.make_func(line, node, node.name)
        value = f
        for d in reversed(node.decorator_list):
            value = self.decorate(line, d, value)
        self.assign_name(line, node.name, value)

    def exec_asyncfunctiondef(self, line, node):
        self.assign_name(line, node.name, Unknown("async functions are not followed", node.lineno))

    def exec_classdef(self, line, node):
        self.assign_name(line, node.name, self.make_class(line, node))

    def exec_import(self, line, node):
        for a in node.names:
            name = a.asname or a.name.split(".")[0]
            module = self.modules.get(a.name if a.asname else a.name.split(".")[0])
            if module is None:
                module = Unknown(f"module '{a.name}' is not one that the scout evaluates", node.lineno)
            self.assign_name(line, name, module)

    def exec_importfrom(self, line, node):
        module = self.modules.get(node.module or "")
        for a in node.names:
            if a.name == "*":
                raise Poisoned(Unknown("import * is not followed", node.lineno))
            v = module.members.get(a.name) if module is not None else None
            if v is None:
                v = Unknown(f"'{a.name}' of module '{node.module}' is not evaluated by the scout", node.lineno)
            self.assign_name(line, a.asname or a.name, v)

    STEP = {BLOCK: step_block, IF: step_if, FOR: step_for, WHILE: step_while, WTEST: step_wtest, TRY: step_try,
            FINAL: step_final, REDO: step_redo, HANDLER: step_handler, WITH: step_with, GEN: step_gen,
            MATCH: step_match, WAIT: step_wait}
    EXEC = {ast.Expr: exec_expr, ast.Assign: exec_assign, ast.AugAssign: exec_augassign,
            ast.AnnAssign: exec_annassign, ast.Return: exec_return, ast.Pass: exec_pass, ast.Break: exec_break,
            ast.Continue: exec_continue, ast.Delete: exec_delete, ast.Assert: exec_assert, ast.Raise: exec_raise,
            ast.Global: exec_global, ast.Nonlocal: exec_global, ast.If: exec_if, ast.Match: exec_match,
            ast.For: exec_for, ast.While: exec_while, ast.Try: exec_try, ast.With: exec_with,
            ast.FunctionDef: exec_functiondef, ast.AsyncFunctionDef: exec_asyncfunctiondef,
            ast.ClassDef: exec_classdef, ast.Import: exec_import, ast.ImportFrom: exec_importfrom}


WITH_CALLS = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.If, ast.For, ast.While, ast.With,
              ast.Try, ast.Match, ast.Assert)
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.AnnAssign)
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


def has_try(node):
    return any(isinstance(n, (ast.Try, ast.With)) for n in ast.walk(node))


def stretch_of(loop):
    """The loop without its `else`: for a stretch of its items."""
    return ast.copy_location(ast.For(target=loop.target, iter=loop.iter, body=loop.body, orelse=[],
                                     type_comment=None), loop)


def join_continue(node, rest):
    """The `if` with `rest` in the arm that does not end by `continue`; False if there is no such arm."""
    body, orelse = list(node.body), list(node.orelse)
    if type(body[-1]) is ast.Continue:
        body, orelse = body[:-1], orelse + list(rest)
    elif orelse and type(orelse[-1]) is ast.Continue:
        body, orelse = body + list(rest), orelse[:-1]
    else:
        return False
    return ast.copy_location(ast.If(test=node.test, body=body or [ast.copy_location(ast.Pass(), node)], orelse=orelse),
                             node)
