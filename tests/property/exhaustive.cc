// Every order of arrivals of control, completions, failures and cancels, for every graph of up to N calls (default 3):
// `exhaustive [--calls N]`. States that look the same are continued once.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include "pysolate/scheduler.h"

using namespace pysolate;  // NOLINT

namespace {

struct Setting {
  uint32_t calls = 0;
  uint32_t edges = 0;  // a bit for each pair (earlier, later)
  uint32_t kinds =
      0;  // two bits a call: early read, early cancellable read, reached effect, early read, equal to call 1
  uint32_t total = kUnlimited;
};

// One step: what happens, to whom.
struct Step {
  enum What : uint8_t { kReach, kComplete, kFail, kTransient, kStopped, kCancel, kConsume, kEnd } what;
  uint32_t id;
};

class World {
 public:
  explicit World(const Setting& setting) : s_(Options(setting)) {
    (void)s_.OpenScope(0, {});
    Contract read{.name = "read", .effect = Effect::kImmutableRead};
    Contract stop{.name = "stop", .effect = Effect::kPure, .cancellable = true, .retry = 1};
    Contract put{.name = "put", .effect = Effect::kExternalWrite};
    (void)s_.AddTool(0, read);
    (void)s_.AddTool(0, stop);
    (void)s_.AddTool(0, put);
    uint32_t bit = 0;
    for (uint32_t c = 1; c <= setting.calls; ++c) {
      const uint32_t kind = setting.kinds >> (2 * (c - 1)) & 3;
      std::vector<CallId> deps;
      for (CallId d = 1; d < c; ++d, ++bit) {
        if ((setting.edges >> bit & 1) != 0) deps.push_back(d);
      }
      ArriveInput in;
      in.tool = kind == 3 ? 1 : kind + 1;
      in.early = kind != 2;
      in.deps = deps;
      (void)s_.Arrive(0, in);
      (void)s_.Args(0, c, kind == 3 ? 1 : c);
    }
  }

  bool Do(const Step& step) {
    switch (step.what) {
      case Step::kReach:
        return s_.Reach(0, step.id).ok();
      case Step::kComplete:
        return s_.Complete(0, step.id, 1).ok();
      case Step::kFail:
        return s_.Fail(0, step.id, Failure::kStable, "E").ok();
      case Step::kTransient:
        return s_.Fail(0, step.id, Failure::kTransient, "E").ok();
      case Step::kStopped:
        return s_.Stopped(0, step.id).ok();
      case Step::kCancel:
        return s_.Cancel(0, step.id, "").ok();
      case Step::kConsume:
        return s_.Consume(0, step.id).ok();
      case Step::kEnd:
        return s_.End(0, true).ok();
    }
    return false;
  }

  std::vector<Step> Possible() const {
    std::vector<Step> steps;
    for (AttemptId a = 1; a <= s_.attempt_count(); ++a) {
      if (s_.Row(a).state != AttemptState::kRunning) continue;
      for (auto what : {Step::kComplete, Step::kFail, Step::kTransient}) steps.push_back({what, a});
      if (s_.Row(a).orphan) steps.push_back({Step::kStopped, a});
    }
    if (s_.ended()) return steps;
    for (CallId c = 1; c <= s_.call_count(); ++c) {
      const CallView v = s_.View(c);
      if (IsTerminal(v.state)) continue;
      if (!v.reached) steps.push_back({Step::kReach, c});
      if (v.reached && v.state == CallState::kSettled) steps.push_back({Step::kConsume, c});
      steps.push_back({Step::kCancel, c});
    }
    steps.push_back({Step::kEnd, 0});
    return steps;
  }

