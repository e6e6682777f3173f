#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "pysolate/trace.h"
#include "trace/text_scan.h"

namespace pysolate {
namespace {

using trace_internal::SkipPlain;
using trace_internal::Utf8Length;

// Writes one line into a buffer that is large enough by construction (see LineBound).
class LineBuilder {
 public:
  LineBuilder(char* out, size_t max_text) : p_(out), max_text_(max_text) {}
  char* end() const { return p_; }

  void Raw(std::string_view text) {
    if (text.empty()) return;  // its data may be null, which memcpy must not see
    std::memcpy(p_, text.data(), text.size());
    p_ += text.size();
  }
  void Int(int64_t v) { p_ = std::to_chars(p_, p_ + 20, v).ptr; }

  // `key` comes quoted with comma and colon: `,"call":`.
  void Int(std::string_view key, int64_t v) {
    Raw(key);
    Int(v);
  }
  void Limit(std::string_view key, uint32_t v) { Int(key, v == kUnlimited ? -1 : static_cast<int64_t>(v)); }
  void Bool(std::string_view key, bool v) {
    Raw(key);
    Raw(v ? "true" : "false");
  }
  void Word(std::string_view key, std::string_view word) {
    Raw(key);
    *p_++ = '"';
    Raw(word);
    *p_++ = '"';
  }
  void Text(std::string_view key, std::string_view text) {
    Raw(key);
    *p_++ = '"';
    Escaped(text);
    *p_++ = '"';
  }
  void OptionalText(std::string_view key, std::string_view text) {
    if (!text.empty()) Text(key, text);
  }
  void Ids(std::string_view key, std::span<const CallId> ids) {
    Raw(key);
    *p_++ = '[';
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i != 0) *p_++ = ',';
      Int(ids[i]);
    }
    *p_++ = ']';
  }

 private:
  void Escaped(std::string_view text) {
    if (text.size() > max_text_) {
      size_t keep = max_text_;
      while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0) == 0x80) --keep;
      text = text.substr(0, keep);
    }
    const char* p = text.data();
    const char* const end = p + text.size();
    while (true) {
      const char* const plain = SkipPlain(p, end);
      Raw({p, static_cast<size_t>(plain - p)});
      p = plain;
      if (p == end) return;
      const auto c = static_cast<unsigned char>(*p);
      if (c >= 0x80) {
        const size_t n = Utf8Length(p, end);
        if (n == 0) {
          Raw("\xEF\xBF\xBD");  // U+FFFD for each byte that belongs to no valid sequence
          ++p;
        } else {
          Raw({p, n});
          p += n;
        }
        continue;
      }
      *p_++ = '\\';
      switch (c) {
        case '"':
          *p_++ = '"';
          break;
        case '\\':
          *p_++ = '\\';
          break;
        case '\n':
          *p_++ = 'n';
          break;
        case '\r':
          *p_++ = 'r';
          break;
        case '\t':
          *p_++ = 't';
          break;
        default: {
          static constexpr char kHex[] = "0123456789abcdef";
          Raw("u00");
          *p_++ = kHex[c >> 4];
          *p_++ = kHex[c & 15];
        }
      }
      ++p;
    }
  }

  char* p_;
  size_t max_text_;
};

// Room for one line: all keys and numbers of the longest kind, and every string byte as `\u00XX`.
size_t LineBound(const Event& e) {
  const size_t strings = e.name.size() + e.file.size() + e.function.size() + e.text.size() + e.why.size() +
                         e.error.size() + e.order.size() + e.producer.size();
  return 640 + 6 * strings + 11 * e.deps.size();
}

