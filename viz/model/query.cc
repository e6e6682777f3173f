#include "model/query.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "model/frontier.h"
#include "model/selection.h"

namespace pysolate::viz {
namespace {

char LowerChar(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = LowerChar(c);
  return out;
}

// `needle` is in lower case already.
bool ContainsNoCase(std::string_view text, std::string_view needle) {
  return std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                     [](char a, char b) { return LowerChar(a) == b; }) != text.end();
}

enum class Of : uint8_t {
  kWord,
  kState,
  kFate,
  kIs,
  kGate,  // words
  kTool,
  kFile,
  kArgs,
  kValue,
  kError,
  kFunction,
  kScope,  // texts
  kLine,
  kCall,
  kAttempt,
  kSite,
  kDeps,
  kDependents,  // numbers
  kDuration,
  kWait,  // times
};
enum class Op : uint8_t { kEqual, kNotEqual, kContains, kLess, kGreater, kLessEqual, kGreaterEqual };

struct FieldName {
  std::string_view name;
  Of of;
};
constexpr FieldName kFields[] = {{"state", Of::kState},
                                 {"fate", Of::kFate},
                                 {"is", Of::kIs},
                                 {"gate", Of::kGate},
                                 {"tool", Of::kTool},
                                 {"file", Of::kFile},
                                 {"args", Of::kArgs},
                                 {"value", Of::kValue},
                                 {"error", Of::kError},
                                 {"function", Of::kFunction},
                                 {"scope", Of::kScope},
                                 {"line", Of::kLine},
                                 {"call", Of::kCall},
                                 {"attempt", Of::kAttempt},
                                 {"site", Of::kSite},
                                 {"deps", Of::kDeps},
                                 {"dependents", Of::kDependents},
                                 {"dur", Of::kDuration},
                                 {"wait", Of::kWait}};

// Words of `is:`.
enum class Trait : uint8_t { kEarly, kReached, kGuess, kJoined, kRetried, kCritical };
constexpr std::string_view kTraits[] = {"early", "reached", "guess", "joined", "retried", "critical"};

uint32_t Bit(Look look) { return 1u << static_cast<int>(look); }

// Words of `state:` that cover several looks.
uint32_t LooksOf(std::string_view word) {
  const uint32_t failed = Bit(Look::kSettledFailed) | Bit(Look::kConsumedFailed) | Bit(Look::kLateFailed);
  if (word == "failed") return failed;
  if (word == "succeeded")
    return Bit(Look::kSettled) | Bit(Look::kConsumed) | Bit(Look::kDiscarded) | Bit(Look::kLateOk);
  if (word == "running") return Bit(Look::kDispatched) | Bit(Look::kOrphaned);
  if (word == "settled") return Bit(Look::kSettled) | Bit(Look::kSettledFailed);
  if (word == "late") return Bit(Look::kLateOk) | Bit(Look::kLateFailed);
  if (word == "dead") return Bit(Look::kDiscarded) | Bit(Look::kCancelled) | Bit(Look::kSkipped);
  Look look = Look::kAbsent;
  return LookFromName(word, &look) && look != Look::kAbsent ? Bit(look) : 0;
}

bool CompareNumber(int64_t value, Op op, int64_t low, int64_t high) {
  switch (op) {
    case Op::kEqual:
      return low <= value && value <= high;
    case Op::kNotEqual:
      return value < low || value > high;
    case Op::kLess:
      return value < low;
    case Op::kGreater:
      return value > high;
    case Op::kLessEqual:
      return value <= high;
    case Op::kGreaterEqual:
      return value >= low;
    case Op::kContains:
      return false;
  }
  return false;
}

}  // namespace

struct Query::Term {
  Of of = Of::kWord;
  Op op = Op::kEqual;
  bool negated = false;
  std::vector<std::string> texts;  // lower case for kContains and words
  uint32_t bits = 0;               // looks, fates, traits, gates
  struct Range {
    int64_t low, high;
    bool in_units;  // of the run's virtual unit instead of ns
  };
  std::vector<Range> ranges;
  // The critical path of one cursor, kept from call to call.
  mutable std::vector<CallId> path;
  mutable EventNo path_cursor = 0, path_events = 0;

  bool Matches(const TraceStore& store, CallId id, EventNo cursor) const;
  bool TextMatches(std::string_view text) const {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& t) { return op == Op::kContains ? ContainsNoCase(text, t) : text == t; });
  }
};

