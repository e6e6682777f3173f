# about: Events of several shapes are dispatched by match; some kinds look more up.
# features: match with mapping, sequence and wildcard patterns, guard, per-arm calls, list of f-strings
# latency: lookup=2
# ideal_units: 4
# ideal_why: events 2, then what their kinds ask for 2
# v1_units: 20
# v1_why: calls under match are conditional
def describe(event):
    match event:
        case {"type": "purchase", "sku": sku, "n": n} if n > 1:
            return f"{n} x {sku} at {lookup('prices', sku)}"
        case {"type": "purchase", "sku": sku}:
            return f"one {sku}, {lookup('stock', sku)} left"
        case {"type": "signup", "user": uid}:
            return f"welcome {lookup('users', uid)['name']}"
        case {"type": "refund", "user": uid, "amount": amount}:
            return f"{amount} back to {lookup('users', uid)['email']}"
        case [name, times]:
            return f"{name} {times} times"
        case _:
            return "unknown"


lines = [f"e{n}: {describe(lookup('events', f'e{n}'))}" for n in range(1, 7)]
print("\n".join(lines))
