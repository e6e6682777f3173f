// What the viewer says of itself, for tests and for the page:
//
//   {"cursor": seq at the cursor (0: before the first), "last": last seq, "event": number, "events": count,
//    "time": ns, "calls": {"waiting": n, ...}, "attempts": {"running": n, ...}, "frontier": ready calls, "blocked":
//    waiting calls, "selection": call or 0, "selected": {"title", "state", "explain": [...]}, "frames": drawn,
//    "banner": text, "banner_is_error": bool, "status": text, "live": sentence, "program", "mode", "playing",
//    "following", "query", "hits", "preset", "theme", "ended": bool, "near": [{"seq", "time", "kind", "call", "text",
//    "current"}]}
#include <algorithm>
#include <cstdio>

#include "ui/ui.h"

namespace pysolate::viz {
namespace {

void Quote(std::string* out, std::string_view text) {
  *out += '"';
  for (char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *out += '\\';
      *out += c;
    } else if (u < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", u);
      *out += escaped;
    } else {
      *out += c;
    }
  }
  *out += '"';
}

class Object {
 public:
  explicit Object(std::string* out) : out_(out) { *out_ += '{'; }
  void Close() { *out_ += '}'; }
  void Key(std::string_view key) {
    if (!first_) *out_ += ',';
    first_ = false;
    Quote(out_, key);
    *out_ += ':';
  }
  void Number(std::string_view key, uint64_t value) {
    Key(key);
    *out_ += std::to_string(value);
  }
  void Flag(std::string_view key, bool value) {
    Key(key);
    *out_ += value ? "true" : "false";
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    Quote(out_, value);
  }

 private:
  std::string* out_;
  bool first_ = true;
};

}  // namespace

std::string Ui::StateJson(uint64_t frames) {
  const TraceStore& store = model_.store();
  const EventNo cursor = model_.cursor();
  std::string out;
  Object o(&out);
  const auto seq = [&](EventNo e) { return e == 0 ? 0 : store.seq(e); };
  o.Number("cursor", seq(cursor));
  o.Number("last", seq(store.events()));
  o.Number("event", cursor);
  o.Number("events", store.events());
  o.Number("time", static_cast<uint64_t>(std::max<TimeNs>(0, model_.transport().time())));
  {
    o.Key("calls");
    Object counts(&out);
    const LookCounts& looks = model_.looks();
    for (int i = 1; i < kLooks; ++i) counts.Number(Name(static_cast<Look>(i)), looks[static_cast<size_t>(i)]);
    counts.Number("arrived", [&] {
      uint64_t sum = 0;
      for (int i = 1; i < kLooks; ++i) sum += looks[static_cast<size_t>(i)];
      return sum;
    }());
    counts.Close();
  }
  {
    o.Key("attempts");
    Object counts(&out);
    const FateCounts& fates = model_.fates();
    for (int i = 1; i < kFates; ++i) counts.Number(Name(static_cast<Fate>(i)), fates[static_cast<size_t>(i)]);
    counts.Close();
  }
  o.Number("frontier", model_.frontier().ready_total);
  o.Number("blocked", model_.frontier().waiting_total);
  o.Number("selection", model_.selected());
  if (model_.selected() != 0) {
    const Inspection& in = model_.inspection();
    o.Key("selected");
    Object s(&out);
    s.Text("title", in.title);
    s.Text("state", in.arrived ? Name(in.look) : std::string_view("absent"));
    s.Key("explain");
    out += '[';
    for (size_t i = 0; i < in.explain.size(); ++i) {
      if (i > 0) out += ',';
      Quote(&out, in.explain[i]);
    }
    out += ']';
    s.Close();
  }
  o.Number("frames", frames);
  o.Text("banner", model_.document().banner());
  o.Flag("banner_is_error", model_.document().banner_is_error());
  o.Text("status", model_.status());
  o.Text("live", model_.LiveLine());
  o.Text("program", store.run().program);
  o.Text("mode", store.run().mode);
  o.Flag("playing", model_.transport().playing());
  o.Flag("following", model_.transport().following());
  o.Text("query", model_.search().text());
  o.Number("hits", model_.search().hits());
  o.Text("preset", Name(model_.preset));
  o.Text("theme", model_.dark ? "dark" : "light");
  o.Flag("ended", store.ended());
  o.Text("link", EncodeLink(model_.MakeLink()));
  o.Number("graph_nodes", model_.graph().shown());
  // Events near the cursor: for the twin in the page.
  o.Key("near");
  out += '[';
  constexpr EventNo kAround = 6;
  const EventNo from = cursor > kAround ? cursor - kAround : 1,
                to = std::min<EventNo>(store.events(), cursor + kAround);
  for (EventNo e = from; e <= to && store.events() > 0; ++e) {
    if (e != from) out += ',';
    Object n(&out);
    n.Number("seq", seq(e));
    n.Text("time", FormatDuration(store, store.time(e)));
    n.Text("kind", Name(store.kind(e)));
    n.Number("call", store.call_of(e));
    n.Text("text", DescribeEvent(store, e));
    n.Flag("current", e == cursor);
    n.Close();
  }
  out += ']';
  o.Close();
  return out;
}

}  // namespace pysolate::viz