  // What the future depends on: the calls, and the attempts that run. Ended ones only by how often a call was retried.
  std::string Key() const {
    std::string key(1, s_.ended() ? 'e' : '-');
    std::vector<char> rank(s_.attempt_count() + 1), retried(s_.call_count() + 1);
    char running = 0;
    for (AttemptId a = 1; a <= s_.attempt_count(); ++a) {
      const LedgerRow r = s_.Row(a);
      if (r.book == Book::kRetried && retried[r.call] < 2) ++retried[r.call];
      if (r.state != AttemptState::kRunning) continue;
      rank[a] = ++running;
      key += static_cast<char>('0' + r.orphan + 2 * r.cancel_requested + 4 * r.early);
      key += static_cast<char>('0' + r.call);
    }
    for (CallId c = 1; c <= s_.call_count(); ++c) {
      const CallView v = s_.View(c);
      key += static_cast<char>('a' + static_cast<int>(v.state));
      if (IsTerminal(v.state)) continue;
      key += static_cast<char>('0' + v.reached + 2 * v.failed);
      key += static_cast<char>('0' + retried[c]);
      key += static_cast<char>('A' + (v.state == CallState::kDispatched ? rank[v.attempt] : 0));
      key += static_cast<char>('0' + s_.Explain(c).shut.size());
    }
    return key;
  }

  std::string Wrong() const {
    if (std::string broken = s_.CheckInvariants(); !broken.empty()) return broken;
    if (!Possible().empty()) return {};
    for (CallId c = 1; c <= s_.call_count(); ++c) {
      if (!IsTerminal(s_.state_of(c))) return "stuck with call " + std::to_string(c);
    }
    if (s_.Totals().by_book[static_cast<int>(Book::kRunning)] != 0) return "something is still booked as running";
    return {};
  }

 private:
  static RunOptions Options(const Setting& setting) {
    RunOptions run;
    run.total = setting.total;
    return run;
  }
  Scheduler s_;
};

// Depth first, each state from its path anew: the scheduler can't be copied, and need not be.
bool Explore(const Setting& setting, uint64_t* states) {
  std::unordered_set<std::string> seen;
  std::vector<std::vector<Step>> paths{{}};
  while (!paths.empty()) {
    const std::vector<Step> path = std::move(paths.back());
    paths.pop_back();
    World world(setting);
    bool fine = true;
    for (const Step& step : path) fine = fine && world.Do(step);
    if (!fine) {
      std::printf("a possible step was refused\n");
      return false;
    }
    if (!seen.insert(world.Key()).second) continue;
    ++*states;
    if (const std::string wrong = world.Wrong(); !wrong.empty()) {
      std::printf("calls %u, edges %x, kinds %x, total %d: %s after", setting.calls, setting.edges, setting.kinds,
                  static_cast<int>(setting.total), wrong.c_str());
      for (const Step& step : path) std::printf(" %d:%u", step.what, step.id);
      std::printf("\n");
      return false;
    }
    // Attempts multiply by retries; enough is enough.
    if (path.size() > 4 * setting.calls + 4) continue;
    for (const Step& step : world.Possible()) {
      paths.push_back(path);
      paths.back().push_back(step);
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t most = argc == 3 && std::string(argv[1]) == "--calls" ? static_cast<uint32_t>(std::atoi(argv[2])) : 3;
  uint64_t states = 0, settings = 0;
  for (uint32_t n = 1; n <= most; ++n) {
    for (uint32_t edges = 0; edges < 1u << (n * (n - 1) / 2); ++edges) {
      for (uint32_t kinds = 0; kinds < 1u << (2 * n); ++kinds) {
        // Up to two calls everything is combined; above, the kinds are drawn thinly.
        const uint32_t thin = n <= 2 ? 1 : n == 3 ? 16 : 499;
        if ((kinds * 2654435761u + edges) % thin != 0) continue;
        for (uint32_t total : {1u, 2u, kUnlimited}) {
          ++settings;
          if (!Explore({n, edges, kinds, total}, &states)) return 1;
        }
      }
    }
  }
  std::printf("%llu graphs of up to %u calls, %llu states: all invariants hold in each\n",
              static_cast<unsigned long long>(settings), most, static_cast<unsigned long long>(states));
  return 0;
}
