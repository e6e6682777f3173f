// The filter language: terms side by side must all hold; `-term` is its contrary; `a|b` are alternatives of a value.
//
//   state:orphaned        look at the cursor, by its word; `failed`, `succeeded`, `running` and `dead` cover several
//   fate:late             fate of its attempt at the cursor
//   line:42  line:10..20  site's line
//   tool:fetch tool~fet   equal, contains (also: scope, file, args, value, error, function, gate)
//   call:12 attempt:3 site:2
//   dur>5ms  wait>1s      time it ran, time from arrival to dispatch; units ns us ms s, or `u` for a virtual unit
//   deps>3 dependents>=1  counts
//   is:early is:reached is:guess is:joined is:retried is:critical
//   word  "two words"     contained in tool, arguments, value, error or file
//
// Letters' case does not count in `~` and bare words. Numbers compare by = : != < > <= >=.
// Thread rule: one thread at a time.
#ifndef PYSOLATE_VIZ_MODEL_QUERY_H_
#define PYSOLATE_VIZ_MODEL_QUERY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/store.h"
#include "model/transport.h"

namespace pysolate::viz {

class Query {
 public:
  Query();
  ~Query();
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;

  // Empty text matches everything. On failure returns false, and *problem holds the column (byte, from 0) and the
  // cause.
  static bool Parse(std::string_view text, Query* out, ParseProblem* problem);
  bool empty() const;
  const std::string& text() const { return text_; }
  // Does a call that has arrived at the cursor match? O(1) but for texts.
  bool Matches(const TraceStore& store, CallId call, EventNo cursor) const;
  // Does the outcome depend on the cursor?
  bool depends_on_cursor() const;

 private:
  friend class QueryParser;
  struct Term;
  std::string text_;
  std::vector<Term> terms_;
};

// A query over a growing trace with its hits.
class Search {
 public:
  explicit Search(const TraceStore* store);  // outlives the search

  // Sets the text; a faulty one keeps the last good query and sets problem().
  void SetText(std::string_view text);
  const std::string& text() const { return text_; }
  bool ok() const { return ok_; }
  const ParseProblem& problem() const { return problem_; }
  bool active() const { return !query_.empty(); }
  // Whether calls that do not match are hidden instead of dimmed.
  bool hide = false;

  // Brings the hits up to date with the cursor and the trace, within a budget of `calls` looked at; returns false if
  // some are left for the next frame (hits() are a floor then).
  bool Update(EventNo cursor, uint32_t calls = 200000);
  uint32_t hits() const { return static_cast<uint32_t>(hits_.size()); }
  bool complete() const { return complete_; }
  bool Matches(CallId call, EventNo cursor) const;
  // Next or previous hit after a call in arrival order (wraps); 0 none. *place: its number from 1.
  CallId Next(CallId from, int direction, uint32_t* place) const;
  const std::vector<CallId>& hit_calls() const { return hits_; }

 private:
  const TraceStore* store_;
  std::string text_;
  Query query_;
  bool ok_ = true, complete_ = true;
  ParseProblem problem_;
  EventNo cursor_ = 0;
  CallId next_ = 1;
  std::vector<CallId> hits_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_QUERY_H_
