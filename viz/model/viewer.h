// The viewer without a window: one document, one cursor, one selection, one search, one view, and what the panels show
// of them, computed when asked for and kept while nothing changed.
//
// The application feeds bytes (document().Feed), calls Frame(dt) before it draws, draws from the accessors, and sends
// what the user does as commands (Execute) or by the setters. It needs no frame while Frame() returns false and
// nothing was done.
//
// Thread rule: one thread at a time. Lifetime: what accessors return is valid until the next Frame or setter.
#ifndef PYSOLATE_VIZ_MODEL_VIEWER_H_
#define PYSOLATE_VIZ_MODEL_VIEWER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/commands.h"
#include "model/document.h"
#include "model/events_table.h"
#include "model/frontier.h"
#include "model/graph.h"
#include "model/inspector.h"
#include "model/ledger.h"
#include "model/link.h"
#include "model/metrics.h"
#include "model/query.h"
#include "model/selection.h"
#include "model/source_panel.h"
#include "model/transport.h"

namespace pysolate::viz {

class ViewerModel {
 public:
  ViewerModel();  // an empty document
  ~ViewerModel();

  // ---- document. Opening drops the old one with its cursor, selection and search (a pending link is then applied).
  void Open(std::string name, bool live);
  // `bytes` of the trace; Frame() takes note of the new events.
  bool Feed(std::string_view bytes) { return document_->Feed(bytes); }
  bool Finish();
  const Document& document() const { return *document_; }
  const TraceStore& store() const { return document_->store(); }
  const Timeline& timeline() const { return document_->timeline(); }

  // Time passed. True if what is shown changed (play moved on, events arrived, a search went on): draw.
  bool Frame(double dt);
  // True while frames are needed without input (playing, or a search is not complete).
  bool busy() const;
  // Changes with everything that could alter the picture.
  uint64_t revision() const;

  // ---- cursor
  Transport& transport() { return *transport_; }
  const Transport& transport() const { return *transport_; }
  EventNo cursor() const { return transport_->cursor(); }

  // ---- selection
  CallId selected() const { return selection_.call(); }
  // Selects, and asks for the call to be made visible (see reveal()).
  void Select(CallId call);
  const Selection& selection() const { return selection_; }
  Selection& selection() { return selection_; }
  // Call that the panels should scroll to, once; 0 none.
  CallId TakeReveal();

  // ---- search
  Search& search() { return *search_; }
  const Search& search() const { return *search_; }
  // Is the call to be drawn dim (or hidden, if search().hide)?
  bool Dimmed(CallId call) const;

  // ---- view of the timeline
  const ViewBox& view() const { return view_; }
  // Sets the view; the old one is kept for ZoomBack if `remember`. Sizes and positions are clamped to the run.
  void SetView(ViewBox box, bool remember);
  bool ZoomBack();
  void Zoom(double factor, double x_anchor);  // factor above 1 comes nearer
  void Pan(double dx_share, double drows);    // shares of the width; rows
  void FitAll();
  void FitSelection();
  void SetAxis(Axis axis);
  // Places all calls anew (Timeline::Regroup): only when the user asks.
  void RegroupLanes();
  bool fold_idle = false;
  bool show_critical_path = false;
  bool dark = true;
  Preset preset = Preset::kDebug;
  // Looks hidden by the state switches 1..6 (by Ink).
  bool ink_hidden[kInks] = {};

  // ---- what panels show at the cursor; computed once a change
  const LookCounts& looks();
  const FateCounts& fates();
  const Frontier& frontier();
  const std::vector<BudgetUse>& budgets();
  Ledger& ledger();
  SourcePanel& source();
  const Inspection& inspection();  // of the selection; call == 0 if none
  const Metrics& metrics();
  Graph& graph();
  EventsTable& events() { return *events_; }
  const std::vector<CallId>& critical_path();
  bool OnCriticalPath(CallId call);
  const TimelineView& timeline_view(int width, int height);

  // ---- commands
  // Runs a command by id. False if there is none or it is not enabled; *request is what is left to the application.
  bool Execute(std::string_view id, UiRequest* request = nullptr);

  // ---- links
  Link MakeLink() const;
  // Applies now what can be, the rest when enough of the trace is there.
  void ApplyLink(const Link& link);

  // One sentence on where the cursor is, for the screen reader's live line.
  std::string LiveLine();
  // A sentence for the status line: last command's outcome ("no breakpoint ahead"); "" none.
  const std::string& status() const { return status_; }
  void SetStatus(std::string s);

 private:
  struct Cache;
  void Touch();
  void Reset();
  void ApplyPending();

  std::unique_ptr<Document> document_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Search> search_;
  std::unique_ptr<EventsTable> events_;
  std::unique_ptr<Cache> cache_;
  Selection selection_;
  ViewBox view_;
  std::vector<ViewBox> view_history_;
  bool view_is_fit_ = true;  // nobody has moved it: it goes on fitting while the first events arrive
  CallId reveal_ = 0;
  Link pending_;
  bool has_pending_ = false;
  uint64_t touched_ = 0, seen_revision_ = 0;
  std::string status_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_VIEWER_H_