bool Query::Term::Matches(const TraceStore& store, CallId id, EventNo cursor) const {
  const CallInfo& c = store.call(id);
  const SiteInfo& site = store.site(c.site);
  const AttemptInfo& a = store.attempt(c.attempt);
  const auto happened = [&](EventNo e) { return e != 0 && e <= cursor; };
  const bool has_outcome = c.attempt != 0 && happened(c.dispatch) && happened(a.outcome);
  const auto any_range = [&](int64_t value, int64_t value_in_units) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const Range& r) {
      return CompareNumber(r.in_units ? value_in_units : value, op, r.low, r.high);
    });
  };
  const auto number = [&](int64_t value) { return any_range(value, value); };
  // A time in ns; negative: there is none, which is no match. Virtual units count in thousandths.
  const auto time = [&](TimeNs ns) {
    if (ns < 0) return false;
    const int64_t unit = store.run().unit;
    return any_range(ns,
                     unit > 0 ? static_cast<int64_t>(static_cast<double>(ns) * 1000 / static_cast<double>(unit)) : -1);
  };
  switch (of) {
    case Of::kState:
      return (bits & Bit(store.LookAt(id, cursor))) != 0;
    case Of::kFate:
      return c.attempt != 0 && (bits >> static_cast<int>(store.FateAt(c.attempt, cursor)) & 1) != 0;
    case Of::kGate: {
      const auto gates = ShutGates(store, id, cursor);
      return std::any_of(gates.begin(), gates.end(),
                         [&](const ShutGate& g) { return (bits >> static_cast<int>(g.gate) & 1) != 0; });
    }
    case Of::kIs: {
      const auto has = [&](Trait t) { return (bits >> static_cast<int>(t) & 1) != 0; };
      if (has(Trait::kEarly) && !happened(c.reach)) return true;
      if (has(Trait::kReached) && happened(c.reach)) return true;
      if (has(Trait::kGuess) && c.guess) return true;
      if (has(Trait::kJoined) && c.joined && happened(c.dispatch)) return true;
      if (has(Trait::kRetried) && c.retried) return true;
      if (has(Trait::kCritical)) {
        if (path_cursor != cursor || path_events != store.events()) {
          path = CriticalPath(store, cursor);
          std::sort(path.begin(), path.end());
          path_cursor = cursor;
          path_events = store.events();
        }
        return std::binary_search(path.begin(), path.end(), id);
      }
      return false;
    }
    case Of::kTool:
      return TextMatches(store.tool_name(id));
    case Of::kFile:
      return TextMatches(store.text(site.file));
    case Of::kFunction:
      return TextMatches(store.text(site.function));
    case Of::kArgs:
      return happened(c.args) && TextMatches(store.text(c.args_text));
    case Of::kValue:
      return has_outcome && a.ok && TextMatches(store.event_text(a.outcome));
    case Of::kError:
      return has_outcome && !a.ok &&
             (TextMatches(store.event_why(a.outcome)) ||
              (op == Op::kContains && TextMatches(store.event_text(a.outcome))));
    case Of::kScope: {
      for (ScopeId s = c.scope; s != 0; s = store.scope(s).parent) {
        if (TextMatches(store.text(store.scope(s).name)) || TextMatches(Name(store.scope(s).kind))) return true;
      }
      return false;
    }
    case Of::kWord:
      return TextMatches(store.tool_name(id)) || TextMatches(store.text(site.file)) ||
             (happened(c.args) && TextMatches(store.text(c.args_text))) ||
             (has_outcome && (TextMatches(store.event_text(a.outcome)) || TextMatches(store.event_why(a.outcome))));
    case Of::kLine:
      return number(site.line);
    case Of::kCall:
      return number(id);
    case Of::kAttempt:
      return c.attempt != 0 && happened(c.dispatch) && number(c.attempt);
    case Of::kSite:
      return number(c.site);
    case Of::kDeps:
      return number(c.deps_count);
    case Of::kDependents:
      return number(c.dependents);
    case Of::kDuration: {
      if (c.attempt == 0 || !happened(c.dispatch)) return false;
      const EventNo end = happened(a.end) ? a.end : cursor;
      return time(store.time(end) - store.time(a.dispatch));
    }
    case Of::kWait: {
      const EventNo end = happened(c.dispatch) ? c.dispatch : happened(c.end) ? c.end : cursor;
      return time(store.time(end) - store.time(c.arrive));
    }
  }
  return false;
}

Query::Query() = default;
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
bool Query::empty() const { return terms_.empty(); }

// Recursive descent over one line; every failure knows its column.
class QueryParser {
 public:
  QueryParser(std::string_view text, ParseProblem* problem) : text_(text), problem_(problem) {}

  bool Parse(Query* out) {
    for (;;) {
      SkipSpaces();
      if (at_ == text_.size()) return true;
      Query::Term term;
      if (!ParseTerm(&term)) return false;
      out->terms_.push_back(std::move(term));
    }
  }

 private:
  bool Fail(size_t column, std::string message) {
    *problem_ = {static_cast<uint32_t>(column), std::move(message)};
    return false;
  }
  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(std::string_view s) {
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }

