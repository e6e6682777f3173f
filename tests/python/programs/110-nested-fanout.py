# about: Teams, their members, their managers: a report by team as nested dicts, then one write.
# features: nested comprehensions over results, dict of dicts, json.dumps as an argument, write at the end
# latency: lookup=2 db_write=1
# ideal_units: 7
# ideal_why: teams 2 -> users 2 -> managers 2 -> the write 1
# v1_units: 15
# v1_why: nested loops one level at a time
import json

TEAMS = ("core", "growth", "empty")
report = {}
for team in TEAMS:
    members = {}
    for uid in lookup("teams", team):
        user = lookup("users", uid)
        members[user["name"]] = {
            "mail": user["email"],
            "boss": lookup("users", user["manager"])["name"] if user["manager"] else None,
        }
    report[team] = members
text = json.dumps(report, sort_keys=True)
db_write("teams/report", text)
print(len(text))
for team, members in report.items():
    print(team, "->", ", ".join(f"{n} <{m['mail']}> under {m['boss']}" for n, m in members.items()) or "nobody")
