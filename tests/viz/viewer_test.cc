// The viewer as a whole: commands, links, the view box, live runs, metrics, tables.
#include "model/viewer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "big_trace.h"
#include "trace_script.h"

using namespace pysolate;
using namespace pysolate::viz;
using namespace pysolate::viz::testing;

namespace {

void Open(ViewerModel* model, const std::string& text) {
  model->Open("p.jsonl", false);
  model->Feed(text);
  model->Finish();
  model->Frame(0);
}

}  // namespace

TEST_CASE("every command has an id, a title, a help text, and no key is given twice") {
  std::set<std::string_view> ids, keys;
  for (const Command& c : Commands()) {
    CAPTURE(c.id);
    CHECK_FALSE(c.title.empty());
    CHECK_FALSE(c.group.empty());
    CHECK(c.help.size() > 5);
    CHECK(c.help.back() == '.');
    CHECK(ids.insert(c.id).second);
    if (!c.key.empty()) CHECK(keys.insert(c.key).second);
    CHECK(FindCommand(c.id) == &c);
    if (!c.key.empty()) CHECK(CommandOfKey(c.key) == &c);
  }
  CHECK(FindCommand("nothing") == nullptr);
  CHECK(CommandOfKey("") == nullptr);
}

TEST_CASE("the keys are those of the manual, and none that a browser needs") {
  for (const std::string_view key :
       {"W",    "S",   "A", "D",         "Space", "Left", "Right", "Shift+Left", "Shift+Right", ",", ".",
        "Home", "End", "[", "]",         "F",     "/",    "B",     "L",          "1",           "2", "3",
        "4",    "5",   "6", "Backspace", "Esc",   "?",    ":",     "N",          "Shift+N"}) {
    CAPTURE(key);
    CHECK(CommandOfKey(key) != nullptr);
  }
  for (const std::string_view key :
       {"Ctrl+L", "Ctrl+T", "Ctrl+W", "Ctrl+R", "Ctrl+F", "Alt+Left", "Alt+Right", "F5", "F12", "Tab"}) {
    CAPTURE(key);
    CHECK(CommandOfKey(key) == nullptr);
  }
}

TEST_CASE("every command runs on an empty viewer, a small run and a large one without harm") {
  ViewerModel model;
  for (const std::string& text : {std::string(), BigTraceText(Shape::kAgent, 60), BigTraceText(Shape::kWide, 2000)}) {
    if (!text.empty()) Open(&model, text);
    for (int round = 0; round < 2; ++round) {
      if (model.store().calls() > 3) model.Select(3);
      for (const Command& c : Commands()) {
        CAPTURE(c.id);
        const bool enabled = c.enabled(model);
        CHECK(model.Execute(c.id) == enabled);
        model.Frame(0.01);
        model.timeline_view(800, 500);
        model.LiveLine();
        model.inspection();
        model.graph();
        CHECK(model.cursor() <= model.store().events());
      }
    }
  }
  CHECK_FALSE(model.Execute("nothing"));
}

TEST_CASE("the palette puts prefixes first, then word starts, then scattered letters") {
  CHECK(MatchCommands("").size() == Commands().size());
  CHECK(MatchCommands("step f").front()->id == "step.forward");
  CHECK(MatchCommands("CRITICAL").front()->id == "critical.toggle");
  CHECK(MatchCommands("xyzzy").empty());
  const auto scattered = MatchCommands("svg");
  REQUIRE_FALSE(scattered.empty());
  CHECK(scattered.front()->id == "save.svg");
}

TEST_CASE("a link brings back cursor, view, selection, query and preset") {
  const std::string text = BigTraceText(Shape::kAgent, 100);
  ViewerModel first;
  Open(&first, text);
  first.transport().GoTo(77);
  first.Select(5);
  first.SetView({Axis::kEvent, 20, 90, 1, 6}, true);
  first.search().SetText("state:orphaned \"a b\"&c=d#%");
  first.preset = Preset::kRead;
  first.dark = false;
  const std::string fragment = EncodeLink(first.MakeLink());
  CHECK(fragment.find_first_of(" \"#<>") == std::string::npos);

  std::vector<std::string> problems;
  const Link link = DecodeLink("#" + fragment, &problems);
  CHECK(problems.empty());
  ViewerModel second;
  second.Open("p.jsonl", false);
  second.ApplyLink(link);
  second.Feed(text);
  second.Finish();
  second.Frame(0);
  CHECK(second.cursor() == 77);
  CHECK(second.selected() == 5);
  CHECK(second.view() == first.view());
  CHECK(second.search().text() == first.search().text());
  CHECK(second.preset == Preset::kRead);
  CHECK_FALSE(second.dark);
  CHECK(EncodeLink(second.MakeLink()) == fragment);
}

