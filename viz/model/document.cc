#include "model/document.h"

namespace pysolate::viz {

Document::Document(std::string name, bool live)
    : name_(std::move(name)), live_(live), timeline_(&store_), overview_(&store_), reader_(this) {}

void Document::OnEvent(const Event& event) {
  store_.OnEvent(event);
  const EventNo e = store_.events();
  timeline_.OnEvent(e);
  overview_.OnEvent(e);
  ++revision_;
}

bool Document::Feed(std::string_view bytes) {
  if (finished_) return !reader_.error();
  bytes_read_ += bytes.size();
  const bool ok = reader_.Feed(bytes);
  if (!ok) UpdateBanner();
  return ok;
}

bool Document::Finish() {
  if (finished_) return !reader_.error();
  const bool ok = reader_.Finish();
  finished_ = true;
  if (!live_) timeline_.Regroup();
  live_ = false;
  UpdateBanner();
  ++revision_;
  return ok;
}

void Document::UpdateBanner() {
  ++revision_;
  banner_.clear();
  banner_is_error_ = static_cast<bool>(reader_.error());
  if (banner_is_error_) {
    banner_ = name_ + ":";
    if (reader_.error().line != 0) banner_ += std::to_string(reader_.error().line) + ":";
    banner_ += " " + reader_.error().message;
    if (store_.events() != 0) banner_ += ". The " + std::to_string(store_.events()) + " events before it are shown";
    return;
  }
  std::string remarks;
  const auto add = [&](const std::string& s) { remarks += (remarks.empty() ? "" : "; ") + s; };
  if (reader_.truncated()) add("the last line was cut off and is left out");
  for (int i = 0; i < kAnomalies; ++i) {
    const AnomalyCount& a = store_.anomaly(static_cast<Anomaly>(i));
    if (a.count == 0) continue;
    add(std::to_string(a.count) + " x " + std::string(Name(static_cast<Anomaly>(i))) + " (first: event " +
        std::to_string(store_.seq(a.first)) + ")");
  }
  if (!remarks.empty()) banner_ = name_ + ": " + remarks;
}

size_t Document::MemoryBytes() const {
  return sizeof(*this) + store_.MemoryBytes() + timeline_.MemoryBytes() + overview_.MemoryBytes();
}

}  // namespace pysolate::viz
