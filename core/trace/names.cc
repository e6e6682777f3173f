#include <array>
#include <string_view>

#include "pysolate/event.h"
#include "trace/word_table.h"

namespace pysolate {
namespace {

constexpr std::array<std::string_view, kEventKinds> kKindNames = {
    "unknown",  //
    "run",        "class",        "root",   "tool",     "site",           "scope",          "scope_active",
    "scope_dead", "scope_closed", "budget", "arrive",   "args",           "reach",          "complete",
    "fail",       "stopped",      "cancel", "consume",  "tick",           "note",           "end",  //
    "promote",    "refuse",       "ready",  "dispatch", "join",           "version",        "settle",
    "retry",      "suppress",     "skip",   "discard",  "call_cancelled", "cancel_request", "cancelled",
    "orphan",     "late",         "lost",   "evict",
};
constexpr trace_internal::WordTable<kEventKinds> kKindTable(kKindNames);

constexpr std::string_view kEffectNames[] = {"pure", "immutable_read", "open_read", "private_write", "external_write"};
constexpr std::string_view kFailureNames[] = {"stable", "transient", "deadline"};
constexpr std::string_view kScopeKindNames[] = {"program", "cell", "function", "branch", "iteration", "try", "handler"};
constexpr std::string_view kScopeStateNames[] = {"pending", "active", "dead", "closed"};

// Out-of-range values (a cast from bad input) get a word too, so that nothing is ever read past a table.
template <typename E, size_t N>
std::string_view Word(const std::string_view (&names)[N], E v) {
  const auto i = static_cast<size_t>(v);
  return i < N ? names[i] : std::string_view("unknown");
}

}  // namespace

std::string_view Name(EventKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < kKindNames.size() ? kKindNames[i] : kKindNames[0];
}

EventKind EventKindFromName(std::string_view name) {
  const int i = kKindTable.Find(name);
  return i < 0 ? EventKind::kUnknown : static_cast<EventKind>(i);
}

std::string_view Name(Effect v) { return Word(kEffectNames, v); }
std::string_view Name(Failure v) { return Word(kFailureNames, v); }
std::string_view Name(ScopeKind v) { return Word(kScopeKindNames, v); }
std::string_view Name(ScopeState v) { return Word(kScopeStateNames, v); }

}  // namespace pysolate
