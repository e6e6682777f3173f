#include "trace/line_parser.h"

#include <array>
#include <cstring>
#include <limits>

#include "pysolate/trace.h"
#include "trace/text_scan.h"
#include "trace/word_table.h"

namespace pysolate::trace_internal {
namespace {

constexpr std::array<std::string_view, kKeys> kKeyNames = {
    "seq",   "t",           "k",        "version",      "program", "mode",     "clock",
    "unit",  "speculate",   "policy",   "result_bytes", "source",  "producer", "class",
    "name",  "limit",       "root",     "content",      "tool",    "effect",   "failure",
    "cost",  "cancellable", "deadline", "retry",        "early",   "reuse",    "site",
    "file",  "line",        "col",      "end_line",     "end_col", "function", "text",
    "scope", "parent",      "kind",     "state",        "total",   "call",     "guess",
    "deps",  "order",       "key",      "args",         "attempt", "value",    "bytes",
    "error", "message",     "why",      "topic",        "ok",      "by",
};
constexpr WordTable<kKeys> kKeyTable(kKeyNames);
static_assert(kKeys <= 64, "presence is a 64-bit mask");

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// ---------------------------------------------------------------------------------------------------- JSON

bool LineParser::Fail(std::string_view cause) {
  if (p_ == end_) {
    status_ = LineStatus::kCutOff;
    cause_ = "the line ends too soon";
    return false;
  }
  status_ = LineStatus::kBad;
  cause_.assign(cause);
  cause_ += " at column ";
  cause_ += std::to_string(p_ - begin_ + 1);
  return false;
}

bool LineParser::FailLine(std::string_view cause) {
  status_ = LineStatus::kBad;
  cause_.assign(cause);
  return false;
}

LineStatus LineParser::Parse(const char* begin, const char* end) {
  begin_ = p_ = begin;
  end_ = end;
  present_ = 0;
  scratch_end_ = nullptr;
  status_ = LineStatus::kEvent;
  SkipSpace();
  if (p_ == end_) return LineStatus::kBlank;
  if (ParseObject()) Interpret();
  return status_;
}

bool LineParser::ParseObject() {
  if (*p_ != '{') return Fail("expected '{'");
  ++p_;
  SkipSpace();
  if (*p_ == '}') {
    ++p_;
  } else {
    while (true) {
      if (*p_ != '"') return Fail("expected a field name");
      ++p_;
      const char* const name = p_;
      while (IsPlain(static_cast<unsigned char>(*p_))) ++p_;
      int key;
      if (*p_ == '"') {
        key = kKeyTable.Find(name, static_cast<size_t>(p_ - name), static_cast<size_t>(end_ - name));
        ++p_;
      } else {
        std::string_view unescaped;
        p_ = name;
        if (!ParseString(&unescaped)) return false;
        key = kKeyTable.Find(unescaped);
      }
      SkipSpace();
      if (*p_ != ':') return Fail("expected ':'");
      ++p_;
      SkipSpace();
      if (key >= 0) {
        if (!ParseValue(&slots_[key], static_cast<Key>(key))) return false;
        present_ |= uint64_t{1} << key;
      } else {
        Slot unused;
        if (!ParseValue(&unused, kKeys)) return false;
      }
      SkipSpace();
      if (*p_ == ',') {
        ++p_;
        SkipSpace();
        continue;
      }
      if (*p_ == '}') {
        ++p_;
        break;
      }
      return Fail("expected ',' or '}'");
    }
  }
  SkipSpace();
  if (p_ != end_) return Fail("unexpected text behind the event");
  return true;
}

bool LineParser::ParseValue(Slot* slot, Key key) {
  switch (*p_) {
    case '"':
      ++p_;
      slot->type = Type::kString;
      return ParseString(&slot->text);
    case 't':
      slot->type = Type::kBool;
      slot->number = 1;
      return ParseLiteral("true");
    case 'f':
      slot->type = Type::kBool;
      slot->number = 0;
      return ParseLiteral("false");
    case 'n':
      slot->type = Type::kNull;
      return ParseLiteral("null");
    case '[':
      if (key == kDeps && TryParseIds()) {
        slot->type = Type::kIds;
        return true;
      }
      [[fallthrough]];
    case '{':
      slot->type = Type::kOther;
      return SkipNested(2);
    default:
      return ParseNumber(slot);
  }
}

bool LineParser::ParseString(std::string_view* out) {
  const char* const begin = p_;
  while (true) {
    p_ = SkipPlain(p_, end_);
    const auto c = static_cast<unsigned char>(*p_);
    if (c == '"') {
      *out = {begin, static_cast<size_t>(p_ - begin)};
      ++p_;
      return true;
    }
    if (c == '\\') return ParseEscapes(begin, out);
    if (c < 0x20) return Fail("control character in a string");
    const size_t n = Utf8Length(p_, end_);
    if (n == 0) {
      // A sequence that the end of the line cuts is a cut line; anything else is wrong.
      const size_t left = static_cast<size_t>(end_ - p_);
      bool cut = left < Utf8Wants(c);
      for (size_t i = 1; cut && i < left; ++i) cut = (static_cast<unsigned char>(p_[i]) & 0xC0) == 0x80;
      if (cut) p_ = end_;
      return Fail("invalid UTF-8");
    }
    p_ += n;
  }
}

// The rest of a string from its first backslash on; `begin` is where the string began.
bool LineParser::ParseEscapes(const char* begin, std::string_view* out) {
  if (scratch_end_ == nullptr) {
    const size_t size = static_cast<size_t>(end_ - begin_);
    if (scratch_size_ < size) {
      scratch_ = std::make_unique<char[]>(size);
      scratch_size_ = size;
    }
    scratch_end_ = scratch_.get();
  }
  char* const first = scratch_end_;
  char* to = first;
  const char* from = begin;
  while (true) {
    std::memcpy(to, from, static_cast<size_t>(p_ - from));
    to += p_ - from;
    const auto c = static_cast<unsigned char>(*p_);
    if (c == '"') {
      ++p_;
      *out = {first, static_cast<size_t>(to - first)};
      scratch_end_ = to;
      return true;
    }
    if (c == '\\') {
      ++p_;
      const char escape = *p_;
      if (escape == 'u') {
        ++p_;
        uint32_t code;
        if (!ParseHex(&code)) return false;
        if (code >= 0xDC00 && code < 0xE000) return Fail("lone surrogate");
        if (code >= 0xD800 && code < 0xDC00) {
          uint32_t low;
          if (*p_ != '\\') return Fail("lone surrogate");
          ++p_;
          if (*p_ != 'u') return Fail("lone surrogate");
          ++p_;
          if (!ParseHex(&low)) return false;
          if (low < 0xDC00 || low >= 0xE000) return Fail("lone surrogate");
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        to = PutUtf8(to, code);
      } else {
        char plain;
        switch (escape) {
          case '"':
          case '\\':
          case '/':
            plain = escape;
            break;
          case 'b':
            plain = '\b';
            break;
          case 'f':
            plain = '\f';
            break;
          case 'n':
            plain = '\n';
            break;
          case 'r':
            plain = '\r';
            break;
          case 't':
            plain = '\t';
            break;
          default:
            return Fail("unknown escape");
        }
        *to++ = plain;
        ++p_;
      }
      from = p_;
    } else {
      // A code point beyond ASCII, or what may not stand in a string: the scan of ParseString judges it.
      from = p_;
      const char* const here = p_;
      const size_t n = c < 0x20 ? 0 : Utf8Length(p_, end_);
      if (n == 0) {
        std::string_view unused;
        p_ = here;
        return ParseString(&unused);
      }
      p_ += n;
    }
    p_ = SkipPlain(p_, end_);
  }
}

bool LineParser::ParseHex(uint32_t* out) {
  uint32_t v = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = *p_;
    v <<= 4;
    if (IsDigit(c))
      v |= static_cast<uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      v |= static_cast<uint32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      v |= static_cast<uint32_t>(c - 'A' + 10);
    else
      return Fail("expected four hexadecimal digits");
    ++p_;
  }
  *out = v;
  return true;
}

bool LineParser::ParseNumber(Slot* slot) {
  const char* const begin = p_;
  const bool negative = *p_ == '-';
  if (negative) ++p_;
  if (!IsDigit(*p_)) {
    if (!negative) return Fail("expected a value");
    return Fail("expected a digit");
  }
  const char* const digits = p_;
  uint64_t v = 0;
  while (IsDigit(*p_) && p_ - digits < 19) v = v * 10 + static_cast<uint64_t>(*p_++ - '0');
  const bool overflow = IsDigit(*p_) || v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  while (IsDigit(*p_)) ++p_;
  if (*digits == '0' && p_ - digits > 1) {
    p_ = digits;
    return Fail("number with a leading zero");
  }
  if (*p_ == '.' || *p_ == 'e' || *p_ == 'E') {
    if (*p_ == '.') {
      ++p_;
      if (!IsDigit(*p_)) return Fail("expected a digit");
      while (IsDigit(*p_)) ++p_;
    }
    if (*p_ == 'e' || *p_ == 'E') {
      ++p_;
      if (*p_ == '+' || *p_ == '-') ++p_;
      if (!IsDigit(*p_)) return Fail("expected a digit");
      while (IsDigit(*p_)) ++p_;
    }
    slot->type = Type::kReal;
    return true;
  }
  if (overflow) {
    p_ = begin;
    return Fail("integer beyond 63 bits");
  }
  slot->type = Type::kInt;
  slot->number = negative ? -static_cast<int64_t>(v) : static_cast<int64_t>(v);
  return true;
}

bool LineParser::ParseLiteral(std::string_view word) {
  const char* const begin = p_;
  for (const char c : word) {
    if (*p_ != c) {
      if (p_ != end_) p_ = begin;
      return Fail("expected a value");
    }
    ++p_;
  }
  return true;
}

// `[1,2,3]` of ids, the only array that the format has. Anything else leaves the cursor where it was.
bool LineParser::TryParseIds() {
  const char* const begin = p_;
  ids_.clear();
  ++p_;
  SkipSpace();
  if (*p_ == ']') {
    ++p_;
    return true;
  }
  while (true) {
    const char* const digits = p_;
    uint64_t v = 0;
    while (IsDigit(*p_) && p_ - digits < 10) v = v * 10 + static_cast<uint64_t>(*p_++ - '0');
    if (p_ == digits || *digits == '0' || v >= kUnlimited || IsDigit(*p_)) break;
    ids_.push_back(static_cast<CallId>(v));
    SkipSpace();
    if (*p_ == ']') {
      ++p_;
      return true;
    }
    if (*p_ != ',') break;
    ++p_;
    SkipSpace();
  }
  p_ = begin;
  return false;
}

// An array or object at the cursor, which would be at nesting depth `depth`.
bool LineParser::SkipNested(int depth) {
  if (depth > kMaxTraceDepth) return Fail("nested too deep (more than 16)");
  const bool object = *p_ == '{';
  const char close = object ? '}' : ']';
  ++p_;
  SkipSpace();
  if (*p_ == close) {
    ++p_;
    return true;
  }
  while (true) {
    if (object) {
      std::string_view unused;
      if (*p_ != '"') return Fail("expected a field name");
      ++p_;
      if (!ParseString(&unused)) return false;
      SkipSpace();
      if (*p_ != ':') return Fail("expected ':'");
      ++p_;
      SkipSpace();
    }
    if (*p_ == '{' || *p_ == '[') {
      if (!SkipNested(depth + 1)) return false;
    } else if (!SkipScalar()) {
      return false;
    }
    SkipSpace();
    if (*p_ == close) {
      ++p_;
      return true;
    }
    if (*p_ != ',') return Fail(object ? "expected ',' or '}'" : "expected ',' or ']'");
    ++p_;
    SkipSpace();
  }
}

bool LineParser::SkipScalar() {
  Slot unused;
  return ParseValue(&unused, kKeys);
}

// ------------------------------------------------------------------------------------------------- meaning

bool LineParser::Wrong(Key key, std::string_view wanted) {
  std::string cause = "\"";
  cause += kKeyNames[key];
  cause += "\" of \"";
  cause += Name(event_.kind);
  cause += "\" must be ";
  cause += wanted;
  return FailLine(cause);
}

bool LineParser::Missing(Key key) {
  std::string cause = "\"";
  cause += kKeyNames[key];
  cause += "\" of \"";
  cause += Name(event_.kind);
  cause += "\" is missing";
  return FailLine(cause);
}

bool LineParser::Subject(Key key, uint32_t* out) {
  if (!Has(key)) return Missing(key);
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < 1 || s.number >= kUnlimited) return Wrong(key, "an id (1 to 4294967294)");
  *out = static_cast<uint32_t>(s.number);
  return true;
}

bool LineParser::Id(Key key, uint32_t* out) {
  if (!Has(key)) return true;
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < 0 || s.number >= kUnlimited) return Wrong(key, "an id or 0");
  *out = static_cast<uint32_t>(s.number);
  return true;
}

