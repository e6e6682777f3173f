"""Modules of the standard library that not every program needs: loaded when the program imports one of them.

Their values (dates, paths, decimals, ...) are immutable; the table says what may be asked of them."""
from __future__ import annotations

from .._own import __builtins__

import csv
import datetime
import decimal
import fractions
import hashlib
import pathlib
import statistics
import textwrap
import urllib.parse

from .flow import OPAQUE
from .natives import flat, iterator, simple
from .values import LIBRARY, Module, Native, Ref



def methods(text):
    return frozenset(text.split())


LIBRARY.update({
    datetime.date: methods("year month day isoformat strftime weekday isoweekday replace toordinal isocalendar ctime"),
    datetime.datetime: methods("year month day hour minute second microsecond isoformat strftime weekday isoweekday "
                               "replace date time toordinal isocalendar ctime tzinfo"),
    datetime.time: methods("hour minute second isoformat strftime replace"),
    datetime.timedelta: methods("days seconds microseconds total_seconds"),
    datetime.timezone: methods(""),
    decimal.Decimal: methods("quantize normalize to_integral_value is_nan is_zero as_tuple"),
    fractions.Fraction: methods("numerator denominator limit_denominator"),
    pathlib.PurePosixPath: methods("name stem suffix suffixes parent parts anchor joinpath with_suffix with_name "
                                   "as_posix is_absolute relative_to match is_relative_to"),
    urllib.parse.ParseResult: methods("scheme netloc path params query fragment hostname port geturl username"),
    urllib.parse.SplitResult: methods("scheme netloc path query fragment hostname port geturl username"),
    type(hashlib.sha256()): methods("hexdigest digest"),
})
OPAQUE.update(LIBRARY)
_reader, _dict_reader = csv.reader, csv.DictReader


def library_type(t, functions=""):
    """A class of the library that can be called (with plain arguments), and its constructors."""
    EXTRA.update({f"{t.__name__}.{n}": simple(n, getattr(t, n)) for n in functions.split()})
    return Native(t.__name__, simple(t.__name__, t).impl, t)


EXTRA: dict = {}


def path_type():
    def run(s, line, args, kw):
        return s.when(line, [tuple(args)], lambda ctx, a: s.native(pathlib.PurePosixPath, a), deep=True)
    return Native("Path", run, pathlib.PurePosixPath)


def rows_of(s, line, v, then):
    """csv over the lines of a text file, a list of lines or an iterator."""
    def go(ctx, lines):
        def read(c, texts):
            s.charge(sum(len(t) for t in texts if type(t) is str) * 8)
            return then(c, texts)
        return s.when(ctx, [tuple(s.as_list(lines))], read, deep=True)
    return s.when(line, [flat(s, line, v)], go)


def csv_reader(s, line, args, kw):
    names = list(kw)

    def go(ctx, options):
        options = dict(zip(names, options))
        return rows_of(s, ctx, args[0], lambda c, texts: list(s.lift(list(_reader(texts, **options))).birth))
    return iterator(s, line, s.when(line, [tuple(kw.values())], go, deep=True))


def csv_dicts(s, line, args, kw):
    names = list(kw)

    def go(ctx, options):
        options = dict(zip(names, options))
        return rows_of(s, ctx, args[0], lambda c, texts: list(
            s.lift([dict(r) for r in _dict_reader(texts, *args[1:], **options)]).birth))
    return iterator(s, line, s.when(line, [tuple(kw.values())], go, deep=True))


def statistics_fn(name):
    fn = getattr(statistics, name)

    def run(s, line, args, kw):
        return s.when(line, [Ref("list", flat(s, line, args[0]))], lambda ctx, xs: s.native(fn, (xs,)),
                      deep=True)
    return Native(name, run)


def build():
    """name -> Module"""
    url = Module("urllib.parse", {n: simple(n, getattr(urllib.parse, n)) for n in (
        "quote", "quote_plus", "unquote", "unquote_plus", "urlencode", "urljoin", "urlparse", "urlsplit", "parse_qs",
        "parse_qsl")})
    path = path_type()
    return {
        "datetime": Module("datetime", {
            "date": library_type(datetime.date, "fromisoformat fromordinal"),
            "datetime": library_type(datetime.datetime, "fromisoformat strptime fromtimestamp combine"),
            "timedelta": library_type(datetime.timedelta), "time": library_type(datetime.time),
            "UTC": datetime.timezone.utc}),
        "decimal": Module("decimal", {"Decimal": library_type(decimal.Decimal),
                                      "ROUND_HALF_UP": decimal.ROUND_HALF_UP}),
        "fractions": Module("fractions", {"Fraction": library_type(fractions.Fraction)}),
        "pathlib": Module("pathlib", {"Path": path, "PurePath": path, "PurePosixPath": path}),
        "hashlib": Module("hashlib", {n: simple(n, getattr(hashlib, n)) for n in ("md5", "sha1", "sha256", "sha512")}),
        "csv": Module("csv", {"reader": Native("reader", csv_reader), "DictReader": Native("DictReader", csv_dicts)}),
        "urllib": Module("urllib", {"parse": url}),
        "urllib.parse": url,
        "statistics": Module("statistics", {n: statistics_fn(n) for n in (
            "mean", "median", "mode", "stdev", "pstdev", "fmean")}),
        "textwrap": Module("textwrap", {n: simple(n, getattr(textwrap, n)) for n in (
            "dedent", "shorten", "fill", "wrap", "indent")}),
    }
