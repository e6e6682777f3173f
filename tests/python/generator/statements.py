"""Statements: assignments, branches, loops, handlers, effects. Each `s_NAME` writes one (compound) statement."""
from __future__ import annotations

import re

from . import stock
from .expressions import Expressions, quote

KINDS = ["text", "text", "text", "int", "int", "word", "word", "float", "bool", "any", "user", "order", "ticket", "hit",
         "pagerec", "label", ("list", "text"), ("list", "int"), ("list", "path"), ("list", "hit"), ("list", "word"),
         ("list", "node"), ("list", "uid"), ("list", "url"), ("list", "float"), ("list", "sku"), ("list", "user"),
         ("list", "any"), ("dict", "str", "int"), ("dict", "str", "text"), ("dict", "str", "any"), ("dict", "str", ("list", "int"))]
ELEMENTS = ["path", "sku", "url", "uid", "word", "text", "int", "hit", "node", "label", "city", "oid", "tid", "flake"]
TOOL_ERRORS = ["ConnectionError", "KeyError", "FileNotFoundError", "RuntimeError", "ValueError", "ZeroDivisionError",
               "IndexError", "TypeError", "OSError", "LookupError", "PermissionError", "AttributeError"]


class Statements(Expressions):
    # ---- bodies ------------------------------------------------------------------------------------------------------
    def body(self, n: int):
        """`n` statements at this place; what ends a suite comes last."""
        for _ in range(n):
            self.statement()

    def statement(self):
        p = self.place
        deep = p.depth >= 3
        loops = 0 if deep or self.mult > 12 else 1
        o = [
            (7, self.s_assign), (1.6, self.s_unpack), (1.5, self.s_augment), (3.0, self.s_print), (1.2, self.s_mutate),
            (2.2, self.s_effect), (0.7, self.s_expression), (0.5, self.s_alias), (0.6, self.s_same_again), (0.7, self.s_record),
            (0.35, self.s_delete), (0.3, self.s_assert), (0.5, self.s_walrus),
            (0 if deep else 2.6, self.s_if), (0 if deep else 2.0, self.s_try), (0 if deep else 0.7, self.s_match),
            (2.6 * loops, self.s_for), (2.0 * loops, self.s_accumulate), (0.9 * loops, self.s_while),
            (0.5 * loops, self.s_retry), (0 if deep else 0.5, self.s_with),
            (0.8 if p.loop and p.depth else 0, self.s_leave_loop),
            (0.6 if p.returns is not None and p.depth else 0, self.s_return),
            (1.2 if p.generator else 0, self.s_yield),
            (0.12, self.s_raise), (0.2, self.s_tool_table), (0.25, self.s_odd_call),
        ]
        self.weighted(o)()

    def assign(self, kind, d=3, name=None) -> str:
        """`name = <expression>`; the name is bound after it."""
        text = self.expr(kind, d)
        own = [v for v in self.of_kind(kind, own=True, writable=True)]
        if name is None and own and self.chance(0.15):
            name = self.choose(own).name
            self.out(f"{name} = {text}")
            return name
        name = name or self.fresh(kind)
        if isinstance(kind, str) and kind in ("int", "text") and self.chance(0.02):
            self.use("annotation")
            self.out(f"{name}: {'int' if kind == 'int' else 'str'} = {text}")
        else:
            self.out(f"{name} = {text}")
        self.bind(name, kind)
        return name

    # ---- simple ------------------------------------------------------------------------------------------------------
    def s_assign(self):
        self.assign(self.choose(KINDS))

    def s_unpack(self):
        self.use("unpacking")
        form = self.number(0, 6)
        if form == 0:
            k1, k2 = self.choose(KINDS), self.choose(KINDS)
            e1, e2 = self.expr(k1, 2), self.expr(k2, 2)
            a, b = self.fresh(k1), self.fresh(k2)
            self.out(f"{a}, {b} = {e1}, {e2}")
            self.bind(a, k1), self.bind(b, k2)
        elif form == 1:
            item = self.choose(["hit", "path", "text", "word", "int"])
            text = self.expr(("list", item), 2)
            a, rest = self.fresh(item), self.named("rest", "others", "tail")
            self.use("star")
            self.out(f"{a}, *{rest} = {text}")
            self.bind(a, item), self.bind(rest, ("list", item))
        elif form == 2:
            kind = self.choose(["text", "int", "word"])
            own = self.of_kind(kind, own=True, writable=True)
            if len({v.name for v in own}) < 2:
                return self.s_assign()
            a, b = self.rng.sample(sorted({v.name for v in own}), 2)
            self.use("swap")
            self.out(f"{a}, {b} = {b}, {a}")
        elif form == 3:
            item = self.choose(["text", "int", "word"])
            text = self.expr(("list", item), 2)
            a, last = self.fresh(item), self.fresh(item)
            self.use("star")
            self.out(f"{a}, *_, {last} = {text}")
            self.bind(a, item), self.bind(last, item)
        elif form == 4:
            k1, k2, k3 = "int", "text", "word"
            e = f"({self.expr(k1, 1)}, ({self.expr(k2, 2)}, {self.expr(k3, 2)}))"
            a, b, c = self.fresh(k1), self.fresh(k2), self.fresh(k3)
            self.out(f"{a}, ({b}, {c}) = {e}")
            self.bind(a, k1), self.bind(b, k2), self.bind(c, k3)
        elif form == 5:
            kind = self.choose([("list", "int"), ("list", "text"), "int", ("dict", "str", "int")])
            text = self.expr(kind, 2)
            a, b = self.fresh(kind), self.fresh(kind)
            self.use("aliasing")
            self.out(f"{a} = {b} = {text}")
            self.bind(a, kind), self.bind(b, kind)
        else:
            text = self.expr("order", 2)
            a, b = self.fresh("int"), self.fresh("text")
            self.out(f'{a}, {b} = ({text})["total"], {self.expr("text", 2)}')
            self.bind(a, "int"), self.bind(b, "text")

    def s_augment(self):
        self.use("augmented assignment")
        o = []
        for v in self.of_kind("int", own=True, writable=True)[-3:]:
            o.append(lambda v=v: f"{v.name} {self.choose(['+=', '-=', '+='])} {self.expr('int', 2)}")
        for v in self.of_kind("text", own=True, writable=True)[-2:]:
            o.append(lambda v=v: f"{v.name} += ({self.expr('str', 2)})[:40]")
        for item in ("text", "int", "word", "path"):
            for v in self.of_kind(("list", item), own=True, writable=True)[-1:]:
                o.append(lambda v=v, item=item: f"{v.name} += {self.literal_of(item)}")
        for v in self.of_kind(("dict", "str", "int"))[-1:]:
            o.append(lambda v=v: f"{v.name}[{self.expr('word', 1)}] = {self.expr('int', 2)}")
        if not o:
            name = self.fresh("int")
            self.out(f"{name} = {self.number(0, 3)}")
            self.bind(name, "int")
            o.append(lambda: f"{name} += {self.expr('int', 2)}")
        self.out(self.choose(o)())

    def literal_of(self, item):
        return "[" + ", ".join(self.expr(item, 2) for _ in range(self.number(1, 2))) + "]"

    def s_print(self):
        form = self.number(0, 7)
        visible = [v for v in self.vars if isinstance(v.kind, str) or v.kind[0] in ("list", "dict", "pair")]
        if form == 0 or not visible:
            self.out(f"print({self.expr('text', 2)})")
        elif form <= 3:
            names = [v.name for v in visible[-5:]]
            chosen = list(dict.fromkeys(self.choose(names) for _ in range(self.number(1, 3))))
            self.out(f"print({quote(self.choose(['got', 'now', '->', 'so far']))}, {', '.join(chosen)})")
        elif form == 4:
            self.out(f"print({self.e_fstring(2, 2)})")
        elif form == 5:
            lists = [v for v in visible if isinstance(v.kind, tuple) and v.kind[0] == "list"]
            if not lists:
                self.out(f"print({self.choose(visible).name})")
            else:
                self.out(f'print(*{self.choose(lists).name}, sep="; ")')
        elif form == 6:
            self.need("import json")
            v = self.choose(visible)
            self.out(f"print(json.dumps({v.name}, default=str)[:200])")
        else:
            self.out(f"print({self.expr('int', 2)}, {self.expr('word', 2)})")

    def s_mutate(self):
        """Change a list or dict in place: often one that came out of a call or went into one."""
        self.use("mutation")
        o = []
        for v in self.vars[-12:]:
            if not isinstance(v.kind, tuple):
                if v.kind in ("hit", "user", "order", "ticket"):
                    field = self.choose(list(stock.RECORDS[v.kind]))
                    kind = stock.RECORDS[v.kind][field]
                    o.append(lambda v=v, f=field, k=kind: f'{v.name}["{f}"] = {self.expr(k, 1)}')
                    o.append(lambda v=v: f'{v.name}.update(extra={self.number(1, 9)})')
                continue
            if v.kind[0] == "list":
                item = v.kind[1]
                o += [lambda v=v, i=item: f"{v.name}.append({self.expr(i, 2)})",
                      lambda v=v: f"{v.name}.reverse()", lambda v=v: f"del {v.name}[1:]",
                      lambda v=v, i=item: f"{v.name}.insert(0, {self.expr(i, 1)})",
                      lambda v=v, i=item: f"{v.name}[:1] = [{self.expr(i, 1)}]",
                      lambda v=v, i=item: f"{v.name}.extend({self.expr(('list', i), 1)}[:3])"]
                if item in stock.STRINGS or item == "int":
                    o.append(lambda v=v, i=item: f"{v.name}.sort({self.sort_key(i, 1).lstrip(', ')})")
                if self.chance(0.4):
                    o.append(lambda v=v: f"{v.name}.pop()")
                if self.chance(0.15):
                    o.append(lambda v=v: f"{v.name}.clear()")
            elif v.kind[0] == "dict":
                o += [lambda v=v: f'{v.name}["new"] = {self.expr(v.kind[2], 2)}',
                      lambda v=v: f'{v.name}.pop("total", None)',
                      lambda v=v: f'{v.name}.setdefault("seen", {self.expr(v.kind[2], 1)})',
                      lambda v=v: f"{v.name}.update({self.expr(v.kind, 1)})"]
        if not o:
            return self.s_accumulate()
        self.out(self.choose(o)())

    def s_effect(self):
        """An external write or an open read, at a price."""
        if not self.afford():
            return self.s_print()
        self.pay()
        kind = self.number(0, 9)
        if kind <= 3:
            key = self.choose(['"audit/1"', '"report"', f'f"row/{{{self.in_f(self.expr("int", 0), "1")}}}"'])
            if self.chance(0.05):
                key = '"readonly/x"'
            value = self.expr(self.choose(["int", "text", ("list", "int"), ("dict", "str", "int"), "any", "float", "user"]), 2)
            if self.chance(0.06):
                value = "{" + f'"at": {self.expr("int", 1)}, "tags": [{self.expr("word", 1)}]' + "}"
            if self.chance(0.02):
                value = self.choose(["{1, 2}", "object()", "lambda: 0", 'float("nan")', "b'raw'"])
            self.out(f"db_write({key}, {value})")
        elif kind <= 5:
            text = f"send_email({self.expr('addr', 1)}, {self.expr('word', 1)}, {self.expr('text', 2)})"
            self.keep_or_drop(text, "word")
        elif kind <= 7:
            amount = self.choose([f"{self.number(1, 90)}", f"{self.expr('int', 1)} + 1", f"abs({self.expr('int', 2)}) + 5",
                                  f"{self.expr('int', 1)}"])
            self.keep_or_drop(f"pay({self.expr('account', 1)}, {amount})", "word")
        else:
            self.keep_or_drop(self.c_price(1), "float")

    def keep_or_drop(self, text, kind):
        if self.chance(0.5):
            self.out(text)
        else:
            name = self.fresh(kind)
            self.out(f"{name} = {text}")
            self.bind(name, kind)

    def s_expression(self):
        """A call whose value nobody uses: it still raises at its own statement."""
        self.use("unused value")
        self.out(self.expr(self.choose(["text", "word", "int", "user", ("list", "path")]), 2))

    def s_alias(self):
        name = self.choose(["workspace.read_text", "fetch", "search", "classify", "lookup", "flaky", "summarize"])
        self.use("tool alias")
        if name == "lookup" and self.chance(0.6):
            table, key = self.choose([("prices", "sku"), ("stock", "sku"), ("users", "uid"), ("graph", "node"), ("orders", "oid")])
            alias = self.named(f"get_{table}", f"{table}_of")
            if self.chance(0.5):
                self.need("import functools")
                self.out(f'{alias} = functools.partial(lookup, "{table}")')
            else:
                self.out(f'{alias} = lambda {key}: lookup("{table}", {key})')
            self.bind(alias, ("partial", table), True)
            return
        alias = self.named("read", "get", "ask", "load", "find")
        form = self.number(0, 3)
        if form == 0 and "." in name:
            self.out(f'{alias} = getattr(workspace, "{name.split(".")[1]}")')
        elif form == 1 and "." not in name:
            self.out(f'{alias} = globals()["{name}"]')
        else:
            self.out(f"{alias} = {name}")
        self.bind(alias, ("alias", name), True)

    def s_same_again(self):
        """The same call twice, with the first result changed in between."""
        if not self.afford(2):
            return self.s_print()
        self.pay(2)
        self.use("same call again")
        kind, text = self.choose([
            (("list", "hit"), lambda: self.c_search(1)), ("user", lambda: self.c_lookup("uid", "user", 1)),
            (("list", "uid"), lambda: self.c_lookup("team", ("list", "uid"), 1)),
            (("list", "path"), lambda: f"workspace.glob({self.expr('pattern', 1)})"),
            ("order", lambda: self.c_lookup("oid", "order", 1)), (("list", "float"), lambda: f"embed({self.expr('text', 1)})"),
        ])
        text = text()
        a = self.fresh(kind)
        self.out(f"{a} = {text}")
        self.bind(a, kind)
        if self.chance(0.8):
            if isinstance(kind, tuple):
                self.out(self.choose([f"{a}.append({a}[0])", f"{a}.clear()", f"{a}[:] = {a}[::-1]", f"{a}.pop()"]))
            else:
                self.out(f'{a}["{self.choose(list(stock.RECORDS[kind]))}"] = "EDITED"')
        b = self.fresh(kind)
        self.out(f"{b} = {text}")
        self.bind(b, kind)
        self.out(f"print({a} == {b}, {a} is {b}, len({b}))")

    def s_record(self):
        """An object goes into a call and is changed right after: the call has seen it as it was."""
        if not self.afford(2):
            return self.s_print()
        self.pay(2)
        self.use("argument changed after the call")
        name = self.named("record", "payload", "state_of_run", "options")
        form = self.number(0, 3)
        if form == 0:
            self.out(f'{name} = {{"n": {self.expr("int", 2)}, "tags": [{self.expr("word", 1)}]}}')
            self.out(f'db_write("state/1", {name})')
            self.out(self.choose([f'{name}["tags"].append({self.expr("word", 2)})', f"{name}.clear()", f'{name}["n"] += {self.expr("int", 1)}']))
            self.out(f'db_write("state/2", {name})')
        elif form == 1:
            self.out(f"{name} = {self.expr(('list', 'int'), 2)}")
            self.out(f"{name} = list({name})")
            self.out(f'db_write("list", {name})')
            self.out(self.choose([f"{name}.append({self.expr('int', 2)})", f"{name}.reverse()", f"{name}[:] = []", f"{name} += [0]"]))
            self.bind(name, ("list", "int"))
        elif form == 2:
            self.out(f'{name} = [{quote(self.choose(stock.LITERALS["label"]))}, "other"]')
            a, b = self.fresh("word"), self.fresh("word")
            text = self.expr("text", 2)
            self.out(f"{a} = classify({text}, {name})")
            self.out(self.choose([f'{name}.insert(0, "docs")', f"{name}[0] = {self.expr('word', 1)}", f"{name}.pop()", f'{name}[:] = ["only"]']))
            self.out(f"{b} = classify({text}, {name})")
            self.bind(a, "word"), self.bind(b, "word"), self.bind(name, ("list", "label"))
            self.out(f"print({a}, {b}, {name})")
        else:
            self.out(f"{name} = {{}}")
            with self.block(f"for step_key in {self.literal_list('sku')}:", loop=True, times=2):
                self.bind("step_key", "sku", True)
                self.out(f"{name}[step_key] = {self.about('step_key', 'sku', 'int', 2)}")
                self.out(f'db_write("progress", {name})')
            self.bind(name, ("dict", "str", "int"))

    def s_delete(self):
        own = self.of_kind("int", own=True, writable=True) + self.of_kind("text", own=True, writable=True)
        if not own:
            return self.s_assign()
        v = self.choose(own)
        self.use("del")
        self.out(f"del {v.name}")
        self.unbind(v.name)
        if self.chance(0.35) and self.place.depth < 3:
            with self.block("try:"):
                self.out(f"print({v.name})")
            with self.block("except NameError as err:"):
                self.out("print(type(err).__name__, err)")
        elif self.chance(0.8):
            self.assign(v.kind, 2, v.name)

    def s_assert(self):
        self.use("assert")
        condition = f"{self.expr('int', 2)} >= 0" if self.chance(0.9) else self.expr("bool", 2)
        message = f", {self.expr('text', 2)}" if self.chance(0.5) else ""
        self.out(f"assert {condition}{message}")

    def s_walrus(self):
        self.use("walrus")
        kind = self.choose(["int", "word", "text", ("list", "hit")])
        text = self.expr(kind, 2)
        name = self.fresh(kind)
        test = {"int": f"({name} := {text}) > {self.number(0, 8)}"}.get(kind, f"{name} := {text}")
        with self.block(f"if {test}:"):
            self.bind(name, kind)
            self.body(self.number(1, 2))
        self.bind(name, kind)

    def s_raise(self):
        self.use("raise")
        text = self.in_f(self.expr("int", 1), "3")
        self.out(self.choose([
            f'raise ValueError(f"bad value {{{text}}}")', f"raise RuntimeError({self.expr('text', 2)})",
            f"raise KeyError({self.expr('word', 1)})", 'raise SystemExit("stopped")', "raise LookupError"]))

    def s_return(self):
        if self.place.generator:
            self.out("return")
        else:
            self.out(f"return {self.expr(self.place.returns, 2)}")

    def s_yield(self):
        self.out(f"yield {self.expr(self.place.returns, 2)}")

    def s_leave_loop(self):
        word = self.choose(["break", "continue"])
        self.use(word)
        with self.block(f"if {self.expr('bool', 2)}:"):
            if self.chance(0.3):
                self.s_print()
            self.out(word)

    def s_tool_table(self):
        """Tools as values: in a dict, passed around, called by a computed name."""
        if not self.afford(2):
            return self.s_print()
        self.pay(2)
        self.use("tools as values")
        table = self.named("actions", "steps", "handlers")
        self.out(f'{table} = {{"read": workspace.read_text, "get": fetch, "up": flaky}}')
        form = self.number(0, 2)
        if form == 0:
            self.out(f'print({table}["up"]({self.expr("flake", 1)}), {table}["read"]({self.expr("path", 1)})[:20])')
        elif form == 1:
            f, arg = self.named("action", "step"), self.named("arg", "what")
            with self.block(f'for {f}, {arg} in [("up", {self.expr("flake", 1)}), ("get", {self.expr("url", 1)})]:'):
                self.out(f"print({f}, {table}[{f}]({arg})[:25])")
        else:
            self.out(f"print([{table}[k].__name__ for k in sorted({table})], {table}['up'])")

    def s_odd_call(self):
        """Calls in places or ways that few expect."""
        self.use("odd call")
        if not self.afford(2):
            return self.s_print()
        self.pay(2)
        form = self.number(0, 9)
        if form == 0:
            self.out(f"print(eval('lookup(\"prices\", \"sku-{self.number(1, 4)}\")'))")
        elif form == 1:
            name = self.named("made", "built")
            self.out(f"exec('{name} = flaky(\"{self.choose(['ok', 'alpha'])}\")')")
            self.out(f"print(globals().get('{name}'), locals().get('{name}'))")
        elif form == 2:
            args = self.named("args", "params")
            self.out(f'{args} = {{"table": "{self.choose(["prices", "stock"])}", "key": {self.expr("sku", 1)}}}')
            self.out(f"print(lookup(**{args}))")
        elif form == 3:
            args = self.named("args", "params")
            self.out(f'{args} = ["weights", "w{self.number(0, 59)}"]')
            self.out(f"print(lookup(*{args}), {args}.pop())")
        elif form == 4:
            self.out(f"print({self.expr('bool', 1)} and {self.c_flaky(1)} or {self.expr('text', 2)})")
        elif form == 5:
            self.out(f"print({{{self.c_flaky(1)}: {self.c_lookup('sku', 'int', 1)}}}[{self.expr('flake', 0)}.upper()])")
        elif form == 6:
            self.out(f"print(str({self.c_lookup('sku', 'int', 1)}).zfill({self.c_lookup('sku', 'int', 1)} % 7))")
        elif form == 7:
            bad = self.choose(["fetch()", 'summarize("text", size=3)', "lookup('prices')", "classify('a', {'b'})",
                               "search(object())", "math_eval('1', 2)", "fetch(42)", 'lookup("nowhere", 1)', "lookup('prices', [1])"])
            with self.block("try:"):
                self.out(f"print({bad})")
            with self.block("except Exception as err:"):
                self.out("print(type(err).__name__, err)")
        elif form == 8:
            self.out(f"print([*{self.c_search(1)}][{self.c_lookup('sku', 'int', 1)} % 2:])")
        else:
            with self.block(f"if {self.number(0, 3)} <= {self.c_lookup('sku', 'int', 1)} < {self.c_math(1)}:"):
                self.s_print()

    # ---- branches ----------------------------------------------------------------------------------------------------
    def s_if(self):
        self.use("if")
        before = len(self.vars)
        shared = None
        if self.chance(0.5):       # a name that both arms bind
            kind = self.choose(["text", "int", "word", ("list", "int")])
            shared = (self.fresh(kind), kind)
        with self.block(f"if {self.expr('bool', 3)}:"):
            self.body(self.number(1, 2))
            if shared:
                self.out(f"{shared[0]} = {self.expr(shared[1], 2)}")
        if self.chance(0.25):
            self.use("elif")
            with self.block(f"elif {self.expr('bool', 2)}:"):
                self.body(self.number(1, 2))
                if shared:
                    self.out(f"{shared[0]} = {self.expr(shared[1], 2)}")
        if shared or self.chance(0.5):
            with self.block("else:"):
                if not shared or self.chance(0.4):
                    self.body(1)
                if shared:
                    self.out(f"{shared[0]} = {self.expr(shared[1], 2)}")
        assert len(self.vars) <= before + 1 or True
        if shared:
            self.bind(*shared)

    def s_match(self):
        self.use("match")
        form = self.number(0, 3)
        if form == 0:
            with self.block(f"match {self.expr('any', 2)}:"):
                with self.block("case None:"):
                    self.out('print("nothing")')
                with self.block("case int() | float() as number if number:"):
                    self.bind("number", "int", True)
                    self.body(1)
                with self.block("case str(text_value):"):
                    self.bind("text_value", "text", True)
                    self.body(1)
                with self.block("case _:"):
                    self.body(1)
        elif form == 1:
            if not self.afford():
                return self.s_if()
            self.pay()
            with self.block(f"match lookup(\"events\", {self.expr('eid', 1)}):"):
                with self.block('case {"type": "purchase", "sku": sku, "n": n}:'):
                    self.bind("sku", "sku", True), self.bind("n", "int", True)
                    self.body(self.number(1, 2))
                with self.block('case {"type": "refund", "amount": amount} if amount > 10:'):
                    self.bind("amount", "int", True)
                    self.s_effect()
                with self.block('case {"type": kind, **rest}:'):
                    self.out("print(kind, rest)")
                with self.block("case [first, *others]:"):
                    self.out("print(first, others)")
        elif form == 2:
            with self.block(f"match {self.expr(('list', self.choose(['path', 'word', 'int'])), 2)}:"):
                with self.block("case []:"):
                    self.out('print("empty")')
                with self.block("case [only]:"):
                    self.out('print("one", only)')
                with self.block("case [head, *tail_items]:"):
                    self.out("print(head, len(tail_items))")
                    self.body(1)
        else:
            with self.block(f"match {self.expr('order', 2)}[\"status\"], {self.expr('int', 1)}:"):
                with self.block('case "paid" | "new", amount_due if amount_due > 3:'):
                    self.bind("amount_due", "int", True)
                    self.body(1)
                with self.block("case status_word, _:"):
                    self.bind("status_word", "word", True)
                    self.body(1)

    # ---- loops -------------------------------------------------------------------------------------------------------
    def loop_head(self, kind):
        """-> (target, iterable, [(name, kind)])"""
        x = self.fresh(kind)
        form = self.number(0, 9)
        if form <= 5:
            return x, self.expr(("list", kind), 2), [(x, kind)]
        if form == 6:
            i = self.named("i", "k", "pos", "row")
            self.use("enumerate")
            return f"{i}, {x}", f"enumerate({self.expr(('list', kind), 2)}{self.choose(['', ', 1'])})", [(i, "int"), (x, kind)]
        if form == 7:
            other = self.choose(ELEMENTS)
            y = self.fresh(other)
            self.use("zip")
            return f"{x}, {y}", f"zip({self.expr(('list', kind), 1)}, {self.expr(('list', other), 2)})", [(x, kind), (y, other)]
        if form == 8:
            value = self.choose(["int", "text"])
            k, v = self.named("k", "key", "name"), self.fresh(value)
            return f"{k}, {v}", f"{self.expr(('dict', 'str', value), 2)}.items()", [(k, "word"), (v, value)]
        return x, f"{self.choose(['reversed', 'sorted'])}({self.expr(('list', 'word' if kind in ('hit',) else kind), 1)})" if kind in stock.STRINGS else \
            self.expr(("list", kind), 1), [(x, kind)]

    def s_for(self):
        self.use("for" if self.mult == 1 else "nested for")
        kind = self.choose(ELEMENTS)
        target, seq, names = self.loop_head(kind)
        start = len(self.lines)
        with self.block(f"for {target} in {seq}:", loop=True, times=3):
            for name, k in names:
                self.bind(name, k)
            self.body(self.number(1, 3))
        self.loop_else(start)

    def loop_else(self, start):
        broke = any(re.match(r"\s+break$", line) for line in self.lines[start:])
        if self.chance(0.5 if broke else 0.08):
            self.use("loop else")
            with self.block("else:"):
                self.body(1)

    def s_accumulate(self):
        """The loop that everyone writes: start empty, add while going, use afterwards."""
        self.use("accumulator")
        shape = self.choose(["append", "append", "dict", "dict", "count", "text", "default", "set"])
        value = self.choose(["text", "int", "word"])
        if shape == "append":
            kind, start = ("list", value), "[]"
        elif shape == "dict":
            kind, start = ("dict", "str", value), "{}"
        elif shape == "count":
            kind, start = "int", "0"
        elif shape == "text":
            kind, start = "text", '""'
        elif shape == "default":
            self.need("from collections import defaultdict")
            self.use("collections")
            kind, start = ("dict", "str", "int"), "defaultdict(int)"
        else:
            kind, start = ("set", value), "set()"
        name = self.fresh(kind)
        self.out(f"{name} = {start}")
        item = self.choose(ELEMENTS)
        target, seq, names = self.loop_head(item)
        x = names[-1][0]
        with self.block(f"for {target} in {seq}:", loop=True, times=3):
            for n, k in names:
                self.bind(n, k)
            if self.chance(0.35):
                self.body(1)
            if self.chance(0.3):
                self.s_leave_loop()
            if self.chance(0.2):
                self.bind(name, kind)       # the accumulator itself may feed a call
            element = "int" if kind == "int" else "str" if kind == "text" else value
            text = self.about(x, names[-1][1], element, 2)
            if shape == "append":
                self.out(f"{name}.append({text})" if self.chance(0.8) else f"{name} += [{text}]")
            elif shape == "dict":
                key = x if item in stock.STRINGS else f"str({x})"
                self.out(f"{name}[{key}] = {text}" if self.chance(0.8) else f"{name}.setdefault({key}, {text})")
            elif shape == "default":
                self.out(f"{name}[{self.expr('word', 1)}] += {self.expr('int', 2)}")
            elif shape == "set":
                self.out(f"{name}.add({text})")
            else:
                self.out(f"{name} += {text}" if shape == "count" else f"{name} += ({text})[:50]")
        if shape == "set":
            ordered = self.named("ordered", "unique")
            self.out(f"{ordered} = sorted({name})")
            self.bind(ordered, ("list", value))
        else:
            self.bind(name, kind)
        if self.chance(0.5):
            self.out(f"print({name if shape != 'set' else ordered})")

    def s_while(self):
        self.use("while")
        form = self.number(0, 4)
        start = len(self.lines)
        if form == 0:       # counting
            n = self.named("turn", "step_no", "i")
            self.out(f"{n} = 0")
            with self.block(f"while {n} < {self.number(2, 4)}:", loop=False, times=3):
                self.out(f"{n} += 1")
                self.bind(n, "int", True)
                self.place.loop = True
                self.body(self.number(1, 2))
        elif form == 1:     # pages until there is no next one
            if not self.afford(3):
                return self.s_print()
            self.pay(3)
            key, count = self.named("page_key", "cursor"), self.named("pages_seen", "rounds")
            self.out(f'{key}, {count} = {self.expr("page", 0)}, 0')
            with self.block(f"while {key} and {count} < 6:", loop=True, times=3):
                rec = self.fresh("pagerec")
                self.out(f'{rec} = lookup("pages", {key})')
                self.bind(rec, "pagerec")
                self.out(f"{count} += 1")
                self.body(1)
                self.out(f'{key} = {rec}["next"]')
        elif form == 2:     # a queue over a graph
            if not self.afford(5):
                return self.s_print()
            self.pay(5)
            todo, seen = self.named("todo", "queue", "stack"), self.named("visited", "done")
            deque = self.chance(0.4)
            if deque:
                self.need("from collections import deque")
                self.use("collections")
            self.out(f"{todo}, {seen} = {'deque' if deque else ''}([{self.expr('node', 0)}]), []")
            with self.block(f"while {todo} and len({seen}) < {self.number(3, 7)}:", loop=True, times=3):
                v = self.fresh("node")
                self.out(f"{v} = {todo}.{'popleft()' if deque else self.choose(['pop()', 'pop(0)'])}")
                self.bind(v, "node", True)
                with self.block(f"if {v} in {seen}:"):
                    self.out("continue")
                self.out(f"{seen}.append({v})")
                if self.chance(0.4):
                    self.body(1)
                self.out(f'{todo}.extend(lookup("graph", {v}))')
            self.bind(seen, ("list", "node"))
        elif form == 3:     # until found
            n = self.named("number", "issue_no", "page_no")
            self.out(f"{n} = 1")
            if not self.afford(3):
                return
            self.pay(3)
            with self.block("while True:", loop=True, times=3):
                got = self.fresh(("list", "text"))
                self.out(f'{got} = lookup("issues", {n})')
                self.bind(got, ("list", "text"))
                with self.block(f"if not {got} or {n} >= {self.number(2, 5)}:"):
                    self.out("break")
                if self.chance(0.6):
                    body_start = len(self.lines)
                    self.body(1)
                    self.no_skip(body_start)
                self.out(f"{n} += 1")
            self.bind(n, "int")
        else:               # poll an open read
            if not self.afford(4):
                return self.s_print()
            self.pay(4)
            first, looks = self.named("start_price", "base"), self.named("looks", "polls")
            self.out(f"{first}, {looks} = {self.c_price(1)}, 0")
            with self.block(f"while {self.choose(['now_price(' + quote('ACME') + ')', self.c_price(0)])} < {first} + {self.choose(['0.02', '0.3', '5'])}:", loop=False):
                self.out(f"{looks} += 1")
                with self.block(f"if {looks} >= {self.number(2, 5)}:"):
                    self.out("break")
                if self.chance(0.3):
                    self.s_effect()
            self.bind(looks, "int")
        self.loop_else(start)

    def no_skip(self, start):
        """In a loop that counts at its end, nothing may skip the counting."""
        for i in range(start, len(self.lines)):
            if self.lines[i].strip() == "continue":
                self.lines[i] = self.lines[i].replace("continue", "break")

    def s_retry(self):
        if not self.afford(3):
            return self.s_print()
        self.pay(3)
        self.use("retry loop")
        attempt, got = self.named("attempt", "trial"), self.fresh("word")
        error = self.choose(["RuntimeError", "Exception", "(RuntimeError, OSError)"])
        self.out(f"{got} = None")
        names = self.rng.sample(["bad-1", "missing-1", "ok", "evil-2", "beta"], 3)
        target = self.choose([f'f"{{["bad", "missing", "cart"][{attempt}]}}-{{{attempt}}}"'.replace('["bad", "missing", "cart"]', "['bad', 'missing', 'cart']"),
                              f"{names}[{attempt}]", quote(self.choose(["bad-db", "ok"]))])
        with self.block(f"for {attempt} in range(3):", loop=True, times=2):
            self.bind(attempt, "int", True)
            with self.block("try:"):
                self.out(f"{got} = flaky({target})")
                if self.chance(0.4):
                    self.body(1)
                self.out("break")
            with self.block(f"except {error} as err:"):
                self.out(f"print(\"attempt\", {attempt}, err)")
                if self.chance(0.3):
                    self.s_effect()
                if self.chance(0.2):
                    with self.block(f"if {attempt} == 2:"):
                        self.out("raise")
        if self.chance(0.5):
            with self.block("else:"):
                self.out(self.choose([f'{got} = "gave up"', f"{got} = {self.expr('word', 1)}"]))
        self.out(f"print({got})")

    # ---- errors ------------------------------------------------------------------------------------------------------
    def failing(self) -> str:
        """A call that raises, or may."""
        self.pay()
        kind = self.choose(["path", "url", "sku", "uid", "flake", "flake", "oid", "dir", "account", "addr"])
        arg = quote(self.choose(stock.BROKEN[kind]))
        return {"path": f"workspace.read_text({arg})", "url": f"fetch({arg})", "sku": f'lookup("stock", {arg})',
                "uid": f'lookup("users", {arg})', "flake": f"flaky({arg})", "oid": f'lookup("orders", {arg})',
                "dir": f"workspace.list({arg})", "account": f"pay({arg}, 5)",
                "addr": f'send_email({arg}, "hi", {self.expr("text", 1)})'}[kind]

    def s_try(self):
        self.use("try")
        kind = self.choose(["text", "word", "int"])
        name = self.fresh(kind) if self.chance(0.6) else None
        before = len(self.vars)
        with self.block("try:"):
            if self.chance(0.4):
                self.body(1)
            if self.chance(0.55):
                text = self.failing()
                self.out(f"{name} = {text}" if name and self.chance(0.7) else text)
            if name:
                self.out(f"{name} = {self.expr(kind, 3)}")
            if self.chance(0.35):
                self.body(1)
        handlers = self.chance(0.93)
        if handlers:
            for i in range(self.weighted([(5, 1), (1.5, 2)])):
                what = self.choose(TOOL_ERRORS) if i == 0 and self.chance(0.22) else "Exception" if self.chance(0.7) else \
                    f"({', '.join(self.rng.sample(TOOL_ERRORS, 3))})"
                if i and what == "Exception" and self.chance(0.1):
                    what = "BaseException"
                with self.block(f"except {what} as err:" if self.chance(0.8) else f"except {what}:"):
                    self.handler(name, kind, "as err" in self.lines[-1])
            if self.chance(0.25):
                self.use("try else")
                with self.block("else:"):
                    self.body(self.number(1, 2))
        if not handlers or self.chance(0.25):
            self.use("finally")
            with self.block("finally:"):
                if self.chance(0.4):
                    self.s_effect()
                else:
                    self.body(1)
                if name and not handlers:
                    pass
        del self.vars[before:]
        if name and handlers:
            self.bind(name, kind)

    def handler(self, name, kind, named):
        if named:
            self.out(self.choose(['print(type(err).__name__, err)', 'print("failed:", err)', "print(repr(err))",
                                  "print(err.args)", 'print(f"{err!r} from {err.__cause__!r}, {err.__context__!r}")']))
        form = self.number(0, 11)
        if form == 0:
            self.use("raise from")
            self.out(f"raise ValueError({self.expr('word', 1)}){self.choose([' from err', ' from None', '']) if named else ''}")
        elif form == 1:
            self.use("bare raise")
            if self.chance(0.5):
                self.body(1)
            self.out("raise")
        elif form == 2:
            self.use("traceback")
            self.need("import traceback")
            self.out("print(traceback.format_exc())")
        elif form == 3:
            self.use("nested try")
            with self.block("try:"):
                self.out(self.failing())
            with self.block("except Exception as second:"):
                self.out("print(type(second).__name__, repr(second.__context__))")
        elif form == 4:
            self.s_effect()
        elif form == 5:
            self.body(1)
        elif form == 6 and self.place.returns is not None and not self.place.generator:
            self.out(f"return {self.expr(self.place.returns, 2)}")
            return
        elif form == 7 and self.place.loop:
            self.out(self.choose(["continue", "break"]))
        if name:
            self.out(f"{name} = {self.expr(kind, 2)}")

    def s_with(self):
        self.use("with")
        form = self.number(0, 3)
        if form == 0 or not self.classes:
            self.need("import contextlib")
            errors = ", ".join(self.rng.sample(TOOL_ERRORS, 2))
            with self.block(f"with contextlib.suppress({errors}):"):
                if self.chance(0.5):
                    self.out(self.failing())
                self.body(self.number(1, 2))
            return
        name = self.choose(sorted(self.classes))
        with self.block(f"with {name}({quote(self.choose(['docs', 'prices', 'load']))}) as section:"):
            if self.chance(0.3):
                self.out("print(section.title)")
            self.body(self.number(1, 2))
            if self.chance(0.25):
                self.out(self.failing())
