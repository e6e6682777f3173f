// The words of states, gates, columns and reasons, and the text of a refusal.
#include <string>
#include <string_view>

#include "pysolate/explain.h"
#include "pysolate/ledger.h"
#include "pysolate/status.h"

namespace pysolate {

std::string_view Name(CallState v) {
  static constexpr std::string_view kWords[] = {"waiting",  "ready",     "dispatched", "settled",
                                                "consumed", "discarded", "cancelled",  "skipped"};
  return kWords[static_cast<int>(v)];
}

std::string_view Name(Gate v) {
  static constexpr std::string_view kWords[] = {"arguments", "control", "contract", "budget"};
  return kWords[static_cast<int>(v)];
}

std::string_view Name(AttemptState v) {
  static constexpr std::string_view kWords[] = {"running", "succeeded", "failed", "cancelled", "lost"};
  return kWords[static_cast<int>(v)];
}

std::string_view Name(Book v) {
  static constexpr std::string_view kWords[] = {"running", "consumed", "discarded", "retried",
                                                "late",    "lost",     "cancelled"};
  return kWords[static_cast<int>(v)];
}

std::string_view Name(Reason v) {
  static constexpr std::string_view kWords[] = {"",
                                                "its outcome was taken",
                                                "its scope died",
                                                "its scope closed",
                                                "its call was given up",
                                                "the program ended",
                                                "its deadline passed",
                                                "no answer until its orphan deadline",
                                                "its failure does not count",
                                                "its outcome was for one call only",
                                                "its root has a new version",
                                                "its result made room",
                                                "the attempt around it ended",
                                                "its early start was refused",
                                                "an input failed"};
  return kWords[static_cast<int>(v)];
}

std::string Status::message() const {
  if (ok()) return {};
  const std::string thing = std::string(what) + " " + std::to_string(id);
  std::string text(Name(input));
  text += ": ";
  switch (code) {
    case Code::kOk:
      break;
    case Code::kTimeBackwards:
      return text + "time " + std::to_string(static_cast<int64_t>(id)) + " is before the last input's";
    case Code::kUnknownId:
      return text + thing + " is unknown";
    case Code::kBadDependency:
      return text + "a dependency on " + thing + ", which is not an earlier call";
    case Code::kScopeEnded:
      return text + thing + " is dead or closed";
    case Code::kScopeKnown:
      return text + thing + " is active already";
    case Code::kCallEnded:
      return text + thing + " has ended";
    case Code::kAlreadyReached:
      return text + thing + " was reached before";
    case Code::kArgsKnown:
      return text + "the arguments of " + thing + " are known already";
    case Code::kNotReached:
      return text + thing + " was not reached";
    case Code::kNotSettled:
      return text + thing + " has no outcome yet";
    case Code::kAttemptEnded:
      return text + thing + " has ended";
    case Code::kAttemptLost:
      return text + thing + " was given up as lost";
    case Code::kNotCancelled:
      return text + thing + " is still wanted and was not asked to stop";
    case Code::kRunEnded:
      return text + "the run has ended";
    case Code::kBadValue:
      return text + thing + " is out of range";
    case Code::kMalformed:
      return text + what;
  }
  return text;
}

}  // namespace pysolate
