"""Larger pieces that people write: helpers, recursion, closures, generators, classes, context managers, oddities."""
from __future__ import annotations

from . import stock
from .expressions import quote
from .maker import Function
from .statements import ELEMENTS, Statements

RESULTS = ["text", "int", "word", "bool", "user", "float", ("list", "text"), ("list", "int"), ("dict", "str", "int"), "url"]


class Idioms(Statements):
    # ---- functions ---------------------------------------------------------------------------------------------------
    def i_helper(self):
        """A plain function, sometimes with defaults, early returns, a try around its call."""
        self.use("helper function")
        params, result = [self.choose(ELEMENTS) for _ in range(self.weighted([(6, 1), (3, 2), (1, 0)]))], self.choose(RESULTS)
        name = self.named("describe", "load", "measure", "check", "facts_of", "report_on", "get_info", "score_of", "brief")
        names = self.param_names(params)
        keywords, tail = {}, ""
        if self.chance(0.3):
            self.use("default argument")
            kind = self.choose(["int", "word", "text"])
            default = self.choose([str(self.number(1, 9))]) if kind == "int" else self.expr(kind, 1 if self.chance(0.25) else -1)
            kw = self.named("limit", "mode", "extra", "fallback")
            keywords[kw] = kind
            tail = f"{', ' if names else ''}{'*, ' if self.chance(0.3) else ''}{kw}={default}"
        cost = 5
        head = f"def {name}({', '.join(names)}{tail}):"
        self.blank()
        if self.chance(0.06):
            self.need("import functools")
            self.use("lru_cache")
            self.out("@functools.lru_cache(maxsize=None)")
        elif self.chance(0.08) and "logged" in self.taken:
            self.use("decorator")
            self.out("@logged")
        with self.function(head, list(zip(names, params)) + list(keywords.items()), returns=result, cost=cost):
            if self.chance(0.12):
                self.out(quote(f"The {name} of one thing."))
            if self.chance(0.25):
                self.use("early return")
                with self.block(f"if {self.expr('bool', 2)}:"):
                    self.out(f"return {self.expr(result, 1)}")
            self.body(self.number(0, 2))
            if self.chance(0.2):
                with self.block("try:"):
                    self.out(f"return {self.expr(result, 3)}")
                if self.chance(0.7):
                    with self.block(f"except {self.choose(['KeyError', 'Exception', '(LookupError, OSError)'])} as err:"):
                        self.handler(None, result, True)
                        self.out(f"return {self.expr(result, 1)}")
                else:
                    self.use("finally")
                    with self.block("finally:"):
                        self.out(f'print("leaving {name}")')
            else:
                self.out(f"return {self.expr(result, 3)}")
        self.blank()
        self.functions.append(Function(name, params, result, cost, keywords=keywords))

    def param_names(self, kinds):
        names = []
        for kind in kinds:
            if self.chance(0.06):       # a parameter that hides a tool
                self.use("parameter shadows tool")
                name = self.choose(["search", "lookup", "fetch", "embed"])
                if name not in names:
                    names.append(name)
                    continue
            pool = [n for n in stock.NAMES.get(kind, ["value"]) if n not in names] or ["arg"]
            name = self.choose(pool)
            while name in names:
                name += "_"
            names.append(name)
            self.taken.add(name)
        return names

    def i_recursive(self):
        self.use("recursion")
        form = self.number(0, 4)
        self.blank()
        if form == 0:
            name = self.named("walk", "follow", "chase")
            with self.function(f"def {name}(link, depth=0):", [("link", "link"), ("depth", "int")], returns="link", cost=2):
                with self.block(f"if depth >= {self.number(2, 4)}:"):
                    self.out("return link")
                if self.chance(0.5):
                    self.out('print("  " * depth + link)')
                self.out(f'return {name}(lookup("chain", link), depth + 1)')
            self.functions.append(Function(name, ["link"], "link", 4))
            use = (f"{name}({self.expr('link', 0)})", "link")
        elif form == 1:
            name = self.named("reach", "closure_of", "needs")
            table, kind = self.choose([("deps", "pkg"), ("graph", "node")])
            with self.function(f"def {name}(thing, seen=None, depth=0):", [("thing", kind), ("depth", "int")], returns="int", cost=3):
                self.out("seen = {} if seen is None else seen")
                with self.block("if thing in seen or depth > 3:"):
                    self.out("return seen")
                self.out("seen[thing] = depth")
                with self.block(f'for other in lookup("{table}", thing):'):
                    self.out(f"{name}(other, seen, depth + 1)")
                self.out("return seen")
            use = (f"{name}({self.expr(kind, 0)})", ("dict", "str", "int"))
        elif form == 2:
            name = self.named("tree", "explore", "visit")
            with self.function(f"def {name}(folder, depth=0):", [("folder", "dir"), ("depth", "int")], returns="int", cost=6):
                self.out("lines = 0")
                with self.block("for entry in workspace.list(folder)[:4]:", times=2):
                    self.out('full = f"{folder}/{entry}"')
                    with self.block('if entry.endswith("/"):'):
                        self.out(f'lines += {name}(full.rstrip("/"), depth + 1) if depth < 2 else 0')
                    with self.block("else:"):
                        self.bind("full", "path")
                        self.out(f"lines += {self.choose(['len(workspace.read_text(full))', 'workspace.read_text(full).count(chr(10))'])}")
                        if self.chance(0.3):
                            self.body(1)
                self.out("return lines")
            use = (f'{name}("{self.choose(["docs", "notes", "src/shop", "tests"])}")', "int")
        elif form == 3:
            name = self.named("boss_of", "chain_of_command")
            with self.function(f"def {name}(uid, depth=0):", [("uid", "uid"), ("depth", "int")], returns="text", cost=2):
                self.out('person = lookup("users", uid)')
                with self.block('if person["manager"] is None or depth > 4:'):
                    self.out('return person["name"]')
                self.out(f'return person["name"] + " < " + {name}(person["manager"], depth + 1)')
            self.functions.append(Function(name, ["uid"], "text", 4))
            use = (f"{name}({self.expr('uid', 0)})", "text")
        else:
            name = self.named("fib", "binom")
            self.out(f"def {name}(n):\n    if n < 2:\n        return n\n    return {name}(n - 1) + {name}(n - 2)")
            use = (f"[lookup('weights', f'w{{{name}(k)}}') for k in range({self.number(2, 7)})]", ("list", "int"))
            self.purse -= 5
        self.blank()
        return use

    def i_closure(self):
        self.use("closure")
        self.blank()
        form = self.number(0, 3)
        if form == 0:
            name, made = self.named("make_counter", "make_tally"), self.named("tally", "bump", "tick")
            with self.function(f"def {name}(start):", [("start", "int")], returns="int", cost=2):
                self.out("total = start")
                self.out("def add(amount):\n    nonlocal total\n    total += amount\n    return total")
                self.out("return add")
            self.blank()
            self.out(f"{made} = {name}({self.number(0, 5)})")
            self.functions.append(Function(made, ["int"], "int", 0))
            self.use("nonlocal")
        elif form == 1:
            name, made = self.named("reader_for", "in_folder"), self.named("read_doc", "doc")
            self.out(f'def {name}(folder):\n    def read(stem, suffix=".md"):\n        return workspace.read_text(f"{{folder}}/{{stem}}{{suffix}}")\n    return read')
            self.blank()
            self.out(f'{made} = {name}("docs")')
            self.out(f'print({made}("{self.choose(["faq", "api", "usage", "nope" if self.chance(.2) else "index"])}")[:30])')
            self.purse -= 1
        elif form == 2:
            fs = self.named("thunks", "tasks", "jobs")
            seq = self.literal_list("sku")
            bound = self.choose(["lambda s=s: ", "lambda: "])
            self.out(f'{fs} = [{bound}lookup("{self.choose(["prices", "stock"])}", s) for s in {seq}]')
            self.out(f"print([f() for f in {fs}])")
            self.purse -= 4
            self.use("lambda")
        else:
            name, counter = self.named("note_it", "count_call"), self.named("calls_made", "hits_seen")
            self.use("global")
            self.out(f"{counter} = 0")
            with self.function(f"def {name}(query):", [("query", "query")], returns=("list", "hit"), cost=3):
                self.out(f"global {counter}\n{counter} += 1")
                self.out(self.choose([f"return search(query)[:{counter}]", f'return search(f"{{query}} {{{counter}}}")', "return search(query)"]))
            self.functions.append(Function(name, ["query"], ("list", "hit"), 1))
            self.bind(counter, "int", True)
        self.blank()

    def i_decorator(self):
        self.use("decorator")
        self.need("import functools")
        self.taken.add("logged")
        self.blank()
        self.out("def logged(fn):\n    @functools.wraps(fn)\n    def inner(*args, **kwargs):\n        print(\"call\", fn.__name__)\n"
                 "        result = fn(*args, **kwargs)\n        print(\"done\", fn.__name__)\n        return result\n    return inner")
        self.blank()

    def i_generator(self):
        """A generator function, and somebody who reads it, often not to its end."""
        self.use("generator function")
        kind, result = self.choose(["path", "sku", "url", "word", "int"]), self.choose(["text", "int", "word"])
        name = self.named("stream", "produce", "scan", "each")
        self.blank()
        endless = self.chance(0.3)
        if endless:
            self.need("import itertools")
            self.use("itertools")
            with self.function(f"def {name}(start):", [("start", "int")], returns=result, generator=True, cost=4):
                with self.block("for n in itertools.count(start):", loop=True):
                    self.bind("n", "int", True)
                    self.out(self.choose(['text = fetch(f"https://archive.example.org/item/{n}")', 'text = str(lookup("weights", f"w{n % 60}"))']))
                    self.bind("text", "text")
                    self.out(self.choose(["yield n, text[:24]", "yield text", 'if "a" in text or n % 2:\n    yield n']))
            source = str(self.number(0, 9))
            body = None
        else:
            with self.function(f"def {name}(items):", [], returns=result, generator=True, cost=6):
                cleanup = self.chance(0.25)
                if cleanup:
                    self.out("try:")
                    self.indent += 1
                with self.block("for x in items:", loop=True, times=2):
                    self.bind("x", kind, True)
                    if self.chance(0.4):
                        self.body(1)
                    self.out(f"yield {self.about('x', kind, result, 2)}")
                if self.chance(0.15):
                    self.out(f"yield from {self.expr(('list', result), 1)}")
                    self.use("yield from")
                if cleanup:
                    self.indent -= 1
                    self.out("finally:")
                    self.out('    print("closed")')
            source = self.expr(("list", kind), 1)
            body = result
        self.blank()
        self.purse -= 6
        form = self.number(0, 5)
        self.need("import itertools")
        if form == 0 or endless and form in (1, 4):
            out = self.fresh("int")
            self.out(f"{out} = list(itertools.islice({name}({source}), {self.number(1, 3)}))")
            self.out(f"print({out})")
        elif form == 1:
            got = self.fresh(("list", body))
            self.out(f"{got} = list({name}({source}))")
            self.bind(got, ("list", body))
        elif form == 2:
            got = self.named("first", "opening")
            gen = self.named("gen", "items_gen")
            self.out(f"{gen} = {name}({source})")
            self.out(f"{got} = next({gen}, None)")
            if not endless:
                self.bind(got, "any")
            if self.chance(0.5):
                self.out(f"{gen}.close()")
            elif self.chance(0.5):
                self.out(f"print(next({gen}, \"end\"), {got})")
        elif form == 3:
            n = self.named("taken", "rounds", "used")
            self.out(f"{n} = 0")
            with self.block(f"for got in {name}({source}):", loop=True, times=2):
                self.out(f"{n} += 1\nprint(got if {n} > 1 else \"first\")")
                with self.block(f"if {n} >= {self.number(1, 3)}:"):
                    self.out("break")
                if body:
                    self.bind("got", body, True)
                    self.body(1)
        elif form == 4:
            self.out(f"print({self.choose(['any', 'all', 'sum'])}(bool(x) for x in {name}({source})))")
        else:
            self.out(f"for a, b in zip({name}({source}), range({self.number(1, 3)})):\n    print(b, a)")
        self.blank()

    def i_generator_expression(self):
        """A generator expression that is read lazily: next, any, zip, a loop with break."""
        self.use("generator expression")
        kind, item = self.choose(["path", "url", "sku", "word", "uid"]), self.choose(["text", "int", "word"])
        seq = self.expr(("list", kind), 2)
        x = self.loop_name(kind)
        with self.element(x, kind):
            body = self.about(x, kind, item, 2)
            cond = f" if {self.about(x, kind, 'bool', 2)}" if self.chance(0.5) else ""
        gen = f"({body} for {x} in {seq}{cond})"
        form = self.number(0, 4)
        if form == 0:
            got = self.fresh("any")
            self.out(f"{got} = next({gen}, {self.choose(['None', quote('nothing')])})")
            self.bind(got, "any")
        elif form == 1:
            got = self.fresh("any")
            self.out(f"{got} = next{gen}")
            self.bind(got, "any")
        elif form == 2:
            lazy = self.named("lazy", "pending", "later")
            self.out(f"{lazy} = {gen}")
            self.body(1)
            self.out(f"print(list({lazy}), list({lazy}))")
        elif form == 3:
            self.out(f"print({self.choose(['max', 'min'])}({gen}, key=str, default=\"-\"))")
        else:
            with self.block(f"for value_seen in {gen}:", loop=True):
                self.out("print(value_seen)")
                with self.block("if value_seen:"):
                    self.out("break")

    # ---- classes -----------------------------------------------------------------------------------------------------
    def i_context_manager(self):
        name = self.named("Section", "Stage")
        self.use("context manager")
        self.classes.add(name)
        swallow = self.choose(["False", "kind is FileNotFoundError", "kind is not None and issubclass(kind, LookupError)", "True"])
        effect = self.choose(['print(f"</{self.title}>", kind.__name__ if kind else "ok")', 'db_write(f"section/{self.title}", str(value))',
                              'print("leaving", value)'])
        enter = self.choose(['print(f"<{self.title}>")', 'self.note = flaky(self.title)', 'print("enter", self.title)'])
        self.blank()
        if self.chance(0.3):
            self.need("import contextlib")
            after = self.choose(['print("end", title)', 'db_write(f"end/{title}", 1)'])
            self.out(f"class {name}Info:\n    def __init__(self, title):\n        self.title = title\n")
            shape = self.choose(["finally", "except"])
            handler = f"    finally:\n        {after}" if shape == "finally" else f'    except LookupError as err:\n        print("swallowed", err)'
            self.out(f"\n@contextlib.contextmanager\ndef {name}(title):\n    print(\"begin\", title)\n    try:\n        yield {name}Info(title)\n{handler}")
        else:
            self.out(f"class {name}:\n    def __init__(self, title):\n        self.title = title\n\n    def __enter__(self):\n        {enter}\n"
                     f"        return self\n\n    def __exit__(self, kind, value, tb):\n        {effect}\n        return {swallow}")
        self.purse -= 1
        self.blank()

    def i_dataclass(self):
        self.use("dataclass")
        self.need("from dataclasses import dataclass, field")
        name = self.named("Item", "Order", "Entry")
        self.blank()
        self.out("@dataclass")
        post = self.chance(0.3)
        self.out(f"class {name}:\n    sku: str\n    price: int = 0\n    notes: list = field(default_factory=list)")
        if post:
            self.out('\n    def __post_init__(self):\n        self.price = self.price or lookup("prices", self.sku)')
        prop = self.chance(0.5)
        if prop:
            self.out('\n    @property\n    def stock(self):\n        return lookup("stock", self.sku)')
        self.out(f"\n    def value(self):\n        return self.price * {self.choose(['2', 'len(self.sku)', 'lookup(' + quote('stock') + ', self.sku)'])}")
        self.blank()
        many = self.fresh(("list", "any"))
        price = self.choose(['lookup("prices", s)', '1', 'len(s)', '0'])
        self.out(f"{many} = [{name}(s, {price}) for s in {self.literal_list('sku')}]")
        self.purse -= 6
        out = self.choose([
            f"print(sum(x.value() for x in {many}), {many}[0])",
            f"print([x.{'stock' if prop else 'price'} for x in {many}])",
            f"print(max({many}, key=lambda x: x.{'stock' if prop else 'value()'}).sku)",
            f"for x in sorted({many}, key=lambda x: -x.price):\n    print(x.sku, x.value())",
            f"{many}[0].notes.append({self.expr('word', 2)})\nprint({many}[0], {many}[0] == {many}[-1])"])
        self.out(out)
        if self.chance(0.3):
            self.need("import dataclasses")
            self.out(f"print(dataclasses.asdict({many}[-1]), dataclasses.replace({many}[0], price=3).value())")
        self.blank()

    def i_dunder(self):
        """A class whose operations have effects: nobody but the program may run them, and only as often as it does."""
        self.use("dunder with effects")
        self.blank()
        form = self.number(0, 8)
        if form == 0:
            name, a = self.named("Loud", "Probe"), self.named("loud", "probe")
            self.out(f"class {name}:\n    def __init__(self, name):\n        self.name = name\n\n    def __getattr__(self, attr):\n"
                     f"        print(\"asked\", attr)\n        return f\"docs/{{attr}}.md\"\n\n    def __eq__(self, other):\n        print(\"compared\")\n        return True\n\n    def __hash__(self):\n        return 7")
            self.blank()
            self.out(f'{a} = {name}("x")')
            self.out(f"print(workspace.read_text({a}.faq)[:12], {a} == {self.expr('word', 2)})")
        elif form == 1:
            name, a = self.named("Pages", "Shelf"), self.named("pages", "shelf")
            self.out(f"class {name}:\n    def __init__(self, paths):\n        self.paths = list(paths)\n\n    def __len__(self):\n        print(\"len\")\n        return len(self.paths)\n\n"
                     f"    def __iter__(self):\n        print(\"iter\")\n        return iter(self.paths)\n\n    def __getitem__(self, i):\n        return workspace.read_text(self.paths[i])\n\n"
                     f"    def __contains__(self, path):\n        print(\"in?\", path)\n        return path in self.paths")
            self.blank()
            self.out(f"{a} = {name}({self.expr(('list', 'path'), 1)})")
            self.out(self.choose([f"print([workspace.read_text(p)[:9] for p in {a}], len({a}))",
                                  f"for p in {a}:\n    print(p, len(workspace.read_text(p)))",
                                  f"print({a}[0][:15] if {a} else \"none\", \"README.md\" in {a})",
                                  f"print(sorted({a}, key=lambda p: len(workspace.read_text(p))))",
                                  f"first_path, *more_paths = {a}\nprint(workspace.read_text(first_path)[:10], more_paths)"]))
        elif form == 2:
            name, a = self.named("Noisy", "Shout"), self.named("noisy", "shout")
            method = self.choose(["__str__", "upper", "__format__", "__add__"])
            params = {"__str__": "self", "upper": "self", "__format__": "self, spec", "__add__": "self, other"}[method]
            self.out(f"class {name}(str):\n    def {method}({params}):\n        print(\"{method}\")\n        return \"docs/faq.md\"")
            self.blank()
            self.out(f'{a} = {name}("{self.choose(["docs/api.md", "README.md", "nope"])}")')
            self.out(self.choose([f"print(len(workspace.read_text({a})))", f'print(len(workspace.read_text(f"{{{a}}}")))',
                                  f"print(len(workspace.read_text({a}.upper())))", f'print(len(workspace.read_text({a} + "")))',
                                  f"print(len(workspace.read_text(str({a}))))"]))
        elif form == 3:
            name, a = self.named("Cache", "Memo"), self.named("cache", "memo")
            self.out(f"class {name}(dict):\n    def __missing__(self, key):\n        print(\"miss\", key)\n        self[key] = lookup(\"{self.choose(['prices', 'stock'])}\", key)\n        return self[key]")
            self.blank()
            self.out(f"{a} = {name}()")
            self.out(f"print([{a}[s] for s in {self.literal_list('sku')}], {a}[\"sku-1\"], len({a}))")
        elif form == 4:
            name, a = self.named("Lazy", "Remote"), self.named("lazy_doc", "remote")
            self.out(f"class {name}:\n    loaded = 0\n\n    def __init__(self, path):\n        self.path = path\n\n    @property\n    def text(self):\n        {name}.loaded += 1\n        return workspace.read_text(self.path)\n\n"
                     f"    def __bool__(self):\n        print(\"truth of\", self.path)\n        return \"TODO\" in self.text\n\n    def __lt__(self, other):\n        return len(self.text) < len(other.text)\n\n    def __repr__(self):\n        return f\"<{{self.path}}>\"")
            self.blank()
            self.out(f"{a} = [{name}(p) for p in {self.expr(('list', 'path'), 1)}]")
            self.out(self.choose([f"print(sorted({a}), {name}.loaded)", f"print([x for x in {a} if x], {name}.loaded)",
                                  f"print(max({a}, default=None), any({a}), {name}.loaded)", f"print(len({a}[0].text) if {a} else 0, {name}.loaded)"]))
        elif form == 5:
            name, a = self.named("Client", "Service"), self.named("client", "service")
            self.out(f"class {name}:\n    base = \"https://docs.example.dev/\"\n\n    def __init__(self, log=None):\n        self.log = log if log is not None else []\n\n    def get(self, name, retries=1):\n        self.log.append(name)\n"
                     f"        for _ in range(retries + 1):\n            try:\n                return fetch(self.base + name)\n            except ConnectionError as err:\n                self.log.append(str(err))\n        return None\n\n"
                     f"    def __call__(self, *names):\n        return {{n: self.get(n) for n in names}}")
            self.blank()
            self.out(f"{a} = {name}()")
            self.out(self.choose([f'print({a}.get("sqlite")[:20], {a}.get("gone"), {a}.log)', f'pages_got = {a}("redis", "duckdb", "gone")\nprint({{k: v and len(v) for k, v in pages_got.items()}}, {a}.log)',
                                  f'for doc in ("sqlite", "postgres"):\n    print(summarize({a}.get(doc), 30))\nprint(*{a}.log)']))
        elif form == 6:
            name = self.named("AppError", "StepFailed")
            self.out(f"class {name}(Exception):\n    def __init__(self, step, cause):\n        super().__init__(f\"{{step}}: {{cause}}\")\n        self.step = step")
            self.blank()
            with self.block("try:"):
                with self.block("try:"):
                    self.out(self.failing())
                with self.block("except Exception as err:"):
                    self.out(f'raise {name}("load", err) {self.choose(["from err", "from None", ""])}'.rstrip())
            with self.block(f"except {name} as outer:"):
                self.out("print(outer, outer.step, repr(outer.__cause__), repr(outer.__context__), outer.__suppress_context__)")
                if self.chance(0.25):
                    self.out("raise")
        elif form == 7:
            name = self.named("Config", "Settings")
            self.out(f"class {name}:\n    region = lookup(\"config\", \"region\")\n    limit = {self.expr('int', 2)}\n    names = [{self.expr('word', 2)} for _ in range(2)]\n\n    @classmethod\n    def show(cls):\n        return f\"{{cls.region}}/{{cls.limit}}\"\n\n    @staticmethod\n    def get(key):\n        return lookup(\"config\", key)")
            self.blank()
            self.out(f'print({name}.show(), {name}.get("{self.choose(["retries", "ratio", "nope"])}"), {name}.names)')
        else:
            name, a = self.named("Money", "Amount"), self.named("money", "amount_due")
            self.out(f"class {name}:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def __add__(self, other):\n        print(\"add\", self.cents, getattr(other, \"cents\", other))\n        return {name}(self.cents + getattr(other, \"cents\", other))\n\n    __radd__ = __add__\n\n"
                     f"    def __format__(self, spec):\n        return f\"{{self.cents / 100:{{spec or '.2f'}}}}\"")
            self.blank()
            self.out(f"{a} = sum(({name}(lookup(\"prices\", s)) for s in {self.literal_list('sku')}), {name}(0))")
            self.out(f'print(f"{{{a}}} {{{a}:.1f}}")')
        self.purse -= 4
        self.blank()

    def i_hostile(self):
        """Argument objects with code of their own: looked at once, by the call that takes them, and by nobody before."""
        self.use("hostile arguments")
        form = self.number(0, 6)
        self.blank()
        if form == 0:
            name, a = self.named("Tags", "Labels"), self.named("tags", "choices")
            self.out(f"class {name}(list):\n    def __iter__(self):\n        print(\"iter\")\n        return super().__iter__()\n\n"
                     f"    def __len__(self):\n        print(\"len\")\n        return super().__len__()")
            self.blank()
            self.out(f"{a} = {name}({self.literal_list('label')})")
            self.out(self.choose([f"print(classify({self.expr('text', 1)}, {a}))", f"print([classify(t, {a}) for t in {self.expr(('list', 'text'), 1)}])",
                                  f'db_write("tags", {a})', f'print(lookup("prices", {a}[0]) if len({a}) > 9 else "few")']))
        elif form == 1:
            name, a = self.named("Record", "Doc"), self.named("record", "doc_record")
            method, params = self.choose([("items", "self"), ("__iter__", "self"), ("__getitem__", "self, key"), ("__eq__", "self, other")])
            rest = params.replace("self, ", "").replace("self", "")
            self.out(f"class {name}(dict):\n    def {method}({params}):\n        print(\"{method}\")\n        return super().{method}({rest})")
            self.blank()
            self.out(f'{a} = {name}(path="docs/faq.md", n={self.number(1, 5)})')
            self.out(self.choose([f'db_write("doc", {a})', f'print(len(workspace.read_text({a}["path"])))', f'print(lookup("prices", f"sku-{{{a}[\'n\']}}"))',
                                  f'for key in {a}:\n    print(key, flaky(key))', f'print(sorted({a}.items(), key=lambda kv: str(kv[1])), {a} == {{}})']))
        elif form == 2:
            name, a = self.named("Count", "Size"), self.named("many", "how_many")
            method, params = self.choose([("__index__", "self"), ("__add__", "self, other"), ("__repr__", "self"), ("__lt__", "self, other"), ("__bool__", "self"), ("__hash__", "self")])
            result = {"__index__": "2", "__add__": "3", "__repr__": '"<n>"', "__lt__": "True", "__bool__": "True", "__hash__": "1"}[method]
            self.out(f"class {name}(int):\n    def {method}({params}):\n        print(\"{method}\")\n        return {result}")
            self.blank()
            self.out(f"{a} = {name}({self.number(1, 4)})")
            self.out(self.choose([f'print(lookup("issues", {a}))', f'print(lookup("prices", f"sku-{{{a}}}"))', f'print(summarize({self.expr("text", 1)}, {a} + 40))',
                                  f'print([lookup("weights", f"w{{i}}") for i in range({a})])', f'print(fetch("https://docs.example.dev/redis")[{a}:20] if {a} else "none")']))
        elif form == 3:
            name, a = self.named("Name", "Ident"), self.named("ident", "who")
            method, params, result = self.choose([("__hash__", "self", "str.__hash__(self)"), ("__eq__", "self, other", "str.__eq__(self, other)"), ("__str__", "self", '"sku-2"'),
                                                  ("__len__", "self", "5"), ("__getitem__", "self, i", "str.__getitem__(self, i)"), ("startswith", "self, *a", "str.startswith(self, *a)")])
            hashed = "\n\n    __hash__ = str.__hash__" if method == "__eq__" else ""
            self.out(f"class {name}(str):\n    def {method}({params}):\n        print(\"{method}\")\n        return {result}{hashed}")
            self.blank()
            self.out(f'{a} = {name}("{self.choose(["sku-1", "sku-3", "sku-9"])}")')
            self.out(self.choose([f'print(lookup("prices", {a}))', f'print([lookup(t, {a}) for t in ("prices", "stock")])', f'print(flaky({a}), flaky({a}))',
                                  f'print(lookup("stock", str({a})))', f'print(search(f"about {{{a}}}"), {a}[:3])', f'print({{{a}: lookup("prices", {a})}})']))
        elif form == 4:
            name = self.named("Path", "Location")
            self.out(f"class {name}:\n    def __init__(self, p):\n        self.p = p\n\n    def __truediv__(self, other):\n        print(\"join\", other)\n        return {name}(f\"{{self.p}}/{{other}}\")\n\n"
                     f"    def __fspath__(self):\n        return self.p\n\n    def __str__(self):\n        print(\"str\")\n        return self.p\n\n    def read(self):\n        return workspace.read_text(str(self))")
            self.blank()
            self.out(self.choose([f'print([( {name}("docs") / n).read()[:9] for n in ("faq.md", "api.md")])', f'print(({name}("notes") / "todo.txt").read()[:20], workspace.read_text(f"{{{name}(\'LICENSE\')}}")[:3])',
                                  f'try:\n    print(workspace.read_text({name}("LICENSE")))\nexcept TypeError as err:\n    print(err)']))
        elif form == 5:
            name, a = self.named("Source", "Feed"), self.named("feed", "feed_items")
            self.out(f"class {name}:\n    def __init__(self, n):\n        self.n = n\n\n    def __iter__(self):\n        return self\n\n    def __next__(self):\n        print(\"next\", self.n)\n        if self.n <= 0:\n            raise StopIteration\n        self.n -= 1\n        return f\"sku-{{self.n + 1}}\"")
            self.blank()
            self.out(f"{a} = {name}({self.number(2, 5)})")
            self.out(self.choose([f'print([lookup("prices", s) for s in {a}])', f'print(max({a}, key=lambda s: lookup("stock", s)), list({a}))', f'print(any(lookup("stock", s) == 0 for s in {a}), next({a}, "end"))',
                                  f'for s in {a}:\n    print(s, lookup("stock", s))\n    if s == "sku-2":\n        break', f'print(dict(zip({a}, map(flaky, {a}))))']))
        else:
            name, a = self.named("Guard", "Proxy"), self.named("proxied", "guarded_hit")
            self.out(f"class {name}:\n    def __init__(self, inner):\n        self.__dict__[\"inner\"] = inner\n\n    def __getattr__(self, name):\n        print(\"get\", name)\n        return self.inner[name]\n\n    def __setattr__(self, name, value):\n        print(\"set\", name)\n        self.inner[name] = value\n\n"
                     f"    def __getitem__(self, name):\n        print(\"item\", name)\n        return self.inner[name]")
            self.blank()
            self.out(f"{a} = {name}({self.c_search(1)}[0])")
            self.out(self.choose([f"print(fetch({a}.url)[:20], {a}[\"title\"])", f"{a}.url = \"https://docs.example.dev/redis\"\nprint(fetch({a}[\"url\"])[:12])", f"print(summarize(fetch({a}[\"url\"]), len({a}.title) + 20))"]))
        self.purse -= 3
        self.blank()

    # ---- oddities ----------------------------------------------------------------------------------------------------
    def i_shadow(self):
        """A tool's or a builtin's name means something else from here on."""
        self.use("shadowing")
        self.blank()
        form = self.number(0, 7)
        if form == 0:
            name = self.choose(["fetch", "flaky", "summarize"])
            self.out(f'def {name}(what, *rest, **options):\n    print("my {name}", str(what)[:20])\n    return f"own {{what}}"')
        elif form == 1:
            name = self.choose(["fetch", "flaky", "search"])
            self.out(f"real_{name} = {name}\n\n\ndef {name}(what):\n    print(\"wrapped\", what)\n    return real_{name}(what)")
        elif form == 2:
            self.need("import builtins")
            # none that a tool uses: a tool's use of global state is nobody's observation
            fn, call = self.choose([("divmod", "divmod(7, 2)[0]"), ("chr", "len(chr(65))"), ("hex", "len(hex(20))")])
            self.out(f"real_{fn} = {fn}")
            self.out(f"builtins.{fn} = " + {"divmod": "lambda a, b: (b, a)", "chr": 'lambda n: "chr" + real_chr(n)', "hex": "lambda n: print(\"hex\") or real_hex(n)"}[fn])
            self.out(f'print(lookup("prices", f"sku-{{{call}}}"), [lookup("stock", f"sku-{{n + {call} - {call}}}") for n in (1, 2)])')
            self.body(1)
            self.out(f"builtins.{fn} = real_{fn}")
            self.purse -= 3
        elif form == 3:
            fn = self.choose(["len", "sorted", "str", "max"])
            self.out(f'plain_{fn} = {fn}\n\n\ndef {fn}(*args, **kwargs):\n    print("patched {fn}")\n    return plain_{fn}(*args, **kwargs)')
            self.blank()
            self.body(2)
            self.out(f"del {fn}")
        elif form == 4:
            name = self.choose(["search", "embed", "classify"])
            self.out(f"for {name} in [{name}]:\n    pass")
        elif form == 5:
            self.need("import json")
            self.out('real_loads = json.loads\njson.loads = lambda text: {"patched": len(text)}')
            self.out('print(json.loads(workspace.read_text("config/dev.json")))')
            self.out("json.loads = real_loads")
        elif form == 6:
            name = self.choose(["fetch", "lookup", "flaky"])
            self.out(f"saved_tool = {name}\ndel {name}")
            with self.block("try:"):
                self.out(f'print({name}("x"))')
            with self.block("except NameError as err:"):
                self.out("print(err)")
            self.out(f"{name} = saved_tool")
        else:
            self.out("class workspace_proxy:\n    def read_text(self, path):\n        print(\"proxy\", path)\n        return original.read_text(path)\n")
            self.blank()
            self.out("original, workspace = workspace, workspace_proxy()")
            self.body(2)
            self.out("workspace = original")
        self.blank()

    def i_collections(self):
        self.use("collections")
        form = self.number(0, 4)
        if form == 0:
            self.need("from collections import Counter")
            c = self.named("tally_by", "counts")
            self.out(f"{c} = Counter(classify(t, [\"docs\", \"bug\", \"tea\"]) for t in {self.expr(('list', 'text'), 2)})")
            self.out(f"print({c}.most_common(2), sum({c}.values()))")
            self.purse -= 3
        elif form == 1:
            self.need("from collections import namedtuple")
            name, rows = self.named("Row", "Line"), self.fresh(("list", "any"))
            self.out(f'{name} = namedtuple("{name}", "sku price stock")')
            self.out(f'{rows} = [{name}(s, lookup("prices", s), lookup("stock", s)) for s in {self.literal_list("sku")}]')
            self.out(f"print(sorted({rows}, key=lambda r: (-r.stock, r.sku))[0])")
            self.purse -= 6
        elif form == 2:
            self.need("import itertools")
            self.use("itertools")
            self.out(f"for a, b in itertools.product({self.literal_list('label')}, {self.expr(('list', 'text'), 1)}):\n    print(a, classify(b, [a, \"other\"]))")
            self.purse -= 6
        elif form == 3:
            self.need("import itertools")
            self.use("itertools")
            self.out(f"print(list(itertools.accumulate(lookup(\"prices\", s) for s in {self.literal_list('sku')})))")
            self.purse -= 3
        else:
            self.need("import functools")
            self.out(f"print(functools.reduce(lambda acc, p: acc + len(workspace.read_text(p)), {self.expr(('list', 'path'), 1)}, 0))")
            self.purse -= 3

    def i_pipeline(self):
        """search -> fetch -> summarize for several topics, as an agent would write it."""
        self.use("pipeline")
        kind = self.choose(["query", "city"])
        seq = self.literal_list(kind)
        out = self.named("facts", "findings", "results_by_topic")
        query = "topic" if kind == "query" else 'f"city of {topic}"'
        if self.chance(0.5):
            self.out(f'{out} = {{topic: summarize(fetch(search({query})[0]["url"]), limit={self.choose([30, 50])}) for topic in {seq}}}')
        else:
            self.out(f"{out} = {{}}")
            with self.block(f"for topic in {seq}:", loop=True, times=3):
                self.out(f"hits_here = search({query})")
                self.bind("hits_here", ("list", "hit"))
                with self.block("if not hits_here:"):
                    self.out(self.choose(["continue", f'{out}[topic] = "nothing"\ncontinue']))
                with self.block("try:"):
                    self.out('page_here = fetch(hits_here[0]["url"])')
                with self.block("except ConnectionError as err:"):
                    self.out(self.choose(['print("skipped", err)\ncontinue', f"{out}[topic] = str(err)\ncontinue"]))
                self.bind("page_here", "text")
                if self.chance(0.5):
                    self.body(1)
                self.out(f"{out}[topic] = summarize(page_here, {self.choose([30, 50])})")
        self.purse -= 9
        self.out(self.choose([f"for key, fact in {out}.items():\n    print(f\"{{key:>14}}: {{fact}}\")", f"print(len({out}), sorted({out}))"]))
        self.bind(out, ("dict", "str", "text"))

    def i_exit(self):
        self.use("exit")
        form = self.number(0, 6)
        cond = self.expr("bool", 2)
        line = [
            "import sys\nsys.exit(%d)" % self.number(0, 3), 'raise SystemExit("stopped early")', 'raise KeyboardInterrupt("user")',
            f"raise RuntimeError({self.expr('text', 1)})", self.failing(), f"raise ValueError({self.expr('word', 2)})", "exit_now = 1 // 0",
        ][form]
        if self.chance(0.7):
            with self.block(f"if {cond}:"):
                self.out(line)
        else:
            self.out(line)
