# about: Layered config files where some may be missing or broken; later layers win.
# features: loop with try/except of two kinds, continue, json, dict.update, f-string path, counter of problems
# latency: workspace.read_text=3
# ideal_units: 3
# ideal_why: all paths are literals
# v1_units: 15
# v1_why: a body with try is run as reached
import json

settings, problems = {}, []
for layer in ["base", "dev", "staging", "../data/broken", "prod"]:
    path = f"config/{layer}.json" if not layer.startswith("..") else layer[3:] + ".json"
    try:
        text = workspace.read_text(path)
    except FileNotFoundError as err:
        problems.append(f"missing: {err}")
        continue
    try:
        data = json.loads(text)
    except json.JSONDecodeError as err:
        problems.append(f"broken: {path} at {err.pos}")
    else:
        settings.update(data)
print(sorted(settings.items()))
print(*problems, sep="\n")
