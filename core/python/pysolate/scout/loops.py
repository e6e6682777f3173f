"""Loops and generators: iterations side by side where control allows it, one after another where it does not."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .control import FOR, GEN, WHILE, WTEST, Blocked, GenState, Items, K
from .effects import continues
from .flow import Scope, component
from .values import Fut, Poisoned, Ref, Rope, ScoutRaise, Splice, Unknown


class Loops:
    """Mixin of the machine."""

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
        line.k = self.block(k.up, k.a.orelse, k.path + "~", k.tr) if k.a.orelse else k.up

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
            self.spawn_ghost(line, k.up, node.orelse, k.path + "~", c, False, outside)
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


def stretch_of(loop):
    """The loop without its `else`: for a stretch of its items."""
    return ast.copy_location(ast.For(target=loop.target, iter=loop.iter, body=loop.body, orelse=[],
                                     type_comment=None), loop)
