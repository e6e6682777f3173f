"""Figures of the Python front end on real tools: prints them, judges none.

    PYTHONPATH=build/native/python python3 tests/python/bench.py [--json] [--only NAME] [--pairs N]

    reads      200 reads of a loopback HTTP server with 50 ms delay: overlapped, sequential, hand-written asyncio.gather
    hop        added latency of a dependent call to an asynchronous tool (median, us)
    ready      a reached call whose value is there (us of CPU time)
    in_flight  10,000 asynchronous calls in flight at once (s)
    computing  ten reads among seconds of pure computing: CPU time against sequential mode (medians of 15 pairs), reads that
               were early
"""
import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import conftest  # noqa: E402,F401
import pysolate  # noqa: E402
from pysolate import tool  # noqa: E402

SERVER = """
import asyncio, sys
async def serve(reader, writer):
    try:
        while await reader.readuntil(b"\\r\\n\\r\\n"):
            await asyncio.sleep(0.05)
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


async def get(port, path):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]))
    writer.close()
    return body.decode()


def reads():
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())

        @tool(effect="immutable_read")
        async def read(path):
            return await get(port, path)

        source = 'texts = [read(f"/{i}") for i in range(200)]\nprint(len(texts), set(texts))'

        def ours(mode):
            started = time.perf_counter()
            result = pysolate.run(source, [read], mode=mode).raise_for_exception()
            assert result.stdout == "200 {'ok'}\n"
            return time.perf_counter() - started

        def by_hand():
            async def main():
                return await asyncio.gather(*(get(port, f"/{i}") for i in range(200)))
            started = time.perf_counter()
            assert len(asyncio.run(main())) == 200
            return time.perf_counter() - started

        pairs = [(ours("overlap"), by_hand()) for _ in range(7)]
        overlap, gather = (statistics.median(column) for column in zip(*pairs))
        return {"overlap_s": overlap, "gather_s": gather, "behind_gather": overlap / gather - 1,
                "sequential_s": ours("sequential")}
    finally:
        server.kill()
        server.wait()


def hop():
    @tool(effect="immutable_read")
    async def step(x):
        return x + 1

    source = """
import time
x, ts = 0, []
for i in range(3000):
    t = time.perf_counter()
    x = step(x)
    ts.append((time.perf_counter() - t) * 1e6)
"""
    times = pysolate.run(source, [step]).raise_for_exception().namespace["ts"]
    return {"median_us": statistics.median(times)}


def ready():
    @tool(effect="pure")
    async def value(x):
        return x

    source = """
import time
value("x")
ts = []
for turn in range(9):
    t = time.process_time()
    for i in range(10000):
        value("x")
    ts.append((time.process_time() - t) * 100)
"""
    return {"us_a_call": statistics.median(pysolate.run(source, [value]).raise_for_exception().namespace["ts"])}


def in_flight():
    running, most = 0, 0

    @tool(effect="immutable_read")
    async def wait(i):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(1)
        running -= 1
        return i

    from pysolate.scout import Limits
    started = time.perf_counter()
    result = pysolate.run("total = sum([wait(i) for i in range(10000)])", [wait],
                          limits=Limits(outstanding=20000))
    assert result.raise_for_exception().namespace["total"] == sum(range(10000))
    return {"s": time.perf_counter() - started, "most_in_flight": most}


COMPUTING = """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

texts, total = [], 0
for i in range(10):
    texts.append(read(f"part {i}"))
    for k in range(1_000_000):
        total += k * k % 7
    total += len([x for x in range(200_000) if x % 3])
    total += fib(20)
print(len(texts), total)
"""


def computing(args):
    @tool(effect="immutable_read")
    async def read(name):
        await asyncio.sleep(0.02)
        return name

    def cpu(mode):
        started = time.process_time()
        result = pysolate.run(COMPUTING, [read], mode=mode).raise_for_exception()
        early.append(result.report["calls"]["early"])
        return time.process_time() - started

    early: list = []
    cpu("overlap")
    pairs = [(cpu("sequential"), cpu("overlap")) for _ in range(args.pairs)]
    sequential, overlap = (statistics.median(column) for column in zip(*pairs))
    return {"sequential_cpu_s": sequential, "overlap_cpu_s": overlap,
            "slower": statistics.median(b / a for a, b in pairs) - 1, "reads_early": early[-1]}


ALL = {f.__name__: f for f in (reads, hop, ready, in_flight, computing)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", choices=ALL)
    parser.add_argument("--pairs", type=int, default=15, help="of `computing`")
    args = parser.parse_args()
    found = {}
    for name, measure in ALL.items():
        if args.only in (None, name):
            found[name] = measure(args) if name == "computing" else measure()
            if not args.json:
                print(f"{name:<10}", "  ".join(f"{k} {v:.4g}" for k, v in found[name].items()), flush=True)
    if args.json:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
