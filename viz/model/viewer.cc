#include "model/viewer.h"

#include <algorithm>
#include <cmath>

namespace pysolate::viz {
namespace {

constexpr size_t kViewHistory = 64;
constexpr uint32_t kFrontierRows = 200;  // of each kind; the totals are stated beside them

}  // namespace

// What was computed, and of which moment. A moment is the cursor, the trace as far as it is there, and the selection.
struct ViewerModel::Cache {
  struct Moment {
    EventNo cursor = 0;
    uint64_t revision = 0;
    CallId selection = 0;
    friend bool operator==(const Moment&, const Moment&) = default;
  };
  template <class T>
  struct Kept {
    T value{};
    Moment of;
    bool is(const Moment& now) {
      if (of == now) return true;
      of = now;
      return false;
    }
  };
  explicit Cache(const TraceStore* store) : ledger(store), source(store), graph(store) {}

  Kept<LookCounts> looks;
  Kept<FateCounts> fates;
  Kept<Frontier> frontier;
  Kept<std::vector<BudgetUse>> budgets;
  Kept<Inspection> inspection;
  Kept<Metrics> metrics;
  Kept<std::vector<CallId>> critical_path;
  std::vector<CallId> critical_sorted;
  Ledger ledger;
  SourcePanel source;
  Graph graph;
  Kept<TimelineView> timeline;
  ViewBox timeline_box;
  int timeline_width = 0, timeline_height = 0;
};

ViewerModel::ViewerModel() { Open("", false); }
ViewerModel::~ViewerModel() = default;

// ---- document

void ViewerModel::Open(std::string name, bool live) {
  document_ = std::make_unique<Document>(std::move(name), live);
  Reset();
}

void ViewerModel::Reset() {
  const TraceStore* store = &document_->store();
  transport_ = std::make_unique<Transport>(store);
  // A run is followed until the user looks elsewhere; a file until it is read.
  transport_->SetFollowing(true);
  search_ = std::make_unique<Search>(store);
  events_ = std::make_unique<EventsTable>(store);
  cache_ = std::make_unique<Cache>(store);
  selection_ = {};
  view_ = document_->timeline().Fit(view_.axis);
  view_history_.clear();
  view_is_fit_ = true;
  reveal_ = 0;
  status_.clear();
  Touch();
}

bool ViewerModel::Finish() {
  const bool was_live = document_->live();
  const bool ok = document_->Finish();
  if (!was_live) {
    Frame(0);
    transport_->SetFollowing(false);
  }
  Touch();
  return ok;
}

void ViewerModel::Touch() { ++touched_; }

uint64_t ViewerModel::revision() const {
  // A hash of all that can alter the picture.
  uint64_t h = 0xcbf29ce484222325u;
  const auto mix = [&](uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0x100000001b3u;
  };
  mix(document_->revision());
  mix(touched_);
  mix(transport_->cursor());
  mix(static_cast<uint64_t>(transport_->play_time()));
  mix(static_cast<uint64_t>(transport_->playing()) | static_cast<uint64_t>(transport_->following()) << 1 |
      static_cast<uint64_t>(fold_idle) << 2 | static_cast<uint64_t>(show_critical_path) << 3 |
      static_cast<uint64_t>(dark) << 4 | static_cast<uint64_t>(search_->hide) << 5 |
      static_cast<uint64_t>(preset) << 6);
  for (const bool hidden : ink_hidden) mix(hidden ? 2 : 1);
  mix(static_cast<uint64_t>(std::min(transport_->speed(), 1000.0) * 4));
  mix(transport_->breakpoints().size());
  for (const Breakpoint& b : transport_->breakpoints()) mix(b.enabled ? 2 : 1);
  mix(selection_.call());
  mix(search_->hits());
  mix(search_->ok() ? 1 : 2 + search_->problem().column);
  for (const char c : search_->text()) mix(static_cast<uint8_t>(c));
  return h;
}

bool ViewerModel::Frame(double dt) {
  transport_->Advance(dt);
  search_->Update(cursor());
  events_->Update();
  // While nobody has moved it the view goes on fitting; a follower's view keeps its width and the end in sight.
  if (transport_->following()) {
    const Timeline& lanes = document_->timeline();
    if (view_is_fit_) {
      view_ = lanes.Fit(view_.axis);
    } else {
      const double end = lanes.extent(view_.axis), width = view_.x1 - view_.x0;
      if (end > view_.x1) {
        view_.x1 = end + width * 0.05;
        view_.x0 = view_.x1 - width;
      }
    }
  }
  if (has_pending_) ApplyPending();
  const uint64_t now = revision();
  const bool changed = now != seen_revision_;
  seen_revision_ = now;
  return changed;
}

bool ViewerModel::busy() const { return transport_->playing() || !search_->complete(); }

// ---- selection and search

void ViewerModel::Select(CallId call) {
  if (call > store().calls()) return;
  selection_.Select(call);
  reveal_ = call;
}

CallId ViewerModel::TakeReveal() {
  const CallId call = reveal_;
  reveal_ = 0;
  return call;
}

bool ViewerModel::Dimmed(CallId call) const { return search_->active() && !search_->Matches(call, cursor()); }

// ---- view

void ViewerModel::SetView(ViewBox box, bool remember) {
  const Timeline& lanes = document_->timeline();
  if (!std::isfinite(box.x0) || !std::isfinite(box.x1) || !std::isfinite(box.row0) || !std::isfinite(box.row1)) return;
  const double extent = lanes.extent(box.axis);
  const double least = box.axis == Axis::kEvent ? 2 : std::max(10.0, extent * 1e-9);
  const double width = std::clamp(box.x1 - box.x0, std::min(least, extent * 1.5), extent * 1.5);
  // At least a tenth of the view shows some of the run.
  const double middle = std::clamp((box.x0 + box.x1) / 2, -0.4 * width, extent + 0.4 * width);
  box.x0 = middle - width / 2;
  box.x1 = middle + width / 2;
  const double rows = std::max(1u, lanes.rows());
  const double height = std::clamp(box.row1 - box.row0, 1.0, rows + 64);
  box.row0 = std::clamp(box.row0, 0.0, std::max(0.0, rows - std::min(height, 1.0)));
  box.row1 = box.row0 + height;
  if (box == view_) return;
  if (remember) {
    view_history_.push_back(view_);
    if (view_history_.size() > kViewHistory) view_history_.erase(view_history_.begin());
  }
  view_ = box;
  view_is_fit_ = false;
  Touch();
}

bool ViewerModel::ZoomBack() {
  if (view_history_.empty()) return false;
  const ViewBox box = view_history_.back();
  view_history_.pop_back();
  SetView(box, false);
  return true;
}

void ViewerModel::Zoom(double factor, double x_anchor) {
  if (!(factor > 0)) return;
  ViewBox box = view_;
  box.x0 = x_anchor - (x_anchor - view_.x0) / factor;
  box.x1 = x_anchor + (view_.x1 - x_anchor) / factor;
  SetView(box, false);
}

void ViewerModel::Pan(double dx_share, double drows) {
  ViewBox box = view_;
  const double dx = (view_.x1 - view_.x0) * dx_share;
  box.x0 += dx;
  box.x1 += dx;
  box.row0 += drows;
  box.row1 += drows;
  if (box.row0 < 0) {
    box.row1 -= box.row0;
    box.row0 = 0;
  }
  SetView(box, false);
}

void ViewerModel::FitAll() {
  SetView(document_->timeline().Fit(view_.axis), true);
  view_is_fit_ = true;
}

void ViewerModel::FitSelection() {
  if (selected() != 0) SetView(document_->timeline().FitCall(view_, selected()), true);
}

void ViewerModel::SetAxis(Axis axis) {
  if (axis == view_.axis) return;
  // The same events stay in sight.
  const Timeline& lanes = document_->timeline();
  if (view_is_fit_) {
    view_ = lanes.Fit(axis);
    Touch();
    return;
  }
  ViewBox box = view_;
  box.axis = axis;
  box.x0 = lanes.x_of(axis, lanes.event_at(view_.axis, view_.x0));
  box.x1 = std::max(box.x0 + 1, lanes.x_of(axis, lanes.event_at(view_.axis, view_.x1)));
  SetView(box, true);
}

void ViewerModel::RegroupLanes() {
  document_->timeline().Regroup();
  if (view_is_fit_) view_ = document_->timeline().Fit(view_.axis);
  Touch();
}

// ---- panels

const LookCounts& ViewerModel::looks() {
  if (!cache_->looks.is({cursor(), document_->revision(), 0})) cache_->looks.value = store().LooksAt(cursor());
  return cache_->looks.value;
}

const FateCounts& ViewerModel::fates() {
  if (!cache_->fates.is({cursor(), document_->revision(), 0})) cache_->fates.value = store().FatesAt(cursor());
  return cache_->fates.value;
}

const Frontier& ViewerModel::frontier() {
  if (!cache_->frontier.is({cursor(), document_->revision(), 0}))
    cache_->frontier.value = FrontierAt(store(), cursor(), kFrontierRows);
  return cache_->frontier.value;
}

const std::vector<BudgetUse>& ViewerModel::budgets() {
  if (!cache_->budgets.is({cursor(), document_->revision(), 0})) cache_->budgets.value = BudgetsAt(store(), cursor());
  return cache_->budgets.value;
}

Ledger& ViewerModel::ledger() {
  cache_->ledger.Seek(cursor());
  return cache_->ledger;
}

SourcePanel& ViewerModel::source() {
  cache_->source.Seek(cursor());
  return cache_->source;
}

const Inspection& ViewerModel::inspection() {
  if (!cache_->inspection.is({cursor(), document_->revision(), selected()})) {
    cache_->inspection.value = Inspect(store(), selected(), cursor());
  }
  return cache_->inspection.value;
}

const Metrics& ViewerModel::metrics() {
  if (!cache_->metrics.is({cursor(), document_->revision(), 0})) cache_->metrics.value = MetricsAt(store(), cursor());
  return cache_->metrics.value;
}

Graph& ViewerModel::graph() {
  cache_->graph.Update(selected(), cursor());
  return cache_->graph;
}

const std::vector<CallId>& ViewerModel::critical_path() {
  if (!cache_->critical_path.is({cursor(), document_->revision(), 0})) {
    cache_->critical_path.value = CriticalPath(store(), cursor());
    cache_->critical_sorted = cache_->critical_path.value;
    std::sort(cache_->critical_sorted.begin(), cache_->critical_sorted.end());
  }
  return cache_->critical_path.value;
}

bool ViewerModel::OnCriticalPath(CallId call) {
  critical_path();
  return std::binary_search(cache_->critical_sorted.begin(), cache_->critical_sorted.end(), call);
}

const TimelineView& ViewerModel::timeline_view(int width, int height) {
  Cache& c = *cache_;
  const bool same_box = c.timeline_box == view_ && c.timeline_width == width && c.timeline_height == height;
  const Cache::Moment now{cursor(), document_->revision() + touched_, 0};
  // The merged picture depends on the events alone: while only the cursor moves it stays.
  const bool same_trace = c.timeline.of.revision == now.revision;
  const bool keep = same_box && same_trace && !c.timeline.value.exact();
  if (!c.timeline.is(now) && !keep) c.timeline_width = -1;
  if (!same_box || c.timeline_width < 0) {
    c.timeline_box = view_;
    c.timeline_width = width;
    c.timeline_height = height;
    document_->timeline().Query(view_, width, height, cursor(), &c.timeline.value);
  }
  return c.timeline.value;
}

// ---- commands

bool ViewerModel::Execute(std::string_view id, UiRequest* request) {
  if (request != nullptr) *request = UiRequest::kNone;
  const Command* command = FindCommand(id);
  if (command == nullptr || !command->enabled(*this)) return false;
  status_.clear();
  const UiRequest asked = command->run(*this);
  if (request != nullptr) *request = asked;
  Touch();
  return true;
}

void ViewerModel::SetStatus(std::string s) {
  status_ = std::move(s);
  Touch();
}

// ---- links

Link ViewerModel::MakeLink() const {
  Link link;
  link.trace = document_->name();
  if (cursor() > 0) {
    link.at = store().seq(cursor());
  } else if (store().events() > 0) {
    link.at = 0;
  }
  if (!view_is_fit_) link.view = view_;
  link.call = selected();
  link.query = search_->ok() ? search_->text() : "";
  link.preset = preset;
  link.follow = document_->live() && transport_->following();
  link.dark = dark;
  return link;
}

void ViewerModel::ApplyLink(const Link& link) {
  preset = link.preset;
  dark = link.dark;
  search_->SetText(link.query);
  pending_ = link;
  has_pending_ = true;
  ApplyPending();
  Touch();
}

void ViewerModel::ApplyPending() {
  // A file is read to its end first; in a live run the cursor's event must have come.
  const bool there =
      document_->finished() || (document_->live() && store().events() > 0 && pending_.call <= store().calls() &&
                                (!pending_.at || *pending_.at <= store().seq(store().events())));
  if (!there) return;
  has_pending_ = false;
  if (pending_.call != 0) Select(pending_.call);
  if (pending_.view) SetView(*pending_.view, false);
  if (pending_.follow && document_->live()) {
    transport_->SetFollowing(true);
  } else if (pending_.at) {
    transport_->SetFollowing(false);
    transport_->GoTo(store().FindSeq(*pending_.at));
  }
  Touch();
}

std::string ViewerModel::LiveLine() {
  if (store().events() == 0) return document_->banner().empty() ? "No trace." : document_->banner();
  const auto count = [&](Look look) { return std::to_string(looks()[static_cast<size_t>(look)]); };
  std::string line = "Event " + std::to_string(cursor()) + " of " + std::to_string(store().events()) + ", " +
                     FormatTime(store(), transport_->time());
  line += cursor() == 0 ? ": before the first event." : ": " + DescribeEvent(store(), cursor()) + ".";
  line += " " + count(Look::kWaiting) + " waiting, " + count(Look::kReady) + " ready, " + count(Look::kDispatched) +
          " running, " + count(Look::kOrphaned) + " orphaned.";
  if (transport_->following()) line += " Following.";
  return line;
}

}  // namespace pysolate::viz
