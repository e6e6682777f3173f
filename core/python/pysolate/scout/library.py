"""Immutable values of the standard library (dates, paths, decimals, ...): what may be asked of them."""
from __future__ import annotations

from .._own import __builtins__

import datetime
import decimal
import fractions
import hashlib
import pathlib
import urllib.parse

from .values import Native, Poisoned, Unknown


def methods(text):
    return frozenset(text.split())


LIBRARY = {
    datetime.date: methods("year month day isoformat strftime weekday isoweekday replace toordinal isocalendar ctime"),
    datetime.datetime: methods("year month day hour minute second microsecond isoformat strftime weekday isoweekday "
                               "replace date time toordinal isocalendar ctime tzinfo"),
    datetime.time: methods("hour minute second isoformat strftime replace"),
    datetime.timedelta: methods("days seconds microseconds total_seconds"),
    datetime.timezone: methods(""),
    decimal.Decimal: methods("quantize normalize to_integral_value is_nan is_zero as_tuple"),
    fractions.Fraction: methods("numerator denominator limit_denominator"),
    pathlib.PurePosixPath: methods("name stem suffix suffixes parent parts anchor joinpath with_suffix with_name as_posix "
                                   "is_absolute relative_to match is_relative_to"),
    urllib.parse.ParseResult: methods("scheme netloc path params query fragment hostname port geturl username"),
    urllib.parse.SplitResult: methods("scheme netloc path query fragment hostname port geturl username"),
    type(hashlib.sha256()): methods("hexdigest digest"),
}


def library_attr(s, v, name):
    """An attribute of a library value: plain, or a method to be called."""
    allowed = next((names for t, names in LIBRARY.items() if type(v) is t), frozenset())
    if name not in allowed:
        raise Poisoned(Unknown(f"'{name}' of a {type(v).__name__} is not evaluated by the scout"))
    x = getattr(v, name)
    if callable(x):
        def run(s2, line, args, kw):
            names = list(kw)
            return s.when(line, [tuple(args), tuple(kw.values())],
                          lambda ctx, a, k: s.native(x, a, dict(zip(names, k))), deep=True)
        return Native(name, run)
    return s.lift(x)
