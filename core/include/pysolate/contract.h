// What a host promises about a tool, and what the scheduler may do with its calls because of it.
//
// Thread rule: plain data.
#ifndef PYSOLATE_CONTRACT_H_
#define PYSOLATE_CONTRACT_H_

#include <string_view>

#include "pysolate/event.h"

namespace pysolate {

// A tool's contract. The defaults are those of a tool that nobody vouched for: an external write, alone, once, when
// reached.
struct Contract {
  std::string_view name = {};  // copied by Scheduler::AddTool
  Effect effect = Effect::kExternalWrite;
  // How its failures are to be read when the host does not say: `stable` repeats for equal arguments, `transient` may
  // not. An early attempt that failed by a transient failure satisfies nobody.
  Failure failure = Failure::kStable;
  ClassId klass = 0;  // resource class whose budget an attempt holds; 0: none but the total
  uint32_t cost = 1;  // held in the class while an attempt runs; more than the limit counts as the limit
  RootId root = 0;    // what it reads or writes; 0: none
  bool cancellable = false;
  int64_t deadline = 0;  // ns from dispatch; 0: none
  uint32_t retry = 0;    // further attempts of the same call after a failure
  bool early = true;     // false: opted out of early starts
  bool reuse = true;     // equal calls may share one attempt and its kept result
};

// True for the effects of which a surplus attempt is harmless: only these may start early or be shared.
constexpr bool IsRepeatable(Effect e) { return e == Effect::kPure || e == Effect::kImmutableRead; }
// True for the effects that name the dispatch that gives their root a new version.
constexpr bool IsWrite(Effect e) { return e == Effect::kPrivateWrite || e == Effect::kExternalWrite; }

}  // namespace pysolate

#endif  // PYSOLATE_CONTRACT_H_
