// JSON text by appending: commas are put where they are needed, strings come out valid whatever bytes go in.
#ifndef PYSOLATE_TRACE_JSON_TEXT_H_
#define PYSOLATE_TRACE_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace pysolate::trace_internal {

// Appends `text` as a JSON string with its quotes. Bytes that belong to no UTF-8 sequence become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

class JsonText {
 public:
  JsonText& Object() { return Open('{'); }
  JsonText& EndObject() { return Close('}'); }
  JsonText& Array() { return Open('['); }
  JsonText& EndArray() { return Close(']'); }
  JsonText& Key(std::string_view key);
  JsonText& Text(std::string_view v);
  JsonText& Int(int64_t v);
  JsonText& Number(double v);  // to six decimals; null if that can't be
  JsonText& Bool(bool v);
  JsonText& Raw(std::string_view json);  // a whole value

  JsonText& Text(std::string_view key, std::string_view v) { return Key(key).Text(v); }
  JsonText& Int(std::string_view key, int64_t v) { return Key(key).Int(v); }
  JsonText& Number(std::string_view key, double v) { return Key(key).Number(v); }
  JsonText& Bool(std::string_view key, bool v) { return Key(key).Bool(v); }

  std::string Take() { return std::exchange(out_, {}); }

 private:
  void Separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }
  JsonText& Open(char c) {
    Separate();
    out_ += c;
    needs_comma_ = false;
    return *this;
  }
  JsonText& Close(char c) {
    out_ += c;
    needs_comma_ = true;
    return *this;
  }

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace pysolate::trace_internal

#endif  // PYSOLATE_TRACE_JSON_TEXT_H_
