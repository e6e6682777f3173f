#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pysolate/trace.h"
#include "support/trace_text.h"

using namespace pysolate;
using pysolate::testing::Collector;

namespace {

std::string Written(const Event& e) {
  TraceWriter writer;
  writer.OnEvent(e);
  return writer.Take();
}

Event Header() {
  Event e;
  e.seq = 1;
  e.kind = EventKind::kRun;
  e.version = 1;
  return e;
}

// Random strings with everything that needs care: quotes, controls, multi-byte sequences, whole and broken.
std::string RandomText(std::mt19937& rng, bool valid) {
  static const char* const kPieces[] = {"a",           "plain text of some length ",
                                        "\"",          "\\",
                                        "\n",          "\t",
                                        "\x01",        "\x7f",
                                        "é",           "€",
                                        "😀",           "\x1f",
                                        "/",           "{\"k\":1}",
                                        "\xef\xbf\xbf"};
  static const char* const kBroken[] = {"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"};
  std::string s;
  for (int n = static_cast<int>(rng() % 6); n > 0; --n) {
    s += !valid && rng() % 3 == 0 ? kBroken[rng() % std::size(kBroken)] : kPieces[rng() % std::size(kPieces)];
  }
  if (rng() % 8 == 0) s += '\0';
  return s;
}

struct RandomEvent {
  std::string name, file, function, text, why, error, order, producer;
  std::vector<CallId> deps;
  Event e;

  RandomEvent(std::mt19937& rng, EventKind kind, uint64_t seq, bool valid) {
    const auto id = [&] { return static_cast<uint32_t>(rng() % 4 == 0 ? 4294967294u - rng() % 3 : 1 + rng() % 1000); };
    const auto flag = [&] { return rng() % 2 == 0; };
    const auto small = [&] { return static_cast<int32_t>(rng() % 4 == 0 ? 2147483647 : rng() % 200); };
    const auto big = [&] { return static_cast<int64_t>(rng() % 4 == 0 ? 9223372036854775807 : rng() % 100000); };
    const auto limit = [&] { return rng() % 3 == 0 ? kUnlimited : id(); };
    for (std::string* s : {&name, &file, &function, &text, &why, &error, &order, &producer})
      *s = RandomText(rng, valid);
    for (int n = static_cast<int>(rng() % 5); n > 0; --n) deps.push_back(id());
    e.seq = seq;
    e.t = static_cast<TimeNs>(seq * 1000);
    e.kind = kind;
    e.early = flag(), e.guess = flag(), e.ok = flag(), e.cancellable = flag(), e.reuse = flag(), e.speculate = flag();
    e.effect = static_cast<Effect>(rng() % 5);
    e.failure = static_cast<Failure>(rng() % (kind == EventKind::kTool ? 2 : 3));
    e.scope_kind = static_cast<ScopeKind>(rng() % 7);
    e.scope_state = static_cast<ScopeState>(rng() % 2);
    e.call = id(), e.attempt = id(), e.tool = id(), e.klass = id(), e.root = id(), e.site = id(), e.scope = id();
    e.parent = id(), e.by = id(), e.key = id();
    e.line = small(), e.col = small(), e.end_line = small(), e.end_col = small();
    e.cost = id(), e.retry = id();
    e.version = kind == EventKind::kRun ? 1 : id();
    e.limit = limit(), e.total = limit(), e.early_limit = limit();
    e.has_limit = kind == EventKind::kClass || flag(), e.has_total = flag(), e.has_early_limit = flag();
    e.deadline = big(), e.bytes = big(), e.unit = big();
    e.name = name, e.file = file, e.function = function, e.text = text, e.why = why, e.error = error;
    e.order = order, e.producer = producer, e.deps = deps;
  }
};

}  // namespace

TEST_CASE("the words and the order of fields are those of FORMAT.md") {
  Event e;
  e.seq = 8;
  e.t = 5;
  e.kind = EventKind::kDispatch;
  e.attempt = 1;
  e.call = 2;
  e.early = true;
  e.cost = 1;
  CHECK(Written(e) ==
        "{\"seq\":8,\"t\":5,\"k\":\"dispatch\",\"attempt\":1,\"call\":2,\"early\":true,\"cost\":1,\"parent\":0}\n");
}

TEST_CASE("strings are escaped, and bytes that are no UTF-8 are replaced") {
  Event e;
  e.kind = EventKind::kNote;
  e.text = std::string_view("\"\\\n\t\r\0\x1f\x7fé😀\xff\xc3(", 17);
  CHECK(Written(e) ==
        "{\"seq\":0,\"t\":0,\"k\":\"note\",\"topic\":\"\",\"line\":0,\"text\":"
        "\"\\\"\\\\\\n\\t\\r\\u0000\\u001f\x7fé😀\xef\xbf\xbd\xef\xbf\xbd(\"}\n");
}

TEST_CASE("Take gives what came since the last one") {
  TraceWriter writer;
  CHECK(writer.Take() == "");
  Event e;
  e.kind = EventKind::kTick;
  writer.OnEvent(e);
  CHECK(writer.text() == "{\"seq\":0,\"t\":0,\"k\":\"tick\"}\n");
  CHECK(writer.Take() == "{\"seq\":0,\"t\":0,\"k\":\"tick\"}\n");
  CHECK(writer.Take() == "");
}

TEST_CASE("what was written and read is written the same again, for random events of every kind") {
  std::mt19937 rng(7);
  for (int round = 0; round < 300; ++round) {
    TraceWriter first;
    first.OnEvent(Header());
    uint64_t seq = 1;
    for (int i = 0; i < kEventKinds; ++i) {
      const auto kind = static_cast<EventKind>(i);
      if (kind == EventKind::kRun) continue;
      const RandomEvent r(rng, kind, ++seq, true);
      first.OnEvent(r.e);
    }
    Collector got;
    TraceReader reader(&got);
    reader.Feed(first.text());
    reader.Finish();
    REQUIRE(reader.error().message == "");
    TraceWriter second;
    for (const auto& kept : got.events) second.OnEvent(kept.View());
    REQUIRE(second.text() == first.text());
  }
}

TEST_CASE("whatever bytes the strings hold, the reader takes what the writer wrote") {
  std::mt19937 rng(8);
  for (int round = 0; round < 300; ++round) {
    TraceWriter writer;
    RandomEvent header(rng, EventKind::kRun, 1, false);
    writer.OnEvent(header.e);
    uint64_t seq = 1;
    for (int i = 0; i < kEventKinds; ++i) {
      if (static_cast<EventKind>(i) == EventKind::kRun) continue;
      writer.OnEvent(RandomEvent(rng, static_cast<EventKind>(i), ++seq, false).e);
    }
    Collector got;
    TraceReader reader(&got);
    reader.Feed(writer.text());
    reader.Finish();
    REQUIRE(reader.error().message == "");
    REQUIRE(reader.events() == seq);
  }
}

TEST_CASE("a program that is too long for a line is cut, between code points") {
  std::string source;
  while (source.size() < 3 * kMaxTraceLine) source += "print('€')\n";
  Event e = Header();
  e.text = source;
  const std::string line = Written(e);
  CHECK(line.size() < kMaxTraceLine);
  Collector got;
  TraceReader reader(&got);
  reader.Feed(line);
  reader.Finish();
  REQUIRE(reader.error().message == "");
  CHECK(got.events[0].text.size() > 16000);
  CHECK(source.starts_with(got.events[0].text));
}
