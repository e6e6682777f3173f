# about: Tickets as dataclass records, enriched by methods, grouped by sender plan.
# features: dataclass with method and property, list of records, defaultdict grouping, sorted by attribute
# latency: lookup=2 classify=2
# ideal_units: 4
# ideal_why: tickets 2, then users and classifications 2 beside each other
# v1_units: 24
# v1_why: methods are opaque
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Ticket:
    tid: str
    sender: str
    subject: str
    body: str
    tags: list = field(default_factory=list)

    @classmethod
    def load(cls, tid):
        raw = lookup("tickets", tid)
        return cls(tid, raw["from"], raw["subject"], raw["body"])

    def enrich(self):
        self.tags.append(classify(self.body, ["refund", "login", "invoice", "thanks"]))
        self.plan = lookup("users", self.sender)["plan"]
        return self

    @property
    def title(self):
        return f"[{'/'.join(self.tags)}] {self.subject}"


tickets = [Ticket.load(f"t-{n}") for n in range(101, 105)]
by_plan = defaultdict(list)
for t in tickets:
    by_plan[t.enrich().plan].append(t)

for plan in sorted(by_plan):
    print(plan)
    for t in sorted(by_plan[plan], key=lambda t: t.tid):
        print("  ", t.title, f"({t.tid})")
