// One line of a trace -> one Event: a strict JSON parser for the one shape that a line has (a flat object; deeper
// values can only be unknown fields and are checked and skipped).
//
// The fields of a line are first put into slots, one for each name of the format, because the kind that gives them
// their meaning may come last and a name may come twice (the last counts). Strings without escapes are not copied.
#ifndef PYSOLATE_TRACE_LINE_PARSER_H_
#define PYSOLATE_TRACE_LINE_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/event.h"

namespace pysolate::trace_internal {

// Every field name of the format. Order: as in kKeyNames (line_parser.cc).
enum Key : uint8_t {
  kSeq,
  kT,
  kK,
  kVersion,
  kProgram,
  kMode,
  kClock,
  kUnit,
  kSpeculate,
  kPolicy,
  kResultBytes,
  kSource,
  kProducer,
  kClass,
  kName,
  kLimit,
  kRoot,
  kContent,
  kTool,
  kEffect,
  kFailure,
  kCost,
  kCancellable,
  kDeadline,
  kRetry,
  kEarly,
  kReuse,
  kSite,
  kFile,
  kLine,
  kCol,
  kEndLine,
  kEndCol,
  kFunction,
  kText,
  kScope,
  kParent,
  kKind,
  kState,
  kTotal,
  kCall,
  kGuess,
  kDeps,
  kOrder,
  kKey,
  kArgs,
  kAttempt,
  kValue,
  kBytes,
  kError,
  kMessage,
  kWhy,
  kTopic,
  kOk,
  kBy,
  kKeys,
};

enum class LineStatus : uint8_t {
  kEvent,   // parsed
  kBlank,   // only white space
  kCutOff,  // a valid beginning that ends too soon
  kBad,     // cause() says why
};

class LineParser {
 public:
  // Parses [begin, end). *end must be readable and '\n': it stops every scan. On kEvent, event() is valid until the
  // next call and as long as the bytes are.
  LineStatus Parse(const char* begin, const char* end);

  const Event& event() const { return event_; }
  const std::string& cause() const { return cause_; }

 private:
  enum class Type : uint8_t { kNull, kBool, kInt, kReal, kString, kIds, kOther };
  struct Slot {
    Type type;
    int64_t number;  // kInt; kBool: 0 or 1
    std::string_view text;
  };

  // The JSON layer. Each returns false after setting status_ and cause_.
  bool ParseObject();
  bool ParseValue(Slot* slot, Key key);
  bool ParseString(std::string_view* out);
  bool ParseEscapes(const char* begin, std::string_view* out);
  bool ParseHex(uint32_t* out);
  bool ParseNumber(Slot* slot);
  bool ParseLiteral(std::string_view word);
  bool TryParseIds();
  bool SkipNested(int depth);
  bool SkipScalar();
  void SkipSpace() {
    while (*p_ == ' ' || *p_ == '\t' || *p_ == '\r') ++p_;
  }
  bool Fail(std::string_view cause);      // at the cursor; kCutOff if that is the end of the line
  bool FailLine(std::string_view cause);  // wherever the cursor is

  // The meaning layer: slots to the event's fields. Each sets cause_ and returns false for a value of a wrong kind.
  bool Interpret();
  bool InterpretKind(EventKind kind);
  bool Has(Key key) const { return (present_ >> key & 1) != 0; }
  bool Wrong(Key key, std::string_view wanted);
  bool Missing(Key key);
  bool Subject(Key key, uint32_t* out);  // an id that must be there
  bool Id(Key key, uint32_t* out);       // absent: 0
  bool Count(Key key, uint32_t* out);
  bool Small(Key key, int32_t* out);
  bool Big(Key key, int64_t* out);
  bool Limit(Key key, uint32_t* out);
  bool Flag(Key key, bool* out);
  bool Text(Key key, std::string_view* out);
  template <typename E>
  bool Word(Key key, E last, E* out);

  const char* begin_ = nullptr;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  uint64_t present_ = 0;
  LineStatus status_ = LineStatus::kEvent;
  Event event_;
  Slot slots_[kKeys];
  std::vector<CallId> ids_;
  // Unescaped strings of this line; never longer than the line, so it is sized once a line and never moves.
  std::unique_ptr<char[]> scratch_;
  size_t scratch_size_ = 0;
  char* scratch_end_ = nullptr;
  std::string cause_;
};

}  // namespace pysolate::trace_internal

#endif  // PYSOLATE_TRACE_LINE_PARSER_H_
