#include "model/source_panel.h"

#include <algorithm>

namespace pysolate::viz {

SourcePanel::SourcePanel(const TraceStore* store) : store_(store) {}

int SourcePanel::IndexOf(int32_t line) const {
  const auto it = std::lower_bound(lines_.begin(), lines_.end(), line,
                                   [](const SourceLine& l, int32_t number) { return l.number < number; });
  return it != lines_.end() && it->number == line ? static_cast<int>(it - lines_.begin()) : -1;
}

void SourcePanel::Rebuild() {
  lines_.clear();
  std::string_view text = store_->run().source;
  for (int32_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    SourceLine line;
    line.number = number;
    line.text = std::string(text.substr(0, end));
    if (!line.text.empty() && line.text.back() == '\r') line.text.pop_back();
    lines_.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Calls of other files have no line here; the program's own file is that of the first site.
  const TextRef file = store_->sites() > 0 ? store_->site(1).file : 0;
  const bool has_text = !lines_.empty();
  std::vector<SiteId> sites;
  for (SiteId id = 1; id <= store_->sites(); ++id) {
    const SiteInfo& site = store_->site(id);
    if (has_text && (site.file != file || site.line < 1)) continue;
    sites.push_back(id);
  }
  std::stable_sort(sites.begin(), sites.end(), [&](SiteId a, SiteId b) {
    const SiteInfo &x = store_->site(a), &y = store_->site(b);
    return x.line != y.line ? x.line < y.line : x.col < y.col;
  });
  for (const SiteId id : sites) {
    const int32_t number = store_->site(id).line;
    const auto at = std::lower_bound(lines_.begin(), lines_.end(), number,
                                     [](const SourceLine& l, int32_t n) { return l.number < n; });
    if (at != lines_.end() && at->number == number) {
      at->sites.push_back(id);
    } else if (!has_text) {
      SourceLine line;
      line.number = number;
      line.text = store_->text(store_->site(id).text);
      line.sites.push_back(id);
      lines_.insert(at, std::move(line));
    }
  }
  index_of_site_.assign(store_->sites() + 1, -1);
  for (size_t i = 0; i < lines_.size(); ++i) {
    for (const SiteId id : lines_[i].sites) index_of_site_[id] = static_cast<int32_t>(i);
  }
  cursor_ = 0;
}

void SourcePanel::Apply(EventNo e, int sign) {
  const CallId id = store_->call_of(e);
  if (id == 0) return;
  const SiteId site = store_->call(id).site;
  const int32_t index = site < index_of_site_.size() ? index_of_site_[site] : -1;
  if (index < 0) return;
  SourceLine& line = lines_[static_cast<size_t>(index)];
  const Look from = store_->look_before(e), to = store_->look_after(e);
  const auto by = static_cast<uint32_t>(sign);  // modulo 2^32 on purpose: -1 takes one away
  if (from == Look::kAbsent && to != Look::kAbsent) line.calls += by;
  if (from != Look::kAbsent) line.looks[static_cast<size_t>(from)] -= by;
  if (to != Look::kAbsent) line.looks[static_cast<size_t>(to)] += by;
}

void SourcePanel::Seek(EventNo cursor) {
  cursor = std::min(cursor, store_->events());
  if (sites_seen_ != store_->sites() || source_seen_ != store_->run().has_source) {
    sites_seen_ = store_->sites();
    source_seen_ = store_->run().has_source;
    Rebuild();
  }
  while (cursor_ < cursor) Apply(++cursor_, 1);
  while (cursor_ > cursor) Apply(cursor_--, -1);

  // The latest call of the program itself (not one made inside an attempt) that control arrived at.
  EventNo latest = 0;
  for (const EventKind kind : {EventKind::kReach, EventKind::kArrive}) {
    const auto& list = store_->of_kind(kind);
    auto it = std::upper_bound(list.begin(), list.end(), cursor);
    for (int steps = 0; it != list.begin() && steps < 256; ++steps) {
      --it;
      if (*it <= latest) break;
      const CallId id = store_->call_of(*it);
      if (id == 0 || store_->call(id).reach != *it || store_->call(id).parent != 0) continue;
      latest = *it;
      break;
    }
  }
  current_line_ = 0;
  blocked_ = false;
  if (latest != 0) {
    const CallId id = store_->call_of(latest);
    current_line_ = store_->line_of(id);
    const Look look = store_->LookAt(id, cursor);
    blocked_ = look == Look::kWaiting || look == Look::kReady || look == Look::kDispatched;
  }
}

}  // namespace pysolate::viz
