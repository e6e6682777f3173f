#include "pysolate/trace_report.h"

#include "trace/json_text.h"

namespace pysolate {

using trace_internal::JsonText;

namespace {

void PutLedger(JsonText& out, const LedgerTotals& totals) {
  out.Key("ledger").Object().Int("dispatched", totals.dispatched);
  for (int i = 0; i < kBooks; ++i) out.Int(StateWord(static_cast<Book>(i)), totals.by_book[i]);
  out.Int("orphans", totals.orphans).Bool("balanced", totals.balanced()).EndObject();
}

void PutReading(JsonText& out, std::string_view file, const TraceReader& reader) {
  out.Text("file", file);
  if (const TraceError& error = reader.error(); error) {
    out.Key("error").Object().Int("line", static_cast<int64_t>(error.line)).Text("cause", error.message).EndObject();
  }
  out.Int("events", static_cast<int64_t>(reader.events()));
  out.Int("unknown_kinds", static_cast<int64_t>(reader.unknown_kinds())).Bool("truncated", reader.truncated());
}

}  // namespace

void TraceReport::OnEvent(const Event& event) {
  index_.OnEvent(event);
  while (lines_.size() < index_.problems().size()) lines_.push_back(reader_.lines());
}

bool TraceReport::Finish() {
  if (!reader_.Finish()) return false;
  index_.Finish();
  lines_.resize(index_.problems().size());
  return true;
}

std::string TraceReport::CheckJson(std::string_view file) const {
  JsonText out;
  out.Object().Int("pysolate_check", 1).Bool("ok", ok());
  PutReading(out, file, reader_);
  out.Bool("ended", index_.run().ended).Int("calls", index_.call_count()).Int("attempts", index_.attempt_count());
  PutLedger(out, index_.totals());
  out.Int("problem_count", static_cast<int64_t>(index_.problem_count())).Key("problems").Array();
  for (size_t i = 0; i < index_.problems().size(); ++i) {
    const Problem& p = index_.problems()[i];
    out.Object().Int("line", i < lines_.size() ? static_cast<int64_t>(lines_[i]) : 0);
    out.Int("seq", static_cast<int64_t>(p.seq)).Text("rule", p.rule).Text("text", p.text).EndObject();
  }
  return out.EndArray().EndObject().Take();
}

std::string TraceReport::StatsJson(std::string_view file) const {
  const TraceStats s = index_.Stats();
  const RunFacts& run = index_.run();
  JsonText out;
  out.Object().Int("pysolate_stats", 1);
  PutReading(out, file, reader_);
  out.Text("program", run.program).Text("mode", run.mode).Text("clock", run.clock).Text("policy", run.policy);
  out.Int("unit", run.unit).Bool("speculate", run.speculate).Bool("ended", run.ended).Bool("ok", run.ok);
  if (!run.error.empty()) out.Text("exception", run.error);
  out.Int("makespan", s.makespan).Int("sequential_sum", s.sequential_sum).Int("critical_path", s.critical_path);
  out.Int("overlap_won", s.overlap_won).Int("overlap_left", s.overlap_left);
  out.Int("peak_in_flight", s.peak_in_flight).Number("mean_in_flight", s.mean_in_flight);
  out.Key("calls").Object().Int("total", s.calls).Int("reached", s.reached).Int("early", s.early);
  out.Int("promoted", s.promoted).Int("refused", s.refused).Int("suppressed", s.suppressed);
  for (int i = 0; i < 8; ++i) out.Int(StateWord(static_cast<CallState>(i)), s.by_state[i]);
  out.EndObject().Int("attempts", s.attempts).Int("wasted", s.wasted);
  PutLedger(out, index_.totals());
  out.Key("sites").Array();
  for (const SiteCounts& c : index_.Sites()) {
    const SiteFacts site = c.site == 0 ? SiteFacts{} : index_.site(c.site);
    out.Object().Int("site", c.site).Text("file", site.file).Int("line", site.line).Int("col", site.col);
    out.Text("function", site.function).Int("calls", c.calls).Int("reached", c.reached).Int("early", c.early);
    out.Int("promoted", c.promoted).Int("refused", c.refused).Int("attempts", c.attempts).Int("wasted", c.wasted);
    out.Int("busy", c.busy).EndObject();
  }
  return out.EndArray().EndObject().Take();
}

}  // namespace pysolate
