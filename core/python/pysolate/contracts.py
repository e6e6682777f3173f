"""Tools and their contracts.

A contract says what the scheduler may do with a tool. It is given by the decorator,

    @pysolate.tool(effect="immutable_read", cancellable=True)
    async def fetch(url): ...

by a table beside plain functions or an object (`contracts={"workspace.read_text": "immutable_read"}`), or by an MCP
tool list (`pysolate.mcp.tools`). A tool without a contract is `external_write`: it runs when reached, in source order.
"""
from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
from typing import Callable, Mapping

from ._own import __builtins__

EFFECTS = ("pure", "immutable_read", "open_read", "private_write", "external_write")
EARLY_EFFECTS = frozenset({"pure", "immutable_read"})
FAILURES = ("stable", "transient")
GENERATED = "<pysolate binder>"  # file name of generated code; its frames are no part of a traceback


@dataclass(frozen=True)
class Contract:
    """What the scheduler may assume of a tool.

    effect       one of EFFECTS; only `pure` and `immutable_read` may start early and be shared
    failure      `stable`: the same arguments fail the same way; `transient`: an early failure satisfies nobody
    root         the fixed root it reads, or writes ("" none)
    resource     resource class whose budget it takes, and how much of it (`cost`)
    cancellable  the host may stop an attempt; None: asynchronous tools yes, others no
    deadline     seconds an attempt may take, None for ever
    retry        further attempts after a transient failure
    early, reuse opt-outs: never early; equal calls do not share an attempt
    thread       "main": always on the program's thread (for tools that are bound to it, such as a sqlite3 connection)
    redact       parameters that traces must not show (True: all)
    """
    effect: str = "external_write"
    failure: str = "stable"
    root: str = ""
    resource: str = ""
    cost: int = 1
    cancellable: bool | None = None
    deadline: float | None = None
    retry: int = 0
    early: bool = True
    reuse: bool = True
    thread: str | None = None
    redact: tuple[str, ...] | bool = ()

    def __post_init__(self):
        if self.effect not in EFFECTS:
            raise ValueError(f"effect must be one of {', '.join(EFFECTS)}, not {self.effect!r}")
        if self.failure not in FAILURES:
            raise ValueError(f"failure must be stable or transient, not {self.failure!r}")
        if self.thread not in (None, "main"):
            raise ValueError(f"thread must be None or 'main', not {self.thread!r}")
        if type(self.cost) is not int or self.cost < 0:
            raise ValueError(f"cost must be a non-negative int, not {self.cost!r}")
        if type(self.retry) is not int or self.retry < 0:
            raise ValueError(f"retry must be a non-negative int, not {self.retry!r}")
        if self.deadline is not None and not self.deadline > 0:
            raise ValueError(f"deadline must be positive seconds, not {self.deadline!r}")

    @property
    def may_be_early(self) -> bool:
        return self.early and self.effect in EARLY_EFFECTS

    @property
    def ordered(self) -> bool:
        return self.effect not in EARLY_EFFECTS

    @classmethod
    def of(cls, given) -> "Contract":
        """A Contract from a Contract, an effect's name, a mapping of its fields, or None (unknown tool)."""
        if given is None:
            return cls()
        if isinstance(given, Contract):
            return given
        if isinstance(given, str):
            return cls(effect=given)
        if isinstance(given, Mapping):
            known = {f.name for f in fields(cls)}
            unknown = sorted(set(given) - known)
            if unknown:
                raise ValueError(f"unknown contract field {unknown[0]!r}; known: {', '.join(sorted(known))}")
            values = dict(given)
            if isinstance(values.get("redact"), list):
                values["redact"] = tuple(values["redact"])
            return cls(**values)
        raise TypeError(f"a contract is a Contract, an effect's name or a mapping, not {type(given).__name__}")


def tool(function=None, /, **contract):
    """Decorator: attaches a contract to a function or method, which stays as it is when called outside a run."""
    if isinstance(function, str):
        raise TypeError("write @tool(effect=...), with the contract's fields by name")
    made = Contract(**contract)

    def attach(f):
        f.__pysolate_contract__ = made
        return f

    return attach if function is None else attach(function)


@dataclass(frozen=True)
class Variants:
    """Contracts of one tool that depend on its arguments (a `fetch` with a budget for each origin).

    of(bound)      -> (label, Contract) for these arguments; equal labels mean equal contracts. Pure; does not raise
    may_be_early   whether any of them may start early
    """
    of: Callable[[dict], tuple[str, Contract]]
    may_be_early: bool


@dataclass(frozen=True)
class ToolSpec:
    """One tool as a host can run it.

    bind(args, kwargs) gives the arguments by parameter name, or raises TypeError before anything is dispatched.
    perform(bound) is one physical call: it returns the value, raises, or returns an awaitable if `is_async`.
    """
    name: str
    contract: Contract
    bind: Callable[[tuple, dict], dict]
    perform: Callable[[dict], object] | None
    is_async: bool = False
    doc: str | None = None
    variants: Variants | None = None  # if there are any, `contract` only stands for the tool before its arguments are known

    def with_contract(self, contract: Contract) -> "ToolSpec":
        return replace(self, contract=contract)