TEST_CASE("a faulty link says what was not understood and keeps the rest") {
  std::vector<std::string> problems;
  const Link link =
      DecodeLink("at=x&x=time:5..1&rows=&call=-1&preset=gold&nonsense&q=%zz%41&theme=dark&other=1", &problems);
  CHECK(problems.size() == 5);
  CHECK_FALSE(link.at.has_value());
  CHECK_FALSE(link.view.has_value());
  CHECK(link.call == 0);
  CHECK(link.query == "%zzA");
  CHECK(DecodeLink("", nullptr).trace.empty());
}

TEST_CASE("live events move neither view nor cursor unless they are followed") {
  const std::string text = BigTraceText(Shape::kAgent, 200);
  ViewerModel model;
  model.Open("live", true);
  model.Feed(std::string_view(text).substr(0, text.size() / 3));
  model.Frame(0);
  CHECK(model.transport().following());
  CHECK(model.transport().at_end());
  model.Execute("step.back");
  model.Zoom(4, 100);
  const ViewBox view = model.view();
  const EventNo cursor = model.cursor();
  model.Feed(std::string_view(text).substr(text.size() / 3, text.size() / 3));
  CHECK(model.Frame(0.016));
  CHECK(model.view() == view);
  CHECK(model.cursor() == cursor);
  model.Execute("follow.toggle");
  model.Feed(std::string_view(text).substr(text.size() / 3 * 2));
  model.Frame(0.016);
  CHECK(model.transport().at_end());
  CHECK(model.view().x1 >= model.timeline().extent(model.view().axis));
  CHECK(model.view().x1 - model.view().x0 == doctest::Approx(view.x1 - view.x0));
}

TEST_CASE("while nothing changes no frame is needed") {
  ViewerModel model;
  Open(&model, BigTraceText(Shape::kAgent, 100));
  model.Frame(0);
  for (int i = 0; i < 300; ++i) CHECK_FALSE(model.Frame(0.016));
  CHECK_FALSE(model.busy());
  model.Execute("step.back");
  CHECK(model.Frame(0.016));
  CHECK_FALSE(model.Frame(0.016));
  model.ink_hidden[2] = true;
  CHECK(model.Frame(0.016));
  model.Execute("go.start");
  model.Execute("play.toggle");
  CHECK(model.busy());
}

TEST_CASE("the view stays on the run, and zooming back undoes what was remembered") {
  ViewerModel model;
  Open(&model, BigTraceText(Shape::kAgent, 100));
  const ViewBox all = model.view();
  const double extent = model.timeline().extent(Axis::kTime);
  model.SetView({Axis::kTime, extent * 0.4, extent * 0.5, 2, 9}, true);
  model.SetView({Axis::kTime, extent * 0.41, extent * 0.42, 2, 9}, true);
  CHECK(model.ZoomBack());
  CHECK(model.view().x0 == doctest::Approx(extent * 0.4));
  CHECK(model.ZoomBack());
  CHECK(model.view().x0 == doctest::Approx(all.x0));
  CHECK_FALSE(model.ZoomBack());
  for (int i = 0; i < 200; ++i) model.Zoom(2, extent / 2);
  CHECK(model.view().x1 > model.view().x0);
  for (int i = 0; i < 200; ++i) model.Zoom(0.5, extent / 2);
  CHECK(model.view().x1 - model.view().x0 <= extent * 1.6);
  for (int i = 0; i < 100; ++i) model.Pan(0.9, 50);
  CHECK(model.view().x0 < extent);
  CHECK(model.view().row0 < model.timeline().rows());
  for (int i = 0; i < 100; ++i) model.Pan(-0.9, -50);
  CHECK(model.view().x1 > 0);
  CHECK(model.view().row0 == 0);
  model.SetView({Axis::kTime, 0, HUGE_VAL, 0, 1}, true);
  CHECK(std::isfinite(model.view().x1));
}

TEST_CASE("the anchor stays under the pointer while zooming") {
  ViewerModel model;
  Open(&model, BigTraceText(Shape::kAgent, 100));
  const double anchor = model.timeline().extent(Axis::kTime) * 0.3;
  const auto share = [&] { return (anchor - model.view().x0) / (model.view().x1 - model.view().x0); };
  const double before = share();
  model.Zoom(3, anchor);
  CHECK(share() == doctest::Approx(before));
}

