"""What programs talk about: literals that the corpus tools know, by kind, and some that make a call fail.

A *kind* says what a value is good for: `path` can be read, `uid` looked up. All string kinds are also `str`.
"""
from __future__ import annotations

from .corpus import toolset

URLS = [u for u in toolset.PAGES if len(toolset.PAGES[u][1]) > 40]

LITERALS: dict[str, list[str]] = {
    "path": [p for p in toolset.WORKSPACE if p != "data/broken.json"],
    "dir": ["docs", "src", "src/shop", "notes", "config", "docs/adr", "tests", "."],
    "pattern": ["docs/*.md", "src/shop/*.py", "notes/*", "config/*.json", "data/*.csv", "docs/adr/*.md",
                "src/**/*.py", "tests/*.py", "none/*.txt"],
    "url": URLS,
    "query": ["tea caffeine", "green tea", "night trains", "battery", "coffee", "sqlite database", "city of oslo",
              "concurrent writers", "cloud outage", "zebra"],
    "sku": ["sku-1", "sku-2", "sku-3", "sku-4", "sku-5"],
    "uid": ["u1", "u2", "u3", "u4", "u5"],
    "oid": ["o-1", "o-2", "o-3", "o-4"],
    "tid": ["t-101", "t-102", "t-103", "t-104"],
    "eid": ["e1", "e2", "e3", "e4", "e5", "e6"],
    "node": ["A", "B", "C", "D", "E", "F"],
    "pkg": ["app", "web", "db", "http", "json"],
    "team": ["core", "growth", "empty"],
    "city": ["oslo", "lisbon", "kyoto", "quito", "nairobi"],
    "country": ["Norway", "Portugal", "Japan", "Ecuador", "Kenya"],
    "currency": ["EUR", "USD", "SEK", "JPY"],
    "account": ["acc-1", "acc-2", "acc-3"],
    "symbol": ["ACME", "OSLO", "TEA", "CHIP"],
    "setting": ["timeout", "region", "limit", "retries", "ratio", "owner", "banner", "debug"],
    "page": ["p1", "p2", "p3"],
    "link": ["n3", "n10", "n42", "n78"],
    "flake": ["ok", "alpha", "beta", "cart", "stock"],
    "addr": ["ops@example.com", "ida@example.com", "team@example.com"],
    "label": ["urgent", "refund", "spam", "docs", "bug", "tea", "stock"],
    "word": ["alpha", "total", "tea", "the", "TODO", "report", "error", "shop", "Oslo", "x"],
    "text": ["Refund please. It is urgent.", "a typo in the docs", "Tea and coffee. Both have caffeine.",
             "The price is 20 EUR. The stock is low.", ""],
}

# The same argument slots filled so that the call raises (or, for `page`, so that the value is odd).
BROKEN: dict[str, list[str]] = {
    "path": ["docs/missing.md", "docs", "notes/none.txt"],
    "dir": ["nowhere", "README.md"],
    "url": ["https://mirror.example.net/dead", "https://nowhere.example/x"],
    "sku": ["sku-9", "sku-x"],
    "uid": ["u9"],
    "oid": ["o-9"],
    "tid": ["t-404"],
    "node": ["Z"],
    "pkg": ["nope"],
    "city": ["atlantis"],
    "country": ["Atlantis"],
    "account": ["closed-1"],
    "setting": ["missing_key"],
    "flake": ["bad-disk", "missing-index", "evil-map", "bad1", "missing2"],
    "addr": ["nobody", "not an address"],
    "link": ["n80", "x1"],
}

STRINGS = set(LITERALS) | {"str"}

# lookup(table, key): key kind -> [(table, kind of the value)]
TABLES: dict[str, list[tuple[str, object]]] = {
    "sku": [("prices", "int"), ("stock", "int")],
    "uid": [("users", "user")],
    "oid": [("orders", "order")],
    "tid": [("tickets", "ticket")],
    "eid": [("events", "any")],
    "node": [("graph", ("list", "node"))],
    "pkg": [("deps", ("list", "pkg")), ("versions", "word")],
    "team": [("teams", ("list", "uid"))],
    "country": [("capitals", "word")],
    "currency": [("rates", "float")],
    "setting": [("config", "any")],
    "page": [("pages", "pagerec")],
    "link": [("chain", "link")],
    "account": [("accounts", "accrec")],
}

# records: kind -> {field: kind of the value}
RECORDS: dict[str, dict[str, object]] = {
    "hit": {"title": "text", "url": "url"},
    "user": {"name": "text", "email": "addr", "plan": "word", "manager": "uid"},
    "order": {"user": "uid", "total": "int", "items": "int", "status": "word", "note": "text"},
    "ticket": {"from": "uid", "subject": "text", "body": "text"},
    "pagerec": {"items": ("list", "word")},
    "accrec": {"owner": "uid", "balance": "int"},
}

NAMES: dict[str, list[str]] = {
    "text": ["text", "body", "page", "note", "summary", "content"],
    "word": ["word", "name", "tag", "status"],
    "path": ["path", "file", "source"],
    "dir": ["folder", "root"],
    "url": ["url", "link", "target"],
    "query": ["query", "topic"],
    "sku": ["sku", "product", "item"],
    "uid": ["uid", "user_id", "member"],
    "oid": ["oid", "order_id"],
    "tid": ["ticket_id", "tid"],
    "node": ["node", "vertex"],
    "pkg": ["pkg", "dep"],
    "city": ["city", "place"],
    "int": ["n", "count", "total", "size", "score"],
    "float": ["price", "rate", "ratio"],
    "bool": ["ok", "found", "flag"],
    "label": ["label", "kind"],
    "hit": ["hit", "best"],
    "user": ["user", "person"],
    "order": ["order"],
    "ticket": ["ticket"],
    "any": ["value", "setting"],
}
LIST_NAMES = {"text": "texts", "path": "paths", "url": "urls", "int": "numbers", "sku": "skus", "uid": "members",
              "hit": "hits", "word": "words", "node": "nodes", "pkg": "pkgs", "float": "weights", "label": "labels"}
