# about: the program replaces json.loads; the runtime reads its own JSON with the real one
# latency: workspace.read_text=2 lookup=3
import json

real = json.loads


def noisy(text):
    print("parsed", len(text))
    return {"n": 3, "kind": "patched"}


json.loads = noisy
settings = json.loads(workspace.read_text("config/dev.json"))
region = lookup("config", "region")
weight = lookup("weights", f"w{settings['n']}")
print(settings, region, weight)
json.loads = real
print(json.loads(workspace.read_text("config/prod.json")))