bool LineParser::Count(Key key, uint32_t* out) {
  if (!Has(key)) return true;
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < 0 || s.number >= kUnlimited)
    return Wrong(key, "an integer from 0 to 4294967294");
  *out = static_cast<uint32_t>(s.number);
  return true;
}

bool LineParser::Small(Key key, int32_t* out) {
  if (!Has(key)) return true;
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < 0 || s.number > std::numeric_limits<int32_t>::max()) {
    return Wrong(key, "an integer from 0 to 2147483647");
  }
  *out = static_cast<int32_t>(s.number);
  return true;
}

bool LineParser::Big(Key key, int64_t* out) {
  if (!Has(key)) return true;
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < 0) return Wrong(key, "an integer, not negative");
  *out = s.number;
  return true;
}

bool LineParser::Limit(Key key, uint32_t* out) {
  const Slot& s = slots_[key];
  if (s.type != Type::kInt || s.number < -1 || s.number >= kUnlimited) {
    return Wrong(key, "a limit (0 to 4294967294, or -1 for unlimited)");
  }
  *out = s.number == -1 ? kUnlimited : static_cast<uint32_t>(s.number);
  return true;
}

bool LineParser::Flag(Key key, bool* out) {
  if (!Has(key)) return true;
  if (slots_[key].type != Type::kBool) return Wrong(key, "true or false");
  *out = slots_[key].number != 0;
  return true;
}

