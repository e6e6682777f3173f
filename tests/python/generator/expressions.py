"""Expressions by kind: each `e_KIND` writes one of its kind, most often out of what is in scope, often by a call."""
from __future__ import annotations

import re

from . import stock
from .maker import Maker


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class Expressions(Maker):
    # ---- dispatch ----------------------------------------------------------------------------------------------------
    def expr(self, kind, d: int = 2) -> str:
        if isinstance(kind, tuple):
            return getattr(self, "e_" + kind[0])(kind, d)
        own = getattr(self, "e_" + kind, None)
        if own is not None:
            return own(d)
        if kind in stock.RECORDS:
            return self.e_record(kind, d)
        return self.leaf(kind, d)

    def leaf(self, kind: str, d: int) -> str:
        """A value that names something: a path, a sku. Now and then one that doesn't exist."""
        options = []
        if name := self.hot(kind):
            options.append((9, lambda: name))
        if kind in stock.LITERALS:
            options.append((3, lambda: quote(self.choose(stock.LITERALS[kind]))))
        if kind in stock.BROKEN:
            options.append((0.1, lambda: quote(self.choose(stock.BROKEN[kind]))))
        if d > 0:
            for v in self.of_kind(("list", kind)):
                options.append((1.5, lambda v=v: f"{v.name}[{self.choose(['0', '0', '-1', '1'])}]"))
            for record, fields in stock.RECORDS.items():
                for f, k in fields.items():
                    if k == kind:
                        for v in self.of_kind(record):
                            options.append((3, lambda v=v, f=f: f'{v.name}["{f}"]'))
        return self.weighted(options)()

    def pick(self, options, d: int) -> str:
        """Weighted choice; an option is (weight, text or thunk) and may be None."""
        return self._text(self.weighted([o for o in options if o is not None]))

    @staticmethod
    def _text(thing) -> str:
        return thing if isinstance(thing, str) else thing()

    # ---- calls -------------------------------------------------------------------------------------------------------
    def call(self, d: int, kind, make, calls=1):
        """`make()` writes a call, if the purse allows; else something of the kind without one."""
        if d < 0 or not self.afford(calls):
            return None
        return lambda: (self.pay(calls), make())[1]

    def tool(self, name: str) -> str:
        """How the program calls a tool: its name, mostly."""
        for v in self.vars:
            if v.kind == ("alias", name) and self.chance(0.5):
                return v.name
        return name

    def c_read(self, d):
        return f"{self.tool('workspace.read_text')}({self.expr('path', d - 1)})"

    def c_fetch(self, d):
        return f"{self.tool('fetch')}({self.expr('url', d - 1)})"

    def c_search(self, d):
        return f"{self.tool('search')}({self.expr('query', d - 1)})"

    def c_flaky(self, d):
        return f"{self.tool('flaky')}({self.expr('flake', d - 1)})"

    def c_classify(self, d):
        labels = self.hot(("list", "label"))
        if labels is None or self.chance(0.5):
            pool = stock.LITERALS["label"]
            labels = "[" + ", ".join(quote(x) for x in self.rng.sample(pool, self.number(2, 3))) + "]"
            if self.chance(0.02):
                labels = "[]"
        word = "labels=" if self.chance(0.15) else ""
        return f"{self.tool('classify')}({self.expr('text', d - 1)}, {word}{labels})"

    def c_summarize(self, d):
        limit = self.choose(["", "", f", {self.choose([20, 40, 60, 90])}", f", limit={self.choose([12, 30, 50])}"])
        if self.chance(0.04):
            limit = ", limit=2"
        elif d > 0 and self.chance(0.12):
            limit = f", {self.expr('int', d - 1)} + 20"
        return f"{self.tool('summarize')}({self.expr('text', d - 1)}{limit})"

    def c_lookup(self, key: str, value, d):
        table = self.choose([t for t, v in stock.TABLES[key] if v == value])
        for v in self.vars:
            if v.kind == ("partial", table) and self.chance(0.6):
                return f"{v.name}({self.expr(key, d - 1)})"
        word = "key=" if self.chance(0.06) else ""
        return f'{self.tool("lookup")}("{table}", {word}{self.expr(key, d - 1)})'

    def c_math(self, d):
        inner = self.in_f(self.expr("int", d - 1), "7")
        form = self.choose(["{%s} * 2 + 1", "({%s} %% 50) ** 2 - {%s}".replace("%%", "%"), "max({%s}, 10)", "({%s} + 3) // 2", "100 / ({%s} + 1)"])
        if self.chance(0.05):
            form = self.choose(["10 / ({%s} - {%s})", "{%s} + oops"])
        return f'{self.tool("math_eval")}(f"{form.replace("%s", inner)}")'

    def c_price(self, d):
        return f"now_price({self.expr('symbol', d - 1)})"

    def in_f(self, expr: str, instead: str) -> str:
        """The expression if it can stand in a double-quoted f-string of Python 3.11, else something that can."""
        if expr[0] in "{}" or any(c in expr for c in "\\{\n") or "lambda" in expr or ":=" in expr or 'f"' in expr:
            return instead
        if '"' in expr:
            if "'" in expr:
                return instead
            expr = expr.replace('"', "'")
        return expr

    def helper(self, result, d):
        """A call of one of the program's own functions."""
        found = [f for f in self.functions if f.result == result and not f.generator and self.afford(f.cost)]
        if not found or d < 0:
            return None
        f = self.choose(found)

        def make():
            self.pay(f.cost)
            args = [self.expr(k, d - 1) for k in f.params]
            args += [f"{n}={self.expr(k, d - 1)}" for n, k in f.keywords.items() if self.chance(0.5)]
            return f"{f.name}({', '.join(args)})"
        return 5, make

    # ---- scalars -----------------------------------------------------------------------------------------------------
    def e_int(self, d) -> str:
        o = [(4, self.hot("int")) if self.hot("int") else None, (0.6 if d > 0 else 2, lambda: str(self.number(0, 9))), self.helper("int", d)]
        if d > 0:
            o += [
                (3, lambda: f"len({self.expr(self.choose(['text', ('list', 'path'), ('list', 'text'), 'word']), d - 1)})"),
                (2, lambda: f"{self.expr('int', d - 1)} {self.choose('+-')} {self.choose([self.expr('int', d - 1), '1', '2'])}"),
                (0.5, lambda: f"{self.expr('int', d - 1)} * {self.number(2, 5)}"),
                (1, lambda: f"{self.expr('int', d - 1)} {self.choose(['%', '//'])} {self.number(2, 9)}"),
                (1, lambda: f"{self.choose(['max', 'min'])}({self.expr('int', d - 1)}, {self.expr('int', d - 1)})"),
                (1.5, lambda: f"{self.expr('text', d - 1)}.count({quote(self.choose(['e', 'the', ' ', '.']))})"),
                (1.2, lambda: f"sum({self.numbers(d - 1)})"),
                (0.6, lambda: f"max({self.expr(('list', 'int'), d - 1)}, default=0)"),
                (0.6, lambda: self.paren_if(d)),
                (0.5, lambda: self.regex_int(d)),
                (0.4, lambda: f"abs({self.expr('int', d - 1)})"),
                (0.4, lambda: f"round({self.expr('float', d - 1)})"),
            ]
            if c := self.call(d, "int", lambda: self.c_lookup("sku", "int", d)):
                o.append((4, c))
            if c := self.call(d, "int", lambda: self.c_math(d)):
                o.append((2.5, c))
            if c := self.call(d, "int", lambda: f'lookup("weights", f"w{{{self.in_f(self.expr("int", d - 1), "4")} % 60}}")'):
                o.append((1.5, c))
            if c := self.call(d, "int", lambda: f'lookup("population", {self.c_lookup("country", "word", d)})', 2):
                o.append((0.8, c))
            for v in self.of_kind("order"):
                o.append((2, f'{v.name}["total"]'))
            for v in self.of_kind(("dict", "str", "int")):
                o.append((1.5, lambda v=v: f"{v.name}.get({self.expr('word', d - 1)}, 0)"))
        return self.pick(o, d)

    def paren_if(self, d):
        return f"({self.expr('int', d - 1)} if {self.expr('bool', d - 1)} else {self.expr('int', d - 1)})"

    def regex_int(self, d):
        self.need("import re")
        self.use("re")
        text = self.expr("text", d - 1)
        return self.choose([
            lambda: f'len(re.findall(r"\\b[A-Z]\\w+", {text}))',
            lambda: f'int((re.search(r"\\d+", {text}) or [0])[0])',
            lambda: f'len(re.sub(r"[aeiou]", "", {text}))',
        ])()

    def numbers(self, d) -> str:
        """Something to sum: a list of ints or a generator expression."""
        if self.chance(0.4):
            return self.expr(("list", "int"), d)
        kind = self.choose(["text", "path", "sku", "word"])
        seq = self.expr(("list", kind), d)
        x = self.loop_name(kind)
        with self.element(x, kind):
            body = self.about(x, kind, "int", d)
            cond = f" if {self.about(x, kind, 'bool', d - 1)}" if self.chance(0.3) else ""
        self.use("generator expression")
        return f"{body} for {x} in {seq}{cond}"

    def e_float(self, d) -> str:
        o = [(3, self.hot("float")) if self.hot("float") else None, (1, lambda: str(self.choose([0.5, 1.25, 9.99]))),
             self.helper("float", d)]
        if d > 0:
            o.append((1, lambda: f"round({self.expr('int', d - 1)} / {self.number(2, 7)}, 2)"))
            o.append((0.6, lambda: self.math_float(d)))
            if c := self.call(d, "float", lambda: self.c_price(d)):
                o.append((2.2, c))
            if c := self.call(d, "float", lambda: self.c_lookup("currency", "float", d)):
                o.append((2, c))
            if c := self.call(d, "float", lambda: f"embed({self.expr('text', d - 1)})[{self.number(0, 5)}]"):
                o.append((2, c))
        return self.pick(o, d)

    def math_float(self, d):
        self.need("import math")
        self.use("math")
        return self.choose([lambda: f"math.sqrt(abs({self.expr('int', d - 1)}))",
                            lambda: f"math.floor({self.expr('float', d - 1)} * 10) / 10",
                            lambda: f"math.log(2 + abs({self.expr('int', d - 1)}))"])()

    def e_bool(self, d) -> str:
        o = [(2, self.hot("bool")) if self.hot("bool") else None, self.helper("bool", d)]
        n = d - 1 if self.hot("int") else max(d, 1)
        t = d - 1 if self.hot("text") or self.hot("word") else max(d, 1)
        o.append((3, lambda: f"{self.expr('int', n)} {self.choose(['>', '<', '>=', '==', '!='])} {self.number(0, 12)}"))
        o.append((2, lambda: f"{self.expr('str', t)}.{self.choose(['startswith', 'endswith'])}({quote(self.choose(['d', 'T', 's', 'md', '.']))})"))
        o.append((2, lambda: f"{quote(self.choose(stock.LITERALS['word']))} in {self.expr('text', t)}"))
        if d > 0:
            o += [
                (1, lambda: f"not {self.expr('bool', 0)}"),
                (1.5, lambda: f"{self.bare_bool(d)} {self.choose(['and', 'or'])} {self.bare_bool(d)}"),
                (0.8, lambda: f"{self.number(0, 3)} < {self.expr('int', d - 1)} <= {self.expr('int', d - 1)}"),
                (1, lambda: self.any_all(d)),
                (0.6, lambda: f"bool({self.expr(('list', 'hit'), d - 1)})"),
            ]
        return self.pick(o, d)

    def bare_bool(self, d):
        text = self.expr("bool", d - 1)
        return f"({text})" if " and " in text or " or " in text else text

    def any_all(self, d):
        kind = self.choose(["path", "sku", "word", "url"])
        seq = self.expr(("list", kind), d - 1)
        x = self.loop_name(kind)
        with self.element(x, kind):
            cond = self.about(x, kind, "bool", d)
        self.use("any/all")
        return f"{self.choose(['any', 'all'])}({cond} for {x} in {seq})"

    # ---- strings -----------------------------------------------------------------------------------------------------
    def e_str(self, d) -> str:
        return self.expr(self.choose(["text", "word", "label", "path"]), d)

    def e_any(self, d) -> str:
        o = [(3, self.hot("any")) if self.hot("any") else None, (1, "None"), (1, lambda: self.expr("int", d))]
        if c := self.call(d, "any", lambda: self.c_lookup("setting", "any", d)):
            o.append((4, c))
        if c := self.call(d, "any", lambda: self.c_lookup("eid", "any", d)):
            o.append((2, c))
        return self.pick(o, d)

    def e_text(self, d) -> str:
        o = [(4, self.hot("text")) if self.hot("text") else None, (0.7, lambda: quote(self.choose(stock.LITERALS["text"]))),
             self.helper("text", d)]
        if c := self.call(d, "text", lambda: self.c_read(d)):
            o.append((4.5, c))
        if c := self.call(d, "text", lambda: self.c_fetch(d)):
            o.append((4.5, c))
        if d > 0:
            if c := self.call(d, "text", lambda: self.c_summarize(d)):
                o.append((3.5, c))
            for record in ("ticket", "order", "hit", "user"):
                for f, k in stock.RECORDS[record].items():
                    if k == "text":
                        for v in self.of_kind(record):
                            o.append((2.5, f'{v.name}["{f}"]'))
            o += [
                (1.5, lambda: self.e_fstring(d)),
                (1.2, lambda: f"{self.expr('text', d - 1)}.{self.choose(['strip()', 'lower()', 'upper()', 'title()', 'swapcase()'])}"),
                (0.8, lambda: f'{self.expr("text", d - 1)}.replace("a", "_")'),
                (1, lambda: f"{self.expr('text', d - 1)}[{self.choose([':40', '5:30', '::2', '-20:', ':1'])}]"),
                (0.8, lambda: f'{self.expr("text", d - 1)}.split(".")[0]'),
                (0.8, lambda: f'{quote(self.choose([", ", " ", "|"]))}.join({self.strings(d - 1)})'),
                (0.5, lambda: f"{self.expr('text', d - 1)}[:60] + {quote(' / ')} + {self.expr('str', d - 1)}"),
                (0.4, lambda: f"str({self.expr(self.choose(['int', 'float', 'any', ('list', 'int')]), d - 1)})"),
                (0.3, lambda: f'"%s: %d" % ({self.expr("word", d - 1)}, {self.expr("int", d - 1)})'),
                (0.3, lambda: f'"{{}} of {{:>4}}".format({self.expr("int", d - 1)}, {self.expr("int", d - 1)})'),
                (0.5, lambda: self.json_text(d)),
                (0.8, lambda: f"({self.expr('text', d - 1)} if {self.expr('bool', d - 1)} else {self.expr('text', d - 1)})"),
                (0.5, lambda: f"({self.expr('text', d - 1)} or {self.expr('text', d - 1)})"),
            ]
        return self.pick(o, d)

    def json_text(self, d):
        self.need("import json")
        self.use("json")
        value = self.expr(self.choose([("list", "int"), ("dict", "str", "int"), "any", "hit", "order", "user"]), d - 1)
        return f"json.dumps({value}{self.choose(['', ', sort_keys=True'])})"

    def e_fstring(self, d, parts=None) -> str:
        specs = {"int": ["", ":>4", ":03d", ":,", ":<5"], "float": [":.2f", ":.1f", ":>8.3f", ""],
                 "text": ["", ":.20", ":<30.30", "!r"], "word": ["", ":>8", "!r", ":<10"], "bool": ["", "!s"],
                 "any": ["", "!r"], "str": ["", "!r"]}
        out = []
        for _ in range(parts or self.number(1, 3)):
            kind = self.choose(["int", "word", "text", "int", "float", "str", "any", "bool"])
            inner = self.in_f(self.expr(kind, d - 1), "")
            if not inner:
                inner = self.hot(kind) or str(self.number(0, 9))
                spec = ""
            else:
                spec = self.choose(specs[kind])
                if spec == ":03d" or spec == ":," or kind == "any" and spec != "!r":
                    spec = ""
            lead = self.choose(["", "got ", "n=", "- ", "", "of "])
            out.append(f"{lead}{{{inner}{spec}}}")
        self.use("f-string")
        return 'f"' + self.choose([" ", ", ", ": ", " | "]).join(out) + '"'

    def strings(self, d) -> str:
        kind = self.choose(["word", "path", "sku", "label", "uid"])
        seq = self.expr(("list", kind), d)
        if self.chance(0.4):
            return seq
        x = self.loop_name(kind)
        with self.element(x, kind):
            body = self.about(x, kind, "word" if self.chance(0.5) else "text", d)
        self.use("generator expression")
        return f"{body} for {x} in {seq}"

    def e_word(self, d) -> str:
        o = [(4, self.hot("word")) if self.hot("word") else None, (1, lambda: quote(self.choose(stock.LITERALS["word"]))),
             self.helper("word", d)]
        if c := self.call(d, "word", lambda: self.c_flaky(d)):
            o.append((3, c))
        if d > 0:
            if c := self.call(d, "word", lambda: self.c_classify(d)):
                o.append((4, c))
            if c := self.call(d, "word", lambda: self.c_lookup("country", "word", d)):
                o.append((1.5, c))
            if c := self.call(d, "word", lambda: self.c_lookup("pkg", "word", d)):
                o.append((1.5, c))
            o.append((0.8, lambda: f"{self.expr('word', d - 1)}.{self.choose(['upper()', 'lower()', 'title()', 'rjust(8)', 'center(9, chr(42))'])}"))
            o.append((0.6, lambda: f'({self.expr("text", d - 1)}.split() or ["none"])[0]'))
            for v in self.of_kind("order"):
                o.append((2, f'{v.name}["status"]'))
            for v in self.of_kind("user"):
                o.append((2, f'{v.name}["plan"]'))
        return self.pick(o, d)

    def e_label(self, d) -> str:
        if d > 0 and self.chance(0.5):
            if c := self.call(d, "label", lambda: self.c_classify(d)):
                return c()
        return self.leaf("label", d)

    def e_path(self, d) -> str:
        if d > 0 and not self.hot("path") and self.chance(0.25):
            return self.choose([
                lambda: f'f"config/{{{self.choose(["chr(100)", "str()"])}}}ev.json"' if self.chance(0.1) else quote("config/dev.json"),
                lambda: f'f"data/sales_q{{{self.in_f(self.expr("int", 0), "2")} % 4 + 1}}.csv"',
                lambda: f'f"notes/standup-{{{self.in_f(self.expr("int", 0), "1")} % 2 + 1}}.md"',
            ])()
        return self.leaf("path", d)

    def e_url(self, d) -> str:
        o = [(6, lambda: self.leaf("url", d))]
        if self.hot("int"):
            o.append((2, lambda: f'f"https://archive.example.org/item/{{{self.in_f(self.expr("int", d - 1), "3")} % 300}}"'))
        if name := self.hot("city"):
            o.append((6, f'f"https://cities.example.org/{{{name}}}"'))
        for v in self.of_kind("hit"):
            o.append((6, f'{v.name}["url"]'))
        if d > 0:
            if c := self.call(d, "url", lambda: f'{self.c_search(d)}[0]["url"]'):
                o.append((1.5, c))
        return self.pick(o, d)

    def e_query(self, d) -> str:
        o = [(3, lambda: self.leaf("query", d))]
        for kind in ("city", "word", "label"):
            if name := self.hot(kind):
                o.append((2, f'f"{self.choose(["city of", "about", "more"])} {{{name}}}"'))
        for v in self.of_kind("hit"):
            o.append((2, f'{v.name}["title"]'))
        return self.pick(o, d)

    def e_flake(self, d) -> str:
        if (name := self.hot("int")) and self.chance(0.3):
            return f'f"{self.choose(["try", "item", "node"])}-{{{name}}}"'
        return self.leaf("flake", d)

    # ---- records -----------------------------------------------------------------------------------------------------
    def e_record(self, kind: str, d) -> str:
        o = [(5, self.hot(kind)) if self.hot(kind) else None, self.helper(kind, d)]
        if kind == "hit":
            for v in self.of_kind(("list", "hit")):
                o.append((4, f"{v.name}[0]"))
            if c := self.call(d, kind, lambda: f"{self.c_search(d)}[0]"):
                o.append((3, c))
        else:
            key = next(k for k, tables in stock.TABLES.items() if any(v == kind for _, v in tables))
            if c := self.call(d, kind, lambda: self.c_lookup(key, kind, max(d, 1))):
                o.append((4, c))
        o = [x for x in o if x]
        if not o:      # out of calls: a literal record
            fields = stock.RECORDS[kind].items()
            return "{" + ", ".join(f'"{f}": {self.expr(k, -1)}' for f, k in fields) + "}"
        return self.pick(o, d)

    # ---- containers --------------------------------------------------------------------------------------------------
    def e_list(self, kind, d) -> str:
        item = kind[1]
        o = [(5, self.hot(kind)) if self.hot(kind) else None, self.helper(kind, d)]
        if item in stock.LITERALS and item not in ("text", "dir"):
            o.append((2 if d > 0 else 4, lambda: self.literal_list(item)))
        if item == "int":
            o += [(2, lambda: self.choose([f"range({self.number(2, 5)})", f"range({self.number(1, 3)}, {self.number(4, 6)})"])),
                  (1, lambda: "[" + ", ".join(str(self.number(0, 20)) for _ in range(self.number(1, 4))) + "]")]
        if item == "path":
            if c := self.call(d, kind, lambda: f"{self.tool('workspace.glob')}({self.expr('pattern', d - 1)}){self.cut()}"):
                o.append((4, c))
            if c := self.call(d, kind, lambda: self.listing()):
                o.append((1.5, c))
        elif item == "hit":
            if c := self.call(d, kind, lambda: self.c_search(d)):
                o.append((4, c))
        elif item in ("node", "pkg", "uid"):
            key = {"node": "node", "pkg": "pkg", "uid": "team"}[item]
            if c := self.call(d, kind, lambda: self.c_lookup(key, kind, d)):
                o.append((3, c))
        elif item == "text":
            o.append((1.5, lambda: f"{self.expr('text', d - 1)}.splitlines(){self.cut()}"))
            o.append((1.5, lambda: f"[{', '.join(self.expr('text', d - 1) for _ in range(self.number(1, 3)))}]"))
        elif item == "word":
            o.append((1.5, lambda: f"{self.expr('text', d - 1)}.split(){self.cut()}"))
            for v in self.of_kind("pagerec"):
                o.append((3, f'{v.name}["items"]'))
        elif item == "float":
            if c := self.call(d, kind, lambda: f"embed({self.expr('text', d - 1)})"):
                o.append((3, c))
        elif item == "url":
            for v in self.of_kind(("list", "hit")):
                o.append((3, lambda v=v: f'[h["url"] for h in {v.name}{self.cut()}]'))
        if d > 0 or len([x for x in o if x]) < 2:
            o.append((4 if d > 0 else 0.5, lambda: self.list_comp(item, d)))
            if d > 0:
                o.append((1, lambda: self.mapped(item, d)))
                o.append((0.8, lambda: f"sorted({self.expr(kind, d - 1)}{self.sort_key(item, d - 1)})"
                                       if item not in ("hit", "any", "order", "user", "ticket")
                                       else f"list({self.expr(kind, d - 1)})"))
                o.append((0.6, lambda: f"{self.expr(kind, d - 1)}{self.choose(['[::-1]', '[1:]', '[:2]', '[::2]'])}"))
                o.append((0.4, lambda: f"[*{self.expr(kind, d - 1)}, {self.expr(item, d - 1)}]"))
                o.append((0.3, lambda: f"list(filter({self.predicate(item, d - 1)}, {self.expr(kind, d - 1)}))"))
                o.append((0.4, lambda: self.itertools_list(kind, d)))
        return self.pick(o, d)

    def cut(self):
        return self.choose(["[:3]", "[:2]", "[:4]", "[1:3]"])

    def listing(self):
        folder = self.choose(["docs", "notes", "docs/adr", "tests", "config"])
        return f'[f"{folder}/{{name}}" for name in workspace.list("{folder}") if "." in name]{self.cut()}'

    def literal_list(self, kind):
        pool = stock.LITERALS[kind]
        chosen = self.rng.sample(pool, min(len(pool), self.number(1, 4)))
        if self.chance(0.06) and kind in stock.BROKEN:
            chosen.insert(self.number(0, len(chosen)), self.choose(stock.BROKEN[kind]))
        if self.chance(0.12):
            chosen.append(chosen[0])
        if self.chance(0.2):
            return "(" + "".join(quote(c) + ", " for c in chosen).rstrip() + ")"
        return "[" + ", ".join(quote(c) for c in chosen) + "]"

    def loop_name(self, kind):
        short = {"text": "t", "path": "p", "url": "u", "int": "i", "sku": "s", "uid": "m", "hit": "h", "word": "w",
                 "node": "v", "pkg": "p", "label": "lb", "float": "x", "city": "c"}
        name = short.get(kind, "x") if isinstance(kind, str) else "x"
        while any(v.name == name for v in self.vars):
            name += self.choose("12abx")
        return name

    def using(self, name: str, make, tries=4) -> str:
        """Written so that `name` occurs in it, if that can be had in a few tries."""
        text = ""
        for _ in range(tries):
            purse = self.purse
            text = make()
            if re.search(rf"\b{name}\b", text):
                break
            self.purse = purse
        return text

    def about(self, name: str, source, item, d: int) -> str:
        """An `item` made of the element `name`: the obvious way for its kind, or any way that mentions it."""
        if self.chance(0.45):
            if plain := self.derive(name, source, item):
                return plain
        text = self.using(name, lambda: self.expr(item, d), 3)
        if re.search(rf"\b{name}\b", text):
            return text
        return self.derive(name, source, item) or text

    def derive(self, x: str, source, item) -> str | None:
        """What one does with a path, a url, a sku: the tool that it is for."""
        texts = {"path": "workspace.read_text(@)", "url": "fetch(@)", "tid": 'lookup("tickets", @)["body"]',
                 "oid": 'lookup("orders", @)["note"]', "hit": 'fetch(@["url"])', "uid": 'lookup("users", @)["name"]',
                 "city": 'fetch(f"https://cities.example.org/{@}")', "flake": "flaky(@)", "pkg": 'lookup("versions", @)',
                 "country": 'lookup("capitals", @)'}
        numbers = {"sku": 'lookup("stock", @)', "oid": 'lookup("orders", @)["total"]', "query": "len(search(@))",
                   "node": 'len(lookup("graph", @))', "int": 'lookup("weights", f"w{@ % 60}")', "pkg": 'len(lookup("deps", @))'}
        records = {"uid": "user", "oid": "order", "tid": "ticket"}
        form, calls = None, 1
        if isinstance(source, tuple):
            return None
        if item == "text" and source in texts:
            form = texts[source]
            if self.chance(0.25) and self.afford(2):
                form, calls = f"summarize({form}, limit={self.choose([20, 40])})", 2
        elif item == "text" and source in ("text", "word"):
            form = "summarize(@)"
        elif item == "word" and source in ("text", "line"):
            form = 'classify(@, ["docs", "bug", "tea"])'
        elif item == "word" and source in ("flake", "pkg", "country"):
            form = texts[source]
        elif item == "word" and source in stock.STRINGS:
            form, calls = self.choose(["@.upper()", "@[:6]"]), 0
        elif item == "int" and source in numbers:
            form = numbers[source]
        elif item == "int" and source in texts:
            form = f"len({texts[source]})"
        elif item == "int" and source in stock.STRINGS:
            form, calls = "len(@)", 0
        elif item == "bool" and source in numbers:
            form = f"{numbers[source]} > {self.number(0, 12)}"
        elif item == "bool" and source in texts:
            form = f"{quote(self.choose(['TODO', 'the', 'a', 'Redis', 'caffeine']))} in {texts[source]}"
        elif item == "bool" and source in stock.STRINGS:
            form, calls = f"len(@) > {self.number(3, 9)}", 0
        elif item == "float" and source in ("text", "word"):
            form = "embed(@)[0]"
        elif item == "float" and source in ("currency", "symbol"):
            form = {"currency": 'lookup("rates", @)', "symbol": "now_price(@)"}[source]
        elif item == "url" and source in ("hit", "city"):
            form, calls = {"hit": '@["url"]', "city": 'f"https://cities.example.org/{@}"'}[source], 0
        elif records.get(source) == item:
            form = f'lookup("{item}s", @)'
        elif isinstance(item, tuple) and item[0] == "list" and source in ("node", "pkg") and item[1] == source:
            form = f'lookup("{"graph" if source == "node" else "deps"}", @)'
        if form is None or not self.afford(calls):
            return None
        self.pay(calls)
        return form.replace("@", x)

    SOURCES = {"text": ["path", "url", "text", "hit", "sku"], "int": ["sku", "text", "path", "int", "word", "url"],
               "word": ["text", "flake", "pkg", "country", "label"], "bool": ["text", "path", "int"], "user": ["uid"],
               "order": ["oid"], "ticket": ["tid"], "hit": ["query"], "float": ["text", "currency", "symbol"],
               "label": ["text"], "any": ["setting", "eid"], "url": ["hit", "city", "int"], "pagerec": ["page"]}

    def source_kind(self, item) -> object:
        if item in self.SOURCES:
            return self.choose(self.SOURCES[item])
        if isinstance(item, tuple):
            return self.choose(["node", "pkg", "team", "query", "path"])
        return self.choose(["int", item])

    def list_comp(self, item, d) -> str:
        source = self.source_kind(item)
        seq = self.expr(("list", source), d - 1)
        x = self.loop_name(source)
        with self.element(x, source):
            if d > 1 and self.chance(0.12):
                inner_kind = self.source_kind(item)
                inner = self.using(x, lambda: self.expr(("list", inner_kind), 1))
                y = self.loop_name(inner_kind)
                with self.element(y, inner_kind, 2):
                    body = self.about(y, inner_kind, item, d - 1)
                self.use("nested comprehension")
                return f"[{body} for {x} in {seq} for {y} in {inner}]"
            if d > 1 and self.chance(0.08):
                self.use("walrus")
                y = self.named("kept", "seen", "last")
                size = self.using(x, lambda: self.expr(item, d - 1))
                return f"[{y} for {x} in {seq} if ({y} := {size})]"
            body = self.about(x, source, item, d if d > 1 else 1)
            cond = f" if {self.about(x, source, 'bool', d - 1)}" if self.chance(0.25) else ""
        self.use("list comprehension")
        return f"[{body} for {x} in {seq}{cond}]"

    def mapped(self, item, d) -> str:
        self.use("map")
        if item == "text":
            if c := self.call(d, item, lambda: self.choose([
                    lambda: f"list(map(fetch, {self.expr(('list', 'url'), d - 1)}))",
                    lambda: f"list(map(workspace.read_text, {self.expr(('list', 'path'), d - 1)}))",
                    lambda: f"[*map(summarize, {self.expr(('list', 'text'), d - 1)})]"])(), 3):
                return c()
        source = self.source_kind(item)
        seq = self.expr(("list", source), d - 1)
        return f"list(map({self.function_of(source, item, d - 1)}, {seq}))"

    def function_of(self, source, item, d) -> str:
        """A function of one argument: one of the program's own, or a lambda."""
        found = [f for f in self.functions if f.params == [source] and f.result == item and not f.generator
                 and self.afford(3 * f.cost)]
        if found and self.chance(0.6):
            f = self.choose(found)
            self.pay(3 * f.cost)
            return f.name
        x = self.loop_name(source)
        with self.element(x, source):
            body = self.about(x, source, item, max(d, 1))
        self.use("lambda")
        return f"lambda {x}: {body}"

    def predicate(self, item, d):
        if self.chance(0.1):
            return "None"
        return self.function_of(item, "bool", d)

    def sort_key(self, item, d) -> str:
        tail = self.choose(["", "", ", reverse=True"])
        if self.chance(0.45):
            return tail
        if item in stock.STRINGS and self.chance(0.3):
            return f", key={self.choose(['len', 'str.lower'])}{tail}"
        self.use("key function")
        return f", key={self.function_of(item, 'int', d)}{tail}"

    def itertools_list(self, kind, d):
        self.need("import itertools")
        self.use("itertools")
        a = self.expr(kind, d - 1)
        return self.choose([
            lambda: f"list(itertools.islice({a}, {self.number(1, 3)}))",
            lambda: f"list(itertools.chain({a}, {self.expr(kind, d - 1)}))",
            lambda: f"list(itertools.takewhile({self.predicate(kind[1], d - 1)}, {a}))",
            lambda: f"[x for x, _ in itertools.groupby({a})]",
        ])()

    def e_dict(self, kind, d) -> str:
        o = [(5, self.hot(kind)) if self.hot(kind) else None, (3, lambda: self.dict_comp(kind, d)), self.helper(kind, d)]
        if kind[2] == "int":
            if c := self.call(d, kind, lambda: self.inventory()):
                o.append((1, c))
            o.append((0.6, lambda: self.counter(d)))
        o.append((1, lambda: "{" + ", ".join(
            f"{quote(k)}: {self.expr(kind[2], d - 1)}" for k in self.rng.sample(stock.LITERALS["word"], self.number(1, 3))) + "}"))
        if d > 0:
            o.append((0.5, lambda: f"dict(zip({self.literal_list(self.choose(['word', 'sku', 'label']))}, {self.expr(('list', kind[2]), d - 1)}))"))
            o.append((0.4, lambda: "{**" + self.expr(kind, d - 1) + f', "extra": {self.expr(kind[2], d - 1)}' + "}"))
        return self.pick(o, d)

    def inventory(self):
        self.need("import json")
        return 'json.loads(workspace.read_text("data/inventory.json"))'

    def counter(self, d):
        self.need("from collections import Counter")
        self.use("collections")
        return f"Counter({self.expr(('list', self.choose(['word', 'label'])), d - 1)})"

    def dict_comp(self, kind, d) -> str:
        source = self.choose(["sku", "path", "word", "uid", "url", "label", "node"])
        seq = self.expr(("list", source), max(d - 1, 0))
        x = self.loop_name(source)
        with self.element(x, source):
            value = self.about(x, source, kind[2], max(d - 1, 1))
            cond = f" if {self.about(x, source, 'bool', d - 1)}" if self.chance(0.2) else ""
        self.use("dict comprehension")
        return "{" + f"{x}: {value} for {x} in {seq}{cond}" + "}"

    def e_set(self, kind, d) -> str:
        source = self.source_kind(kind[1])
        seq = self.expr(("list", source), d - 1)
        x = self.loop_name(source)
        with self.element(x, source):
            body = self.about(x, source, kind[1], d)
        self.use("set comprehension")
        return "{" + f"{body} for {x} in {seq}" + "}"

    def e_pair(self, kind, d) -> str:
        return f"({self.expr(kind[1], d)}, {self.expr(kind[2], d)})"
