// pysolate-bench [--json] [--max N] [--wasm MODULE.js]: figures of the core beside its yardsticks, measured in this
// run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/bench.h"

using namespace pysolate::bench;  // NOLINT

namespace {

std::string Number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", v);
  return text;
}

// Runs the same program as wasm under node and returns its JSON; empty if it did not answer (or if this is that
// program: there is no popen in wasm).
std::string FromNode(const std::string& module) {
  FILE* pipe = popen(("node --no-experimental-fetch '" + module + "' --json").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char part[4096];
  for (size_t got; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  if (pclose(pipe) != 0) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  uint32_t max = 1000000;
  std::string wasm;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--json") {
      json = true;
    } else if (flag == "--max" && i + 1 < argc) {
      max = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else if (flag == "--wasm" && i + 1 < argc) {
      wasm = argv[++i];
    } else {
      std::fprintf(stderr, "usage: pysolate-bench [--json] [--max N] [--wasm MODULE.js]\n");
      return 2;
    }
  }

  std::string out = "{\"lifecycle\":[";
  if (!json)
    std::printf("life of a call, ns (medians)\n%9s %8s %8s %8s %8s %12s\n", "n", "ours", "logged", "kernel", "tbb",
                "bytes/call");
  bool first = true;
  for (uint32_t n = 10000; n <= max; n *= 10) {
    const Graph graph = Layered(n);
    const int runs = n <= 100000 ? 7 : 3;
    uint32_t ran = 0;
    double bytes = 0;
    const auto per_call = [&](auto&& run) {
      const double seconds = Median(runs, run);
      if (ran != n) {
        std::fprintf(stderr, "only %u of %u calls ran\n", ran, n);
        std::exit(1);
      }
      return seconds * 1e9 / n;
    };
    const double ours = per_call([&] { return RunScheduler(graph, false, &bytes, &ran); });
    const double logged = per_call([&] { return RunScheduler(graph, true, nullptr, &ran); });
    const double kernel = per_call([&] { return RunKernel(graph, &ran); });
    const double tbb = HasFlowGraph() ? per_call([&] { return RunFlowGraph(graph, &ran); }) : -1;
    if (!json) std::printf("%9u %8.0f %8.0f %8.0f %8.0f %12.1f\n", n, ours, logged, kernel, tbb, bytes);
    out += (first ? "" : ",") + std::string("{\"n\":") + std::to_string(n) + ",\"ns\":" + Number(ours) +
           ",\"ns_logged\":" + Number(logged) + ",\"kernel_ns\":" + Number(kernel) +
           ",\"tbb_ns\":" + (tbb < 0 ? "null" : Number(tbb)) + ",\"bytes_per_call\":" + Number(bytes) + "}";
    first = false;
  }
  out += "],\"shapes\":[";
  if (!json) std::printf("shapes, ns per call\n");
  first = true;
  for (uint32_t n = max >= 1000000 ? 100000 : 10000; n <= max; n *= 10) {
    for (const Shape& s : RunShapes(n)) {
      if (!json) std::printf("  %-20s %9u %8.0f\n", s.name.c_str(), s.n, s.ns);
      out += (first ? "" : ",") + std::string("{\"name\":\"") + s.name + "\",\"n\":" + std::to_string(s.n) +
             ",\"ns\":" + Number(s.ns) + "}";
      first = false;
    }
  }
  const TraceSpeed speed = RunTrace(20000);
  if (!json) std::printf("trace: %.2f million events/s read, %.2f written\n", speed.read / 1e6, speed.written / 1e6);
  out += "],\"reader\":{\"events_per_s\":" + Number(speed.read) +
         "},\"writer\":{\"events_per_s\":" + Number(speed.written) + "}";
  if (!wasm.empty()) {
    const std::string node = FromNode(wasm);
    if (node.empty()) {
      std::fprintf(stderr, "%s did not run under node\n", wasm.c_str());
      return 1;
    }
    if (!json) std::printf("wasm: %s\n", node.c_str());
    out += ",\"wasm\":" + node;
  }
  out += "}\n";
  if (json) std::fputs(out.c_str(), stdout);
  return 0;
}