  bool ParseTerm(Query::Term* term) {
    if (text_[at_] == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ' ') {
      term->negated = true;
      ++at_;
    }
    const size_t start = at_;
    size_t end = at_;
    while (end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z') ++end;
    const std::string_view name = text_.substr(start, end - start);
    const auto* field =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const FieldName& f) { return f.name == name; });
    const bool operator_follows =
        end < text_.size() && std::string_view(":~=!<>").find(text_[end]) != std::string_view::npos;
    if (!name.empty() && operator_follows) {
      if (field == std::end(kFields)) return Fail(start, "no field '" + std::string(name) + "'");
      term->of = field->of;
      at_ = end;
      if (!ParseOperator(term)) return false;
      return ParseValues(term);
    }
    term->op = Op::kContains;
    std::string word;
    if (!ParseText(&word, false)) return false;
    term->texts.push_back(Lower(word));
    return true;
  }

  bool ParseOperator(Query::Term* term) {
    const size_t start = at_;
    if (Take("!=")) {
      term->op = Op::kNotEqual;
    } else if (Take("<=")) {
      term->op = Op::kLessEqual;
    } else if (Take(">=")) {
      term->op = Op::kGreaterEqual;
    } else if (Take("<")) {
      term->op = Op::kLess;
    } else if (Take(">")) {
      term->op = Op::kGreater;
    } else if (Take("~")) {
      term->op = Op::kContains;
    } else if (Take(":") || Take("=")) {
      term->op = Op::kEqual;
    } else {
      return Fail(start, "expected one of : ~ = != < > <= >=");
    }
    const bool is_number = term->of >= Of::kLine;
    const bool is_text = term->of >= Of::kTool && term->of <= Of::kScope;
    const bool is_order = term->op >= Op::kLess;
    if (term->op == Op::kContains && !is_text) return Fail(start, "'~' needs a field of text such as tool or args");
    if (is_order && !is_number) return Fail(start, "this field has no order");
    if (term->op == Op::kNotEqual && !is_number) {
      term->negated = !term->negated;
      term->op = Op::kEqual;
    }
    return true;
  }

  // A quoted text or one up to a space (or '|', if `alternatives`).
  bool ParseText(std::string* out, bool alternatives) {
    if (at_ < text_.size() && text_[at_] == '"') {
      const size_t open = at_++;
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        out->push_back(text_[at_++]);
      }
      if (at_ == text_.size()) return Fail(open, "the quote is not closed");
      ++at_;
      return true;
    }
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && !(alternatives && text_[at_] == '|')) ++at_;
    *out = text_.substr(start, at_ - start);
    return true;
  }

  bool ParseValues(Query::Term* term) {
    do {
      const size_t start = at_;
      std::string value;
      if (!ParseText(&value, true)) return false;
      if (value.empty()) return Fail(start, "a value is missing");
      if (!AddValue(term, value, start)) return false;
    } while (Take("|"));
    return true;
  }

  bool AddValue(Query::Term* term, const std::string& value, size_t column) {
    switch (term->of) {
      case Of::kState: {
        const uint32_t looks = LooksOf(value);
        if (looks == 0) return Fail(column, "no state '" + value + "'");
        term->bits |= looks;
        return true;
      }
      case Of::kFate: {
        for (int i = 1; i < kFates; ++i) {
          if (Name(static_cast<Fate>(i)) != value) continue;
          term->bits |= 1u << i;
          return true;
        }
        return Fail(column, "no fate '" + value + "'");
      }
      case Of::kIs: {
        const auto* trait = std::find(std::begin(kTraits), std::end(kTraits), value);
        if (trait == std::end(kTraits)) {
          return Fail(column, "'" + value + "' is none of early, reached, guess, joined, retried, critical");
        }
        term->bits |= 1u << (trait - std::begin(kTraits));
        return true;
      }
      case Of::kGate: {
        // "control" stands for "control path".
        for (int i = 1; i < kGates; ++i) {
          const std::string_view name = Name(static_cast<Gate>(i));
          if (name != value && name.substr(0, name.find(' ')) != value) continue;
          term->bits |= 1u << i;
          return true;
        }
        return Fail(column, "'" + value + "' is none of arguments, control, contract, budget");
      }
      default:
        break;
    }
    if (term->of <= Of::kScope) {
      term->texts.push_back(term->op == Op::kContains ? Lower(value) : value);
      return true;
    }
    return AddRange(term, value, column);
  }

  bool AddRange(Query::Term* term, const std::string& value, size_t column) {
    const bool is_time = term->of == Of::kDuration || term->of == Of::kWait;
    Query::Term::Range range{0, 0, false};
    const size_t dots = value.find("..");
    if (dots != std::string::npos && term->op > Op::kNotEqual)
      return Fail(column, "a range can't be compared by order");
    const std::string low = value.substr(0, dots);
    bool low_units = false, high_units = false;
    if (!ParseAmount(low, is_time, column, &range.low, &low_units)) return false;
    range.high = range.low;
    high_units = low_units;
    if (dots != std::string::npos &&
        !ParseAmount(value.substr(dots + 2), is_time, column + dots + 2, &range.high, &high_units)) {
      return false;
    }
    if (low_units != high_units) return Fail(column, "both ends need the same kind of unit");
    range.in_units = low_units;
    term->ranges.push_back(range);
    return true;
  }

  // Virtual units are kept in thousandths.
  bool ParseAmount(const std::string& s, bool is_time, size_t column, int64_t* out, bool* units) {
    if (!is_time) {
      const auto result = std::from_chars(s.data(), s.data() + s.size(), *out);
      if (result.ec == std::errc() && result.ptr == s.data() + s.size()) return true;
      return Fail(column, "expected a whole number");
    }
    char* end = nullptr;
    const double v = std::strtod(s.c_str(), &end);
    if (end == s.c_str() || !(v >= 0)) return Fail(column, "expected a time such as 5ms");
    const std::string_view unit = std::string_view(s).substr(static_cast<size_t>(end - s.c_str()));
    struct Unit {
      std::string_view name;
      double factor;
    };
    constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"u", 1e3}};
    for (const Unit& u : kUnits) {
      if (u.name != unit) continue;
      const double amount = v * u.factor;
      if (!(amount < 9e18)) return Fail(column, "this time is too long");
      *units = unit == "u";
      *out = static_cast<int64_t>(amount + 0.5);
      return true;
    }
    return Fail(column + static_cast<size_t>(end - s.c_str()), "expected a unit: ns, us, ms, s or u (virtual units)");
  }

  std::string_view text_;
  size_t at_ = 0;
  ParseProblem* problem_;
};