bool LineParser::Text(Key key, std::string_view* out) {
  if (!Has(key)) return true;
  if (slots_[key].type != Type::kString) return Wrong(key, "a string");
  *out = slots_[key].text;
  return true;
}

// A word of an enumeration, of which `last` is the last value allowed here.
template <typename E>
bool LineParser::Word(Key key, E last, E* out) {
  if (!Has(key)) return true;
  if (slots_[key].type == Type::kString) {
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (slots_[key].text == Name(static_cast<E>(i))) {
        *out = static_cast<E>(i);
        return true;
      }
    }
  }
  std::string wanted = "one of";
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    wanted += i == 0 ? " " : ", ";
    wanted += Name(static_cast<E>(i));
  }
  return Wrong(key, wanted);
}

bool LineParser::Interpret() {
  event_ = Event();
  if (!Has(kK)) return FailLine("\"k\" is missing");
  if (slots_[kK].type != Type::kString) return FailLine("\"k\" must be a string");
  const std::string_view word = slots_[kK].text;
  event_.kind = EventKindFromName(word);
  if (!Has(kSeq)) return FailLine("\"seq\" is missing");
  if (slots_[kSeq].type != Type::kInt || slots_[kSeq].number < 1) return FailLine("\"seq\" must be a positive integer");
  event_.seq = static_cast<uint64_t>(slots_[kSeq].number);
  if (!Has(kT)) return FailLine("\"t\" is missing");
  if (slots_[kT].type != Type::kInt || slots_[kT].number < 0) {
    return FailLine("\"t\" must be an integer number of nanoseconds, not negative");
  }
  event_.t = slots_[kT].number;
  if (event_.kind == EventKind::kUnknown) {
    event_.name = word;
    return true;
  }
  return InterpretKind(event_.kind);
}

