// The main panel's geometry: which row a call sits in, what its bar is made of, what is visible in a view box.
//
// Places. A row belongs to one site; within a site calls share rows by interval partition (a call takes the lowest
// row of its site that is free when it arrives). A call's row is decided when it arrives and never changes, live or
// not, except by Regroup(), which only the user (or the end of loading a file, before it is first drawn) asks for.
// A site whose rows are used up goes on in a further *block* at the bottom, so that no other row moves.
//
// Axes. x is either time in ns or the event number; both are double. A bar's segments are intervals of x in which the
// call was in one phase; they depend on the events alone, so what lies left of the cursor never changes with it.
//
// Cost: adding an event is O(log rows of the site). Query is O(visible rows * log + bars given), and it gives at most
// about kMaxBars: narrower ones are merged within their row. Where rows are lower than kMinRowPixels it reads a density
// pyramid instead (built at the first such query, then kept up): O(cells * log).
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_TIMELINE_H_
#define PYSOLATE_VIZ_MODEL_TIMELINE_H_

#include <cstdint>
#include <vector>

#include "model/history.h"
#include "model/state.h"
#include "model/store.h"

namespace pysolate::viz {

// What a stretch of a bar shows.
enum class Phase : uint8_t {
  kWaitArguments,  // gate 1 is shut
  kWaitControl,    // gate 2: scope not reached and the call may not be early
  kWaitContract,   // gate 3: only when reached, order of effects
  kReady,          // only the budget
  kRunning,        // its attempt runs
  kOrphaned,       // its attempt runs though nobody wants it
  kHeld,           // outcome there, not yet taken
};
inline constexpr int kPhases = 7;
std::string_view Name(Phase phase);

struct Segment {
  Phase phase;
  bool early;        // before control reached the call
  bool open;         // goes on at the right edge of the trace (or at the cursor)
  EventNo from, to;  // events that begin and end it; `to` is 0 if open
  double x0, x1;     // on the axis asked for
};

// A block of rows of one site.
struct LaneBlock {
  SiteId site = 0;
  uint32_t first_row = 0;
  uint32_t rows = 0;
  bool continued = false;  // not the site's first block
};

struct ViewBox {
  Axis axis = Axis::kTime;
  double x0 = 0, x1 = 1;      // REQUIRES x0 < x1
  double row0 = 0, row1 = 1;  // rows, fractional; row r spans [r, r + 1)
  friend bool operator==(const ViewBox&, const ViewBox&) = default;
};

// One bar, or several merged where they would be narrower than a pixel together.
struct Bar {
  CallId call = 0;      // the first of them
  uint32_t merged = 1;  // how many calls stand here; 1: a bar of its own
  uint32_t row = 0;
  double x0 = 0, x1 = 0;      // x1 of an open bar: the cursor's or trace's end
  bool open = false;          // still running at the cursor
  bool future = false;        // arrives after the cursor (a ghost)
  Look look = Look::kAbsent;  // at the cursor; of merged bars the most notable one (failed before orphaned before ...)
};

// A rectangle of the density picture: rows [row0, row1) and [x0, x1).
struct DensityCell {
  double row0, row1, x0, x1;
  float per_phase[kPhases];  // mean number of calls in that phase per row, 0..1
};

struct TimelineView {
  std::vector<Bar> bars;             // exact, if `density` is empty
  std::vector<DensityCell> density;  // else the merged picture
  uint32_t calls_shown = 0;          // calls that bars and cells stand for
  uint32_t bars_merged = 0;          // of these, not drawn as a bar of their own
  bool exact() const { return density.empty(); }
};

class Timeline {
 public:
  static constexpr double kMinRowPixels = 2;
  static constexpr uint32_t kMaxBars = 6000;
  static constexpr uint32_t kNoRow = 0xffffffffu;

  explicit Timeline(const TraceStore* store);  // `store` outlives the timeline

  // Takes in event e, which the store has just got. REQUIRES: every event, in order.
  void OnEvent(EventNo e);
  // Places all calls anew: sites by file, line, column; each site's rows together. Changes rows: only on request.
  void Regroup();