bool Query::Parse(std::string_view text, Query* out, ParseProblem* problem) {
  Query parsed;
  parsed.text_ = text;
  if (!QueryParser(text, problem).Parse(&parsed)) return false;
  *out = std::move(parsed);
  return true;
}

bool Query::depends_on_cursor() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const Term& t) {
    return t.of == Of::kState || t.of == Of::kFate || t.of == Of::kGate || t.of == Of::kIs || t.of == Of::kDuration ||
           t.of == Of::kWait || t.of == Of::kValue || t.of == Of::kError || t.of == Of::kWord || t.of == Of::kArgs;
  });
}

bool Query::Matches(const TraceStore& store, CallId call, EventNo cursor) const {
  if (call == 0 || call > store.calls() || store.call(call).arrive > cursor) return false;
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const Term& t) { return t.Matches(store, call, cursor) != t.negated; });
}

// ---- search

Search::Search(const TraceStore* store) : store_(store) {}

void Search::SetText(std::string_view text) {
  if (text == text_) return;
  text_ = text;
  Query query;
  ParseProblem problem;
  ok_ = Query::Parse(text, &query, &problem);
  problem_ = ok_ ? ParseProblem{} : problem;
  if (!ok_) return;
  query_ = std::move(query);
  hits_.clear();
  next_ = 1;
  complete_ = query_.empty();
}

bool Search::Update(EventNo cursor, uint32_t calls) {
  if (query_.empty()) return true;
  if (cursor != cursor_) {
    // Calls that have arrived since can be added; for anything else of the cursor the hits are looked for anew.
    const bool onwards = cursor > cursor_ && !query_.depends_on_cursor();
    cursor_ = cursor;
    if (!onwards) {
      hits_.clear();
      next_ = 1;
    }
  }
  // Calls arrive in the order of their ids.
  while (next_ <= store_->calls() && store_->call(next_).arrive <= cursor_) {
    if (calls-- == 0) return complete_ = false;
    if (query_.Matches(*store_, next_, cursor_)) hits_.push_back(next_);
    ++next_;
  }
  return complete_ = true;
}

bool Search::Matches(CallId call, EventNo cursor) const {
  return query_.empty() || query_.Matches(*store_, call, cursor);
}

CallId Search::Next(CallId from, int direction, uint32_t* place) const {
  *place = 0;
  if (hits_.empty()) return 0;
  size_t index = 0;
  if (direction > 0) {
    index = static_cast<size_t>(std::upper_bound(hits_.begin(), hits_.end(), from) - hits_.begin()) % hits_.size();
  } else {
    const auto it = std::lower_bound(hits_.begin(), hits_.end(), from);
    index = it == hits_.begin() ? hits_.size() - 1 : static_cast<size_t>(it - hits_.begin()) - 1;
  }
  *place = static_cast<uint32_t>(index) + 1;
  return hits_[index];
}

}  // namespace pysolate::viz