void WriteFields(const Event& e, LineBuilder& b) {
  switch (e.kind) {
    case EventKind::kRun:
      b.Int(",\"version\":", e.version);
      b.Text(",\"program\":", e.name);
      b.Text(",\"mode\":", e.why);
      b.Text(",\"clock\":", e.error);
      b.Int(",\"unit\":", e.unit);
      b.Bool(",\"speculate\":", e.speculate);
      b.Text(",\"policy\":", e.order);
      b.Int(",\"result_bytes\":", e.bytes);
      b.OptionalText(",\"source\":", e.text);
      b.Text(",\"producer\":", e.producer);
      return;
    case EventKind::kClass:
      b.Int(",\"class\":", e.klass);
      b.Text(",\"name\":", e.name);
      b.Limit(",\"limit\":", e.limit);
      return;
    case EventKind::kRoot:
      b.Int(",\"root\":", e.root);
      b.Text(",\"name\":", e.name);
      b.OptionalText(",\"content\":", e.error);
      return;
    case EventKind::kTool:
      b.Int(",\"tool\":", e.tool);
      b.Text(",\"name\":", e.name);
      b.Word(",\"effect\":", Name(e.effect));
      b.Word(",\"failure\":", Name(e.failure));
      b.Int(",\"class\":", e.klass);
      b.Int(",\"cost\":", e.cost);
      b.Int(",\"root\":", e.root);
      b.Bool(",\"cancellable\":", e.cancellable);
      b.Int(",\"deadline\":", e.deadline);
      b.Int(",\"retry\":", e.retry);
      b.Bool(",\"early\":", e.early);
      b.Bool(",\"reuse\":", e.reuse);
      return;
    case EventKind::kSite:
      b.Int(",\"site\":", e.site);
      b.Text(",\"file\":", e.file);
      b.Int(",\"line\":", e.line);
      b.Int(",\"col\":", e.col);
      b.Int(",\"end_line\":", e.end_line);
      b.Int(",\"end_col\":", e.end_col);
      b.Text(",\"function\":", e.function);
      b.OptionalText(",\"text\":", e.text);
      return;
    case EventKind::kScope:
      b.Int(",\"scope\":", e.scope);
      b.Int(",\"parent\":", e.parent);
      b.Word(",\"kind\":", Name(e.scope_kind));
      b.Int(",\"site\":", e.site);
      b.Int(",\"line\":", e.line);
      b.Word(",\"state\":", Name(e.scope_state));
      b.OptionalText(",\"name\":", e.name);
      return;
    case EventKind::kScopeActive:
    case EventKind::kScopeDead:
    case EventKind::kScopeClosed:
      b.Int(",\"scope\":", e.scope);
      return;
    case EventKind::kBudget:
      if (e.has_total) b.Limit(",\"total\":", e.total);
      if (e.has_early_limit) b.Limit(",\"early\":", e.early_limit);
      if (e.has_limit) {
        b.Int(",\"class\":", e.klass);
        b.Limit(",\"limit\":", e.limit);
      }
      return;
    case EventKind::kArrive:
      b.Int(",\"call\":", e.call);
      b.Int(",\"tool\":", e.tool);
      b.Int(",\"site\":", e.site);
      b.Int(",\"scope\":", e.scope);
      b.Bool(",\"early\":", e.early);
      b.Bool(",\"guess\":", e.guess);
      b.Ids(",\"deps\":", e.deps);
      b.Text(",\"order\":", e.order);
      if (e.parent != 0) b.Int(",\"parent\":", e.parent);
      return;
    case EventKind::kArgs:
      b.Int(",\"call\":", e.call);
      b.Int(",\"key\":", e.key);
      b.Text(",\"args\":", e.text);
      return;
    case EventKind::kReach:
      b.Int(",\"call\":", e.call);
      if (e.scope != 0) {
        b.Int(",\"site\":", e.site);
        b.Int(",\"scope\":", e.scope);
        b.Text(",\"order\":", e.order);
      }
      return;
    case EventKind::kConsume:
    case EventKind::kPromote:
    case EventKind::kReady:
      b.Int(",\"call\":", e.call);
      return;
    case EventKind::kComplete:
      b.Int(",\"attempt\":", e.attempt);
      b.Text(",\"value\":", e.text);
      b.Int(",\"bytes\":", e.bytes);
      return;
    case EventKind::kFail:
      b.Int(",\"attempt\":", e.attempt);
      b.Text(",\"error\":", e.error);
      b.Text(",\"message\":", e.text);
      b.Word(",\"failure\":", Name(e.failure));
      return;
    case EventKind::kStopped:
    case EventKind::kCancelled:
      b.Int(",\"attempt\":", e.attempt);
      return;
    case EventKind::kCancel:
    case EventKind::kRefuse:
    case EventKind::kDiscard:
    case EventKind::kCallCancelled:
      b.Int(",\"call\":", e.call);
      b.Text(",\"why\":", e.why);
      return;
    case EventKind::kNote:
      b.Text(",\"topic\":", e.why);
      b.Int(",\"line\":", e.line);
      b.Text(",\"text\":", e.text);
      return;
    case EventKind::kEnd:
      b.Bool(",\"ok\":", e.ok);
      b.OptionalText(",\"error\":", e.error);
      return;
    case EventKind::kDispatch:
      b.Int(",\"attempt\":", e.attempt);
      b.Int(",\"call\":", e.call);
      b.Bool(",\"early\":", e.early);
      b.Int(",\"cost\":", e.cost);
      b.Int(",\"parent\":", e.parent);
      return;
    case EventKind::kJoin:
    case EventKind::kRetry:
      b.Int(",\"call\":", e.call);
      b.Int(",\"attempt\":", e.attempt);
      return;
    case EventKind::kVersion:
      b.Int(",\"root\":", e.root);
      b.Int(",\"version\":", e.version);
      b.Int(",\"call\":", e.call);
      return;
    case EventKind::kSettle:
      b.Int(",\"call\":", e.call);
      b.Int(",\"attempt\":", e.attempt);
      b.Bool(",\"ok\":", e.ok);
      return;
    case EventKind::kSuppress:
    case EventKind::kSkip:
      b.Int(",\"call\":", e.call);
      b.Int(",\"by\":", e.by);
      return;
    case EventKind::kCancelRequest:
    case EventKind::kLost:
      b.Int(",\"attempt\":", e.attempt);
      b.Text(",\"why\":", e.why);
      return;
    case EventKind::kOrphan:
      b.Int(",\"attempt\":", e.attempt);
      b.Text(",\"why\":", e.why);
      b.Int(",\"deadline\":", e.deadline);
      return;
    case EventKind::kLate:
      b.Int(",\"attempt\":", e.attempt);
      b.Bool(",\"ok\":", e.ok);
      return;
    case EventKind::kEvict:
      b.Int(",\"attempt\":", e.attempt);
      b.Int(",\"bytes\":", e.bytes);
      return;
    case EventKind::kTick:
    case EventKind::kUnknown:
      return;
  }
}

size_t WriteLine(const Event& e, char* out, size_t max_text) {
  LineBuilder b(out, max_text);
  b.Int("{\"seq\":", static_cast<int64_t>(e.seq));
  b.Int(",\"t\":", e.t);
  // An event that the reader did not understand keeps its word; its fields are not known here.
  const bool foreign = e.kind == EventKind::kUnknown && !e.name.empty() && EventKindFromName(e.name) == e.kind;
  if (foreign) {
    b.Text(",\"k\":", e.name);
  } else {
    b.Word(",\"k\":", Name(e.kind));
  }
  WriteFields(e, b);
  b.Raw("}\n");
  return static_cast<size_t>(b.end() - out);
}

}  // namespace

void TraceWriter::OnEvent(const Event& e) {
  const size_t bound = LineBound(e);
  if (line_.size() < bound) line_.resize(bound + bound / 2);
  size_t size = WriteLine(e, line_.data(), SIZE_MAX);
  // 16 KiB a string keep any event below the line limit even if every byte has to be escaped.
  if (size > kMaxTraceLine) size = WriteLine(e, line_.data(), size_t{1} << 14);
  text_.append(line_.data(), size);
}

std::string TraceWriter::Take() { return std::exchange(text_, {}); }

}  // namespace pysolate
