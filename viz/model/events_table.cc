#include "model/events_table.h"

#include <algorithm>
#include <charconv>

#include "model/inspector.h"

namespace pysolate::viz {
namespace {

std::string Lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// A tab or line end inside a text would break the copied table.
std::string OneCell(std::string s) {
  std::replace(s.begin(), s.end(), '\t', ' ');
  std::replace(s.begin(), s.end(), '\n', ' ');
  return s;
}

}  // namespace

EventsTable::EventsTable(const TraceStore* store) : store_(store) {}

void EventsTable::SetFilter(std::string_view text) {
  if (text == filter_) return;
  filter_ = text;
  words_.clear();
  kind_ = EventKind::kUnknown;
  call_ = 0;
  rows_.clear();
  upto_ = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (word.substr(0, 5) == "kind:" && EventKindFromName(word.substr(5)) != EventKind::kUnknown) {
      kind_ = EventKindFromName(word.substr(5));
      continue;
    }
    if (word.substr(0, 5) == "call:") {
      const std::string_view number = word.substr(5);
      if (std::from_chars(number.data(), number.data() + number.size(), call_).ec == std::errc()) continue;
    }
    words_.push_back(Lower(word));
  }
}

bool EventsTable::Passes(EventNo e) const {
  if (kind_ != EventKind::kUnknown && store_->kind(e) != kind_) return false;
  if (call_ != 0 && store_->call_of(e) != call_) return false;
  if (words_.empty()) return true;
  const std::string text = Lower(std::string(Name(store_->kind(e))) + " " + DescribeEvent(*store_, e));
  return std::all_of(words_.begin(), words_.end(),
                     [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

bool EventsTable::Update(uint32_t budget) {
  if (filter_.empty()) return true;
  for (; upto_ < store_->events(); --budget) {
    if (budget == 0) return false;
    if (Passes(++upto_)) rows_.push_back(upto_);
  }
  return true;
}

uint32_t EventsTable::rows() const { return filter_.empty() ? store_->events() : static_cast<uint32_t>(rows_.size()); }

EventNo EventsTable::event_at(uint32_t row) const { return filter_.empty() ? row + 1 : rows_[row]; }

EventRow EventsTable::Row(uint32_t row) const {
  const EventNo e = event_at(row);
  return {e,
          store_->seq(e),
          store_->time(e),
          store_->kind(e),
          IsDecision(store_->kind(e)),
          store_->call_of(e),
          DescribeEvent(*store_, e)};
}

uint32_t EventsTable::RowOf(EventNo e) const {
  if (filter_.empty()) return e == 0 ? 0 : std::min(e, store_->events()) - 1;
  return static_cast<uint32_t>(std::lower_bound(rows_.begin(), rows_.end(), e) - rows_.begin());
}

std::string EventsTable::Copy(uint32_t from, uint32_t count) const {
  std::string out = "event\ttime_ns\tkind\tcall\twhat\n";
  for (uint32_t row = from; row < rows() && row - from < count; ++row) {
    const EventRow r = Row(row);
    out += std::to_string(r.seq) + "\t" + std::to_string(r.time) + "\t" + std::string(Name(r.kind)) + "\t" +
           (r.call != 0 ? std::to_string(r.call) : "") + "\t" + OneCell(r.what) + "\n";
  }
  return out;
}

}  // namespace pysolate::viz
