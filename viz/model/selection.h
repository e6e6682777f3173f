// The one selection that all panels share, its history, and what hangs on it.
//
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_SELECTION_H_
#define PYSOLATE_VIZ_MODEL_SELECTION_H_

#include <cstdint>
#include <vector>

#include "model/store.h"

namespace pysolate::viz {

class Selection {
 public:
  // 0: nothing.
  CallId call() const { return call_; }
  // Selecting what is selected changes nothing. A new selection drops what "forward" would have given.
  void Select(CallId call);
  bool CanGoBack() const { return at_ > 0; }
  bool CanGoForward() const { return at_ + 1 < history_.size(); }
  void Back();
  void Forward();

 private:
  static constexpr size_t kHistory = 256;
  CallId call_ = 0;
  std::vector<CallId> history_{0};
  size_t at_ = 0;
};

struct Relatives {
  std::vector<CallId> calls;  // at most the cap
  uint32_t total = 0;         // all; exact unless `total_is_floor`
  bool total_is_floor = false;
};

struct Relation {
  Relatives direct_deps, direct_dependents;
  Relatives all_deps, all_dependents;  // transitive, without the direct ones, breadth first
};
// Relatives of a call that have arrived at the cursor. Each list is cut at `cap`; the walk for transitive ones visits
// at most `walk_cap` calls (then total_is_floor). O(walk_cap).
Relation RelativesOf(const TraceStore& store, CallId call, EventNo cursor, uint32_t cap = 200,
                     uint32_t walk_cap = 20000);

// The call that this one had to wait for longest: the dependency that settled last, else the attempt that freed its
// budget slot, else (effects) the effect before it; 0 none.
CallId CauseOf(const TraceStore& store, CallId call);
// The dependent that started next because of this call; 0 none.
CallId EffectOf(const TraceStore& store, CallId call);

// The critical path up to the cursor: from the call that ended last back through causes to one that had none, oldest
// first. O(length * dependencies).
std::vector<CallId> CriticalPath(const TraceStore& store, EventNo cursor);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_SELECTION_H_
