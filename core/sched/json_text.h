// Building JSON text by appending. Strings come out valid whatever bytes go in.
#ifndef PYSOLATE_SCHED_JSON_TEXT_H_
#define PYSOLATE_SCHED_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace pysolate::sched {

class JsonText {
 public:
  JsonText& Raw(std::string_view text) {
    out_ += text;
    return *this;
  }
  JsonText& Int(int64_t v) { return Raw(std::to_string(v)); }
  JsonText& Bool(bool v) { return Raw(v ? "true" : "false"); }
  JsonText& Text(std::string_view text);

  // Members of an object: the comma is put where it is needed.
  JsonText& Key(std::string_view key) {
    if (!out_.empty() && out_.back() != '{' && out_.back() != '[') out_ += ',';
    out_ += '"';
    out_ += key;
    out_ += "\":";
    return *this;
  }
  JsonText& Item() {
    if (!out_.empty() && out_.back() != '[') out_ += ',';
    return *this;
  }
  JsonText& Int(std::string_view key, int64_t v) { return Key(key).Int(v); }
  JsonText& Bool(std::string_view key, bool v) { return Key(key).Bool(v); }
  JsonText& Text(std::string_view key, std::string_view v) { return Key(key).Text(v); }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace pysolate::sched

#endif  // PYSOLATE_SCHED_JSON_TEXT_H_