bool LineParser::InterpretKind(EventKind kind) {
  Event& e = event_;
  switch (kind) {
    case EventKind::kRun:
      if (!Has(kVersion)) return Missing(kVersion);
      return Count(kVersion, &e.version) && Text(kProgram, &e.name) && Text(kMode, &e.why) && Text(kClock, &e.error) &&
             Big(kUnit, &e.unit) && Flag(kSpeculate, &e.speculate) && Text(kPolicy, &e.order) &&
             Big(kResultBytes, &e.bytes) && Text(kSource, &e.text) && Text(kProducer, &e.producer);
    case EventKind::kClass:
      if (!Has(kLimit)) return Missing(kLimit);
      e.has_limit = true;
      return Subject(kClass, &e.klass) && Text(kName, &e.name) && Limit(kLimit, &e.limit);
    case EventKind::kRoot:
      return Subject(kRoot, &e.root) && Text(kName, &e.name) && Text(kContent, &e.error);
    case EventKind::kTool:
      e.early = true;
      e.reuse = true;
      e.cost = 1;
      return Subject(kTool, &e.tool) && Text(kName, &e.name) && Word(kEffect, Effect::kExternalWrite, &e.effect) &&
             Word(kFailure, Failure::kTransient, &e.failure) && Id(kClass, &e.klass) && Count(kCost, &e.cost) &&
             Id(kRoot, &e.root) && Flag(kCancellable, &e.cancellable) && Big(kDeadline, &e.deadline) &&
             Count(kRetry, &e.retry) && Flag(kEarly, &e.early) && Flag(kReuse, &e.reuse);
    case EventKind::kSite:
      return Subject(kSite, &e.site) && Text(kFile, &e.file) && Small(kLine, &e.line) && Small(kCol, &e.col) &&
             Small(kEndLine, &e.end_line) && Small(kEndCol, &e.end_col) && Text(kFunction, &e.function) &&
             Text(kText, &e.text);
    case EventKind::kScope:
      return Subject(kScope, &e.scope) && Id(kParent, &e.parent) && Word(kKind, ScopeKind::kHandler, &e.scope_kind) &&
             Id(kSite, &e.site) && Small(kLine, &e.line) && Word(kState, ScopeState::kActive, &e.scope_state) &&
             Text(kName, &e.name);
    case EventKind::kScopeActive:
    case EventKind::kScopeDead:
    case EventKind::kScopeClosed:
      return Subject(kScope, &e.scope);
    case EventKind::kBudget:
      e.has_total = Has(kTotal);
      e.has_early_limit = Has(kEarly);
      e.has_limit = Has(kLimit);
      if (e.has_total && !Limit(kTotal, &e.total)) return false;
      if (e.has_early_limit && !Limit(kEarly, &e.early_limit)) return false;
      if (e.has_limit) return Subject(kClass, &e.klass) && Limit(kLimit, &e.limit);
      return true;
    case EventKind::kArrive:
      if (!(Subject(kCall, &e.call) && Id(kTool, &e.tool) && Id(kSite, &e.site) && Id(kScope, &e.scope) &&
            Flag(kEarly, &e.early) && Flag(kGuess, &e.guess) && Text(kOrder, &e.order) && Id(kParent, &e.parent))) {
        return false;
      }
      if (Has(kDeps)) {
        if (slots_[kDeps].type != Type::kIds) return Wrong(kDeps, "a list of call ids");
        e.deps = ids_;
      }
      return true;
    case EventKind::kArgs:
      return Subject(kCall, &e.call) && Id(kKey, &e.key) && Text(kArgs, &e.text);
    case EventKind::kReach:
      return Subject(kCall, &e.call) && Id(kSite, &e.site) && Id(kScope, &e.scope) && Text(kOrder, &e.order);
    case EventKind::kConsume:
    case EventKind::kPromote:
    case EventKind::kReady:
      return Subject(kCall, &e.call);
    case EventKind::kComplete:
      return Subject(kAttempt, &e.attempt) && Text(kValue, &e.text) && Big(kBytes, &e.bytes);
    case EventKind::kFail:
      return Subject(kAttempt, &e.attempt) && Text(kError, &e.error) && Text(kMessage, &e.text) &&
             Word(kFailure, Failure::kDeadline, &e.failure);
    case EventKind::kStopped:
    case EventKind::kCancelled:
      return Subject(kAttempt, &e.attempt);
    case EventKind::kCancel:
    case EventKind::kRefuse:
    case EventKind::kDiscard:
    case EventKind::kCallCancelled:
      return Subject(kCall, &e.call) && Text(kWhy, &e.why);
    case EventKind::kNote:
      return Text(kTopic, &e.why) && Small(kLine, &e.line) && Text(kText, &e.text);
    case EventKind::kEnd:
      if (!Has(kOk)) return Missing(kOk);
      return Flag(kOk, &e.ok) && Text(kError, &e.error);
    case EventKind::kDispatch:
      return Subject(kAttempt, &e.attempt) && Subject(kCall, &e.call) && Flag(kEarly, &e.early) &&
             Count(kCost, &e.cost) && Id(kParent, &e.parent);
    case EventKind::kJoin:
    case EventKind::kRetry:
      return Subject(kCall, &e.call) && Subject(kAttempt, &e.attempt);
    case EventKind::kVersion:
      return Subject(kRoot, &e.root) && Count(kVersion, &e.version) && Id(kCall, &e.call);
    case EventKind::kSettle:
      if (!Has(kOk)) return Missing(kOk);
      return Subject(kCall, &e.call) && Subject(kAttempt, &e.attempt) && Flag(kOk, &e.ok);
    case EventKind::kSuppress:
    case EventKind::kSkip:
      return Subject(kCall, &e.call) && Id(kBy, &e.by);
    case EventKind::kCancelRequest:
    case EventKind::kLost:
      return Subject(kAttempt, &e.attempt) && Text(kWhy, &e.why);
    case EventKind::kOrphan:
      return Subject(kAttempt, &e.attempt) && Text(kWhy, &e.why) && Big(kDeadline, &e.deadline);
    case EventKind::kLate:
      if (!Has(kOk)) return Missing(kOk);
      return Subject(kAttempt, &e.attempt) && Flag(kOk, &e.ok);
    case EventKind::kEvict:
      return Subject(kAttempt, &e.attempt) && Big(kBytes, &e.bytes);
    case EventKind::kTick:
    case EventKind::kUnknown:
      return true;
  }
  return true;
}

}  // namespace pysolate::trace_internal
