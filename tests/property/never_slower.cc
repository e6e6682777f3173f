// Random programs in virtual time: whatever a scout announces, rightly or wrongly, and whatever the budgets are, the
// program never ends later than in sequential mode, and it sees the same outcomes and effects in the same order.
// `never_slower [--programs N] [--seed S]`
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "property/sequence.h"
#include "pysolate/scheduler.h"

using namespace pysolate;           // NOLINT
using namespace pysolate::testing;  // NOLINT

namespace {

struct ProgramCall {
  ToolId tool = 0;
  ArgsKey key = 0;
  bool announced = false;
  TimeNs computing = 0;  // before it
};

struct Program {
  std::vector<Contract> tools{{}};
  uint32_t limits[2] = {};  // of classes 1 and 2
  RunOptions run;
  std::vector<ProgramCall> calls;
  std::vector<ProgramCall> wrong;  // announced, never reached
  uint64_t outcomes = 0;           // seed of durations and failures
};

Program DrawProgram(uint64_t seed) {
  Random random(seed);
  Program p;
  static constexpr uint32_t kLimits[] = {1, 2, 3, 5, kUnlimited};
  p.run.total = kLimits[random.Below(5)];
  p.run.early_limit = random.Below(3) == 0 ? kLimits[random.Below(5)] : kUnlimited;
  p.run.policy = random.Below(4) == 0 ? Policy::kCriticalPath : Policy::kOrder;
  p.run.result_bytes = random.Below(3) == 0 ? 3 : 1000;
  for (uint32_t& limit : p.limits) limit = kLimits[random.Below(5)];
  static constexpr Effect kEffects[] = {Effect::kPure, Effect::kImmutableRead, Effect::kImmutableRead,
                                        Effect::kOpenRead, Effect::kExternalWrite};
  for (int i = 0; i < 4; ++i) {
    Contract c;
    c.name = "tool";
    c.effect = kEffects[random.Below(5)];
    c.klass = random.Below(3);
    c.cost = 1 + random.Below(3);
    c.root = random.Below(2);
    c.cancellable = random.Below(2) == 1;
    c.reuse = random.Below(4) != 0;
    p.tools.push_back(c);
  }
  const auto draw = [&] {
    ProgramCall c;
    c.tool = 1 + random.Below(4);
    c.key = random.Below(5);
    c.announced = random.Below(4) != 0;
    c.computing = random.Below(3) == 0 ? random.Below(5) : 0;
    return c;
  };
  p.calls.resize(1 + random.Below(10));
  for (ProgramCall& c : p.calls) c = draw();
  p.wrong.resize(random.Below(5));
  for (ProgramCall& c : p.wrong) c = draw();
  p.outcomes = random.Next();
  return p;
}

struct Seen {
  TimeNs makespan = 0;
  std::vector<std::string> outcomes;
  std::string trouble;
};

// A call's duration and fate follow from its tool and arguments alone; a surplus early one may never end.
Seen Play(const Program& p, Mode mode) {
  RunOptions run = p.run;
  run.mode = mode;
  Scheduler s(run);
  (void)s.OpenScope(0, {});
  for (uint32_t limit : p.limits) (void)s.AddClass(0, "class", limit);
  (void)s.AddRoot(0, "root");
  for (size_t i = 1; i < p.tools.size(); ++i) (void)s.AddTool(0, p.tools[i]);

  Seen seen;
  TimeNs now = 0;
  std::multimap<TimeNs, AttemptId> running;
  const auto fate = [&](CallId call) {
    const CallView v = s.View(call);
    return Random(p.outcomes ^ (uint64_t{v.tool} << 32 | v.key)).Next();
  };
  const auto obey = [&] {
    for (const Command& c : s.commands()) {
      if (c.kind == Command::Kind::kDispatch)
        running.emplace(now + 1 + static_cast<TimeNs>(fate(c.call) % 7), c.attempt);
    }
    s.ClearCommands();
    if (seen.trouble.empty()) seen.trouble = s.CheckInvariants();
  };
  const auto until = [&](TimeNs time) {
    while (!running.empty() && running.begin()->first <= time) {
      now = std::max(now, running.begin()->first);
      const AttemptId a = running.begin()->second;
      running.erase(running.begin());
      if (s.Row(a).state != AttemptState::kRunning) continue;
      const uint64_t f = fate(s.Row(a).call);
      if (f / 7 % 4 == 0) {
        (void)s.Fail(now, a, f / 28 % 2 == 0 ? Failure::kStable : Failure::kTransient, "E");
      } else {
        (void)s.Complete(now, a, static_cast<int64_t>(f / 28 % 3));
      }
      obey();
    }
    now = std::max(now, time);
  };

  std::vector<ProgramCall> announced = p.wrong;
  announced.insert(announced.begin(), p.calls.begin(), p.calls.end());
  uint32_t order = 0;
  for (const ProgramCall& c : announced) {
    // A scout submits only what may be early, and no read of a root past a write to it.
    if (IsWrite(p.tools[c.tool].effect) && p.tools[c.tool].root != 0) break;
    if (!c.announced || !IsRepeatable(p.tools[c.tool].effect) || c.key == 0) continue;
    ArriveInput in;
    in.tool = c.tool;
    const std::string key(1, static_cast<char>('a' + order++));
    in.order = key;
    const Made made = s.Arrive(now, in);
    if (made.ok()) (void)s.Args(now, made.id, c.key);
    obey();
  }
  for (const ProgramCall& c : p.calls) {
    until(now + c.computing);
    ReachInput in;
    in.tool = c.tool;
    in.key = c.key;
    const CallId call = s.ReachCall(now, in).id;
    obey();
    while (s.state_of(call) != CallState::kSettled) {
      if (running.empty()) {
        seen.trouble = "the program waits for ever: " + s.Explain(call).text;
        return seen;
      }
      until(running.begin()->first);
    }
    seen.outcomes.push_back(std::to_string(c.tool) + (s.failed(call) ? " failed" : " ok"));
    (void)s.Consume(now, call);
    obey();
  }
  seen.makespan = now;
  (void)s.End(now, true);
  obey();
  if (!s.Totals().balanced()) seen.trouble = "the ledger does not balance";
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t programs = 20000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    (flag == "--seed" ? seed : programs) = std::strtoull(argv[i + 1], nullptr, 10);
  }
  TimeNs sum[2] = {};
  for (uint64_t i = 0; i < programs; ++i) {
    const Program p = DrawProgram(seed + i);
    const Seen plain = Play(p, Mode::kSequential);
    const Seen ours = Play(p, Mode::kOverlap);
    sum[0] += plain.makespan;
    sum[1] += ours.makespan;
    std::string wrong = plain.trouble + ours.trouble;
    if (wrong.empty() && plain.outcomes != ours.outcomes) wrong = "other outcomes";
    if (wrong.empty() && ours.makespan > plain.makespan) {
      wrong = "slower: " + std::to_string(ours.makespan) + " against " + std::to_string(plain.makespan);
    }
    if (wrong.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed + i), wrong.c_str());
    for (const ProgramCall& c : p.calls) {
      std::printf("  tool %u key %u%s\n", c.tool, c.key, c.announced ? " announced" : "");
    }
    return 1;
  }
  std::printf("%llu programs: none slower than sequential, %lld units against %lld (seeds from %llu)\n",
              static_cast<unsigned long long>(programs), static_cast<long long>(sum[1]), static_cast<long long>(sum[0]),
              static_cast<unsigned long long>(seed));
  return 0;
}
