// A log of binary records in memory: what a host keeps that wants to know everything later at the least price now.
#ifndef PYSOLATE_BENCH_BINARY_LOG_H_
#define PYSOLATE_BENCH_BINARY_LOG_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "pysolate/event.h"

namespace pysolate::bench {

class BinaryLog final : public EventSink {
 public:
  struct Record {
    int64_t t;
    uint32_t call, attempt, other;  // other: tool, scope, key, by, bytes, ... as the kind says
    uint8_t kind, flags;
    uint16_t deps;  // so many records of dependencies follow, five ids each
  };
  static_assert(sizeof(Record) == 24);

  void OnEvent(const Event& e) override {
    Record r{};
    r.t = e.t;
    r.call = e.call;
    r.attempt = e.attempt;
    r.other = e.tool | e.scope | e.key | e.by | e.root | static_cast<uint32_t>(e.bytes);
    r.kind = static_cast<uint8_t>(e.kind);
    r.flags = static_cast<uint8_t>(e.early | e.guess << 1 | e.ok << 2);
    r.deps = static_cast<uint16_t>((e.deps.size() + 4) / 5);
    Append(r);
    for (size_t i = 0; i < e.deps.size(); i += 5) {
      Record d{};
      auto* ids = reinterpret_cast<uint32_t*>(&d);
      for (size_t k = 0; k < 5 && i + k < e.deps.size(); ++k) ids[k] = e.deps[i + k];
      Append(d);
    }
  }
  size_t records() const { return pieces_.empty() ? 0 : (pieces_.size() - 1) * kPiece + used_; }

 private:
  static constexpr size_t kPiece = 4096;
  void Append(const Record& r) {
    if (used_ == kPiece || pieces_.empty()) {
      pieces_.push_back(std::unique_ptr<Record[]>(new Record[kPiece]));
      used_ = 0;
    }
    pieces_.back()[used_++] = r;
  }

  std::vector<std::unique_ptr<Record[]>> pieces_;
  size_t used_ = 0;
};

}  // namespace pysolate::bench

#endif  // PYSOLATE_BENCH_BINARY_LOG_H_
