"""Statements."""
from __future__ import annotations

from .._own import __builtins__

import ast

from .control import (BLOCK, FINAL, FOR, GEN, HANDLER, IF, MATCH, REDO, TRY, WAIT, WHILE, WITH, WTEST, Blocked,
                      GenState, K)
from .effects import effects_of
from .flow import Line, Scope, chained, component
from .lines import Lines
from .loops import Loops
from .values import Fut, Poisoned, Ref, ScoutRaise, Store, Unknown


class Machine(Lines, Loops):
    """Mixin: what each statement does."""

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
                        after = K(FINAL, k.up, k.path + "d", k.up.tr if k.up else False, node.finalbody)
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
        path = k.path + "d"
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
        path = k.path + "b" + component(i)
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
        if stmt in self.skip:
            line.k = K(BLOCK, k.up, k.path, k.tr, stmts, i + 1) if i + 1 < len(stmts) or k.up is None else k.up
            self.leave_out(line, stmt)
            return
        if stmt in self.computing and line.patience is None and not k.tr and not line.base_try and \
                not self.leaves(stmt, self.collecting(line)):
            line.k = K(BLOCK, k.up, k.path, k.tr, stmts, i + 1) if i + 1 < len(stmts) or k.up is None else k.up
            line.mark = None
            sub = self.child(line, K(BLOCK, None, line.path, False, [stmt], 0), stmt)
            sub.patience = self.steps_left - self.limits.patience
            self.after_child(line, stmt, self.run_child(line, sub, stmt))
            return
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
            if not line.ghost:
                self.lost = True
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
        return self.speculate and self.turn_left > 2000 and self.guess_left > 0 and \
            sum(1 for e in line.entries if e.open and e.expect is not None) < self.limits.window

    def spawn_ghost(self, line, up, arm, path, fut, expect, outside=None):
        """Guessing: a side line down the other way. It never becomes the main one; the calls that it finds do."""
        if not self.may_wander(line):
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
            self.wander(ghost)
        else:
            self.queue.append(lambda: self.wander(ghost))
        return ghost

    def may_wander(self, line):
        """Whether a side line may be started from `line`."""
        return line.generation < 2 and self.ghosts < self.limits.ghosts and self.guess_left > 0

    def wander(self, ghost):
        before = self.steps_left
        self.run(ghost)
        self.guess_left -= before - self.steps_left

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

    # -- try, with ----------------------------------------------------------------------------------------------------
    def exec_try(self, line, node):
        path, tr = line.path, self.tr(line)
        k = K(TRY, line.k, path, tr or bool(node.handlers), node)
        if self.speculate and node.handlers and line.generation < 2:
            after = line.k
            if node.finalbody:
                after = K(FINAL, line.k, path + "d", tr, node.finalbody)
            for i, h in enumerate(node.handlers):
                self.handler_ghost(line, k, h, after, i)
        line.k = self.block(k, node.body, path + "a", k.tr)

    def handler_ghost(self, line, k, h, after, i):
        if not self.may_wander(line) or not any(isinstance(n, ast.Call) for s in h.body for n in ast.walk(s)):
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
        self.queue.append(lambda: self.wander(ghost))

    def step_try(self, line, k):
        """The body ended normally."""
        node = k.a
        up = k.up
        tr = up.tr if up is not None else False
        if node.finalbody:
            up = K(FINAL, up, k.path + "d", tr, node.finalbody)
        line.k = self.block(up, node.orelse, k.path + "c", tr) if node.orelse else up

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

    STEP = {BLOCK: step_block, IF: step_if, FOR: Loops.step_for, WHILE: Loops.step_while, WTEST: Loops.step_wtest,
            TRY: step_try,
            FINAL: step_final, REDO: step_redo, HANDLER: step_handler, WITH: step_with, GEN: Loops.step_gen,
            MATCH: step_match, WAIT: Lines.step_wait}
    EXEC = {ast.Expr: exec_expr, ast.Assign: exec_assign, ast.AugAssign: exec_augassign,
            ast.AnnAssign: exec_annassign, ast.Return: exec_return, ast.Pass: exec_pass, ast.Break: exec_break,
            ast.Continue: exec_continue, ast.Delete: exec_delete, ast.Assert: exec_assert, ast.Raise: exec_raise,
            ast.Global: exec_global, ast.Nonlocal: exec_global, ast.If: exec_if, ast.Match: exec_match,
            ast.For: Loops.exec_for, ast.While: Loops.exec_while, ast.Try: exec_try, ast.With: exec_with,
            ast.FunctionDef: exec_functiondef, ast.AsyncFunctionDef: exec_asyncfunctiondef,
            ast.ClassDef: exec_classdef, ast.Import: exec_import, ast.ImportFrom: exec_importfrom}


WITH_CALLS = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.If, ast.For, ast.While, ast.With,
              ast.Try, ast.Match, ast.Assert)
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.AnnAssign)
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.Match)


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

