# about: A decorated helper retries flaky calls with a counter; one of them never works.
# features: decorator with arguments, wrapper with *args and **kwargs, loop with try/return, raise from, time.sleep
# latency: flaky=2
# ideal_units: 6
# ideal_why: the good ones 2; the bad one has to fail three times in a row 6 (a retry is a real retry)
# v1_units: 10
# v1_why: as reached
import functools
import time


def retry(times, delay=0):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            last = None
            for attempt in range(times):
                try:
                    return fn(*args, **kwargs)
                except RuntimeError as err:
                    last = err
                    time.sleep(delay)
            raise ValueError(f"{fn.__name__} gave up after {times}") from last
        return wrapper
    return decorate


@retry(3)
def load(name):
    return flaky(name).title()


results = {}
for name in ("alpha", "bad-disk", "gamma"):
    try:
        results[name] = load(name)
    except ValueError as err:
        results[name] = f"{err} ({err.__cause__})"
for name, result in results.items():
    print(f"{name}: {result}")
