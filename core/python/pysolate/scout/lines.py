"""Lines of scouting: how they run, wait, fork, assume and go back."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .control import BLOCK, WAIT, Blocked, K
from .effects import breaks, effects_of, leaves
from .flow import Line, chained
from .values import (COPIED, Fut, NeedsValue, OutOfFuel, OutOfTime, Poisoned, Ref, Rope, ScoutRaise, Splice, Store,
                     Unknown)


class Lines:
    """Mixin of the machine."""

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
            if line.patience is not None and line.patience >= 0 and (
                    self.steps_left < line.patience or self.deadline is not None and self.is_late()):
                self.step_aside(line)
                return
            if self.deadline is not None and self.nest == 0:
                back = (line.store.freeze(), line.frame, line.path, line.seq, line.exc, len(line.entries),
                        len(line.children), line.depth)
            try:
                self.nest += 1
                self.tick(1 + COPIED[0] // 64)
                COPIED[0] = 0
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

    def step_aside(self, line):
        """A computation that takes long goes on when what was found behind it has been started."""
        line.patience = -1                                # once: from now on only fuel and time end it
        gate = line.waits = Fut()
        line.status = "blocked"
        gate.waiters.append(lambda: self.wake(line, gate))
        self.queue.append(lambda: self.resolve(gate, None))

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
        line.dead, line.status, line.out = True, "done", ("poison", Unknown("a side line ended here"))
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
            self.finish(line, "poison", unknown)
            return False
        return True

    def lose(self, line, node, unknown):
        if not line.ghost:
            self.lost = True
            self.note(unknown.line or line.lineno, unknown.reason)
        if node is None:
            return
        names, refs, _ = self.targets(line, node)
        for frame, name in names:
            line.store.own(frame)[name] = unknown
        for ref in refs:
            self.put(line, ref, unknown)

    def leave_out(self, line, stmt):
        """Passes a statement that is not in the slice: what it binds is not known, what it changes nobody looks at."""
        for name in self.fact(effects_of, stmt).assigned:
            line.store.own(self.find_frame(line.frame, name))[name] = self.left_out

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
        if sub.status == "done" and sub.out[0] == "ok":
            sub.store.publish()
            sub.done.alts = [sub.out[1]]
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
                ln.store.publish()
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


def has_try(node):
    return any(isinstance(n, (ast.Try, ast.With)) for n in ast.walk(node))
