# about: Orders become validated records (dataclass with __post_init__, enum status), then are joined with users.
# features: dataclass(order=True, frozen=True), __post_init__, Enum lookup by value, sorted records, staticmethod
# latency: lookup=2
# ideal_units: 4
# ideal_why: orders 2, users 2
# v1_units: 16
# v1_why: helpers are opaque
from dataclasses import dataclass
from enum import Enum


class Status(Enum):
    PAID = "paid"
    NEW = "new"
    FAILED = "failed"
    EMPTY = "empty"


@dataclass(order=True, frozen=True)
class Order:
    total: int
    oid: str
    user: str
    status: Status

    def __post_init__(self):
        if self.total < 0:
            raise ValueError("negative total")

    @staticmethod
    def load(oid):
        raw = lookup("orders", oid)
        return Order(raw["total"], oid, raw["user"], Status(raw["status"]))


orders = sorted([Order.load(f"o-{n}") for n in range(1, 5)], reverse=True)
names = {o.user: lookup("users", o.user)["name"] for o in orders}
for o in orders:
    print(f"{o.oid} {o.total:>4} {o.status.name:<7} {names[o.user]}")
print(sum(o.status is Status.PAID for o in orders), max(orders).oid)