def spec_of(name: str, function: Callable, contract=None) -> ToolSpec:
    """The ToolSpec of a plain function, bound method or callable object."""
    if contract is None:
        contract = getattr(function, "__pysolate_contract__", None)
    bind, perform = _binder(name, function)
    return ToolSpec(name, Contract.of(contract), bind, perform, _is_async(function), inspect.getdoc(function))


def _is_async(function) -> bool:
    target = function
    while hasattr(target, "func") and not inspect.isfunction(target):  # functools.partial
        target = target.func
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(getattr(target, "__call__", None))


def _binder(name, function):
    """bind and perform for a Python callable.

    Binding is done by a generated function with the same parameters, so that a wrong call gets Python's own message,
    at its own speed.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return (lambda args, kwargs: {"args": args, "kwargs": kwargs},
                lambda bound: function(*bound["args"], **bound["kwargs"]))
    return binder_of(getattr(function, "__qualname__", name), signature, function)


def binder_of(shown: str, signature: inspect.Signature, function: Callable):
    """(bind, perform) for a signature; `shown` is the name in Python's messages."""
    parts, entries, passed = [], [], []
    defaults, kwdefaults = [], {}
    kinds = inspect.Parameter
    params = list(signature.parameters.values())
    star_seen = False
    for i, p in enumerate(params):
        has_default = p.default is not kinds.empty
        if p.kind is kinds.KEYWORD_ONLY and not star_seen:
            parts.append("*")
            star_seen = True
        if p.kind is kinds.VAR_POSITIONAL:
            parts.append("*" + p.name)
            star_seen = True
            passed.append(f"*b[{p.name!r}]")
        elif p.kind is kinds.VAR_KEYWORD:
            parts.append("**" + p.name)
            passed.append(f"**b[{p.name!r}]")
        else:
            parts.append(p.name + ("=None" if has_default else ""))
            passed.append((p.name + "=" if p.kind is kinds.KEYWORD_ONLY else "") + f"b[{p.name!r}]")
            if has_default and p.kind is kinds.KEYWORD_ONLY:
                kwdefaults[p.name] = p.default
            elif has_default:
                defaults.append(p.default)
        if p.kind is kinds.POSITIONAL_ONLY and (i + 1 == len(params) or params[i + 1].kind is not kinds.POSITIONAL_ONLY):
            parts.append("/")
        entries.append(f"{p.name!r}: {p.name}")
    namespace: dict = {"_target": function}
    text = (f"def _bind({', '.join(parts)}): return {{{', '.join(entries)}}}\n"
            f"def _perform(b): return _target({', '.join(passed)})\n")
    exec(compile(text, GENERATED, "exec"), namespace)
    made = namespace["_bind"]
    made.__qualname__ = made.__name__ = shown
    made.__defaults__ = tuple(defaults) or None
    made.__kwdefaults__ = kwdefaults or None
    return (lambda args, kwargs: made(*args, **kwargs)), namespace["_perform"]


def collect(tools, contracts: Mapping | None = None) -> dict[str, ToolSpec]:
    """ToolSpecs by dotted name from what people have.

    `tools` is a mapping name -> function, (function, contract), ToolSpec or object with methods; or an iterable of
    functions and ToolSpecs. `contracts`: dotted name -> contract; it wins over decorators. Methods of an object become
    `name.method`; without a contract they are `external_write`, as every unknown tool.
    """
    table = dict(contracts or {})
    specs: dict[str, ToolSpec] = {}
    if not isinstance(tools, Mapping):
        tools = {getattr(t, "name", None) or t.__name__: t for t in (tools or ())}
    for name, given in tools.items():
        if not isinstance(name, str) or not name.isidentifier() and "." not in name:
            raise ValueError(f"a tool's name must be an identifier or object.method, not {name!r}")
        own = None
        if isinstance(given, tuple) and len(given) == 2:
            given, own = given
        own = table.pop(name, own)
        if isinstance(given, ToolSpec):
            given = replace(given, name=name)
            specs[name] = given if own is None else given.with_contract(Contract.of(own))
        elif callable(given) and not inspect.isclass(given):
            specs[name] = spec_of(name, given, own)
        else:
            if own is not None:
                raise ValueError(f"{name} is an object: give contracts for its methods ({name}.method)")
            for method in dir(given):
                if method.startswith("_"):
                    continue
                function = getattr(given, method)
                if callable(function) and not inspect.isclass(function):
                    dotted = f"{name}.{method}"
                    specs[dotted] = spec_of(dotted, function, table.pop(dotted, None))
    if table:
        raise ValueError(f"a contract names no tool: {sorted(table)[0]}")
    return specs