  uint32_t rows() const { return rows_; }
  // Row of a call; kNoRow if the call is not known.
  uint32_t row_of(CallId id) const { return id < row_of_.size() ? row_of_[id] : kNoRow; }
  // Blocks by first_row, without gaps.
  const std::vector<LaneBlock>& blocks() const { return blocks_; }
  // Block of a row; REQUIRES row < rows(). O(log blocks).
  const LaneBlock& block_of(uint32_t row) const;

  // Extent of the whole run on an axis: [0, x).
  double extent(Axis axis) const;
  double x_of(Axis axis, EventNo e) const;
  // Event number (a cursor) at x.
  EventNo event_at(Axis axis, double x) const;
  // First and last moment of a call on an axis; *open if it has not ended yet.
  void Span(CallId id, Axis axis, double* x0, double* x1, bool* open) const;

  // What is to be drawn for a view of `width` x `height` pixels at a cursor. `out` is reused.
  void Query(const ViewBox& box, int width, int height, EventNo cursor, TimelineView* out) const;
  // The segments of one bar up to the cursor, in order, without gaps; what lasted for nothing is
  // left out. `out` is replaced. O(events of the call).
  void Segments(CallId id, Axis axis, EventNo cursor, std::vector<Segment>* out) const;
  // Call at a point; 0 none. O(log bars of the row).
  CallId Hit(Axis axis, double x, double row, EventNo cursor) const;
  // The view box that shows everything, or one call with some room around it.
  ViewBox Fit(Axis axis) const;
  ViewBox FitCall(const ViewBox& now, CallId id) const;
  // Gaps of the time axis, in which no call is in flight and no event happens, of at least `min_ns`: they can be
  // folded. Pairs of cursors [from, to]. O(events) at the first call, then the new ones.
  struct Gap {
    TimeNs from, to;
  };
  const std::vector<Gap>& IdleGaps(TimeNs min_ns) const;
  size_t MemoryBytes() const;

 private:
  struct SiteLanes {
    std::vector<uint32_t> free;          // heap, lowest row first
    uint32_t rows = 0;                   // that it has in all blocks
    uint32_t next_spare = 0, spare = 0;  // rows reserved in its last block
    uint32_t last_block = 0;             // index in blocks_
  };
  struct RowBars {
    std::vector<CallId> calls;      // by arrival; their spans are disjoint
    std::vector<uint16_t> notable;  // a bit set of final looks for every kBlock calls
  };
  static constexpr size_t kBlock = 32;
  static constexpr uint32_t kGroup = 16, kGroupFan = 8;  // rows of the finest density level, step between levels
  uint32_t TakeRow(SiteId site);
  void Occupy(CallId id);
  void UpdateDensity() const;
  void QueryRow(uint32_t row, const ViewBox& box, double merge, EventNo cursor, TimelineView* out) const;
  void QueryDensity(const ViewBox& box, int width, int height, TimelineView* out) const;
  Look MostNotable(const RowBars& bars, size_t from, size_t to, EventNo cursor) const;

  const TraceStore* store_;
  uint32_t rows_ = 0;
  Column<uint32_t> row_of_, index_in_row_;  // by call
  Column<EventNo> left_;                    // by call: event at which its row got free again; 0 not yet
  std::vector<SiteLanes> lanes_;            // by site
  std::vector<RowBars> bars_;               // by row
  std::vector<LaneBlock> blocks_;
  struct Group {
    History<kPhases> phases;
    uint32_t calls = 0;
  };
  mutable std::vector<std::vector<Group>> density_;  // by level, by group of rows
  mutable EventNo density_upto_ = 0;
  mutable std::vector<Gap> gaps_;
  mutable TimeNs gaps_min_ = -1;
  mutable EventNo gaps_upto_ = 0;
  mutable int64_t gaps_in_flight_ = 0;
};

// The phase a call is in just after event e, whose look is `look`; false if it is in none (absent or over).
bool PhaseAt(const TraceStore& store, CallId id, EventNo e, Look look, Phase* phase);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_TIMELINE_H_
