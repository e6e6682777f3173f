// JSON text for `--json`: one object on one line.
#ifndef PYSOLATE_CLI_JSON_OUT_H_
#define PYSOLATE_CLI_JSON_OUT_H_

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "pysolate/ledger.h"

namespace pysolate::cli {

class JsonOut {
 public:
  JsonOut() : w_(buffer_) {}

  JsonOut& Object() { return w_.StartObject(), *this; }
  JsonOut& EndObject() { return w_.EndObject(), *this; }
  JsonOut& Array() { return w_.StartArray(), *this; }
  JsonOut& EndArray() { return w_.EndArray(), *this; }
  JsonOut& Key(std::string_view key) {
    w_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
    return *this;
  }
  JsonOut& Text(std::string_view v) {
    w_.String(v.data(), static_cast<rapidjson::SizeType>(v.size()));
    return *this;
  }
  JsonOut& Int(int64_t v) { return w_.Int64(v), *this; }
  JsonOut& Number(double v) { return w_.Double(v), *this; }
  JsonOut& Bool(bool v) { return w_.Bool(v), *this; }

  JsonOut& Text(std::string_view key, std::string_view v) { return Key(key).Text(v); }
  JsonOut& Int(std::string_view key, int64_t v) { return Key(key).Int(v); }
  JsonOut& Number(std::string_view key, double v) { return Key(key).Number(v); }
  JsonOut& Bool(std::string_view key, bool v) { return Key(key).Bool(v); }

  std::string Take() { return std::string(buffer_.GetString(), buffer_.GetSize()); }
  std::string Line() { return Take() + "\n"; }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> w_;
};

// "ledger":{"dispatched":3,"consumed":2,...,"balanced":true}
void PutLedger(JsonOut& out, const LedgerTotals& totals);

}  // namespace pysolate::cli

#endif  // PYSOLATE_CLI_JSON_OUT_H_