TEST_CASE("figures of a run that is known by heart") {
  // Two reads of 4 and 6 units side by side, then one of 5 that needs both, and 1 unit of the program's own.
  TraceScript run;
  const auto fetch = run.Tool("fetch");
  const auto site = run.Site(1);
  const auto a = run.Arrive(fetch, site), b = run.Arrive(fetch, site), c = run.Arrive(fetch, site, {a, b});
  run.Reach(a);
  const auto x = run.Start(a), y = run.Start(b);
  run.At(4).Complete(x).Settle(a, x).Consume(a).Reach(b);
  run.At(6).Complete(y).Settle(b, y).Consume(b);
  const auto z = run.Start(c);
  run.Reach(c);
  run.At(11).Complete(z).Settle(c, z).Consume(c);
  const auto document = run.At(12).End().Load();
  const Metrics m = MetricsAt(document->store(), document->store().events());
  CHECK(m.makespan == 12000);
  CHECK(m.program_time == 1000);
  CHECK(m.sequential_sum == 16000);
  CHECK(m.overlap_won == 4000);
  CHECK(m.critical_path == 11000);
  CHECK(m.overlap_left == 0);
  CHECK(m.peak_in_flight == 2);
  CHECK(m.mean_in_flight == doctest::Approx(15.0 / 12));
  CHECK(m.calls == 3);
  CHECK(m.attempts == 3);
  CHECK(m.early == 3);
  CHECK(m.wasted == 0);
  const auto rows = MetricRows(document->store(), document->store().events(), m);
  CHECK(std::any_of(rows.begin(), rows.end(),
                    [](const Field& f) { return f.name == "makespan" && f.value == "12 units"; }));
  // Half way: what had happened by then.
  const Metrics half = MetricsAt(document->store(), document->store().attempt(x).end);
  CHECK(half.makespan == 4000);
  CHECK(half.peak_in_flight == 2);
}

TEST_CASE("the events table filters by kind, call and words, finds its row for the cursor, and copies") {
  const auto document = LoadBig(Shape::kAgent, 50);
  const TraceStore& store = document->store();
  EventsTable table(&store);
  CHECK(table.rows() == store.events());
  CHECK(table.event_at(4) == 5);
  CHECK(table.RowOf(5) == 4);
  table.SetFilter("kind:dispatch");
  REQUIRE(table.Update());
  CHECK(table.rows() == store.of_kind(EventKind::kDispatch).size());
  table.SetFilter("call:7");
  table.Update();
  for (uint32_t row = 0; row < table.rows(); ++row) CHECK(table.Row(row).call == 7);
  CHECK(table.rows() > 4);
  CHECK(table.event_at(table.RowOf(store.call(7).dispatch)) == store.call(7).dispatch);
  table.SetFilter("DISPATCHED early");
  table.Update();
  CHECK(table.rows() > 10);
  CHECK(table.rows() < store.of_kind(EventKind::kDispatch).size() + 1);
  const std::string copied = table.Copy(0, 3);
  CHECK(std::count(copied.begin(), copied.end(), '\n') == 4);
  CHECK(copied.find("event\ttime_ns") == 0);
  table.SetFilter("no such words");
  table.Update();
  CHECK(table.rows() == 0);
}

TEST_CASE("a broken file gives a banner with the line, and what came before stays usable") {
  std::string text = BigTraceText(Shape::kAgent, 20);
  size_t cut = 0;
  for (int i = 0; i < 50; ++i) cut = text.find('\n', cut) + 1;
  text.insert(cut, "this is no JSON\n");
  ViewerModel model;
  Open(&model, text);
  CHECK(model.document().banner_is_error());
  CHECK(model.document().banner().find("p.jsonl:51:") == 0);
  CHECK(model.store().events() == 50);
  CHECK(model.timeline_view(800, 600).calls_shown > 0);
  for (const Command& c : Commands()) model.Execute(c.id);
  // An empty file, and a file that is something else altogether.
  Open(&model, "");
  CHECK(model.document().banner_is_error());
  Open(&model, "\x89PNG\r\n\x1a\n");
  CHECK(model.document().banner_is_error());
  CHECK(model.LiveLine() == model.document().banner());
}

TEST_CASE("the screen reader's line says where the cursor is") {
  ViewerModel model;
  CHECK_FALSE(model.LiveLine().empty());
  Open(&model, BigTraceText(Shape::kAgent, 20));
  model.transport().GoTo(20);
  CHECK(model.LiveLine().find("Event 20 of ") == 0);
  CHECK(model.LiveLine().find("waiting") != std::string::npos);
}
