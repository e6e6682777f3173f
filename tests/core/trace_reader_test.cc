#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "pysolate/trace.h"
#include "support/trace_text.h"

using namespace pysolate;
using pysolate::testing::Collector;
using pysolate::testing::kHeader;
using pysolate::testing::Lines;

namespace {

struct Outcome {
  Collector got;
  TraceError error;
  bool truncated = false;
  uint64_t events = 0, unknown = 0;
};

Outcome Read(std::string_view text, size_t chunk = std::string_view::npos) {
  Outcome o;
  TraceReader reader(&o.got);
  for (size_t i = 0; i < text.size(); i += chunk) {
    if (!reader.Feed(text.substr(i, chunk)) || chunk == std::string_view::npos) break;
  }
  reader.Finish();
  o.error = reader.error();
  o.truncated = reader.truncated();
  o.events = reader.events();
  o.unknown = reader.unknown_kinds();
  CHECK(o.events == o.got.events.size());
  return o;
}

// The last event of a trace that must be fine.
testing::KeptEvent Last(std::string_view text) {
  const Outcome o = Read(text);
  REQUIRE(o.error.message == "");
  return o.got.events.back();
}

void CheckFails(std::string_view text, uint64_t line, std::string_view cause, size_t events_before) {
  CAPTURE(text.substr(0, 400));
  const Outcome o = Read(text);
  CHECK(o.error.line == line);
  CHECK(o.error.message == cause);
  CHECK(o.got.events.size() == events_before);
}

std::string Line(std::string_view fields) { return std::string(kHeader) + "{" + std::string(fields) + "}\n"; }

}  // namespace

TEST_CASE("the example of FORMAT.md is read, whatever the chunks") {
  const std::string text =
      R"({"seq":1,"t":0,"k":"run","version":1,"program":"two.py","mode":"overlap","clock":"virtual","unit":1000000000,"speculate":false,"policy":"order","result_bytes":67108864,"source":"a = fetch('x')\nb = fetch('y')\n","producer":"pysolate 0.1.0"}
{"seq":2,"t":0,"k":"tool","tool":1,"name":"fetch","effect":"immutable_read","failure":"stable","class":0,"cost":1,"root":0,"cancellable":false,"deadline":0,"retry":0,"early":true,"reuse":true}
{"seq":3,"t":0,"k":"scope","scope":1,"parent":0,"kind":"program","site":0,"line":1,"state":"active"}
{"seq":4,"t":0,"k":"site","site":1,"file":"two.py","line":1,"col":4,"end_line":1,"end_col":14,"function":"<module>"}
{"seq":5,"t":0,"k":"arrive","call":1,"tool":1,"site":1,"scope":1,"early":true,"guess":false,"deps":[],"order":"a0"}
{"seq":6,"t":0,"k":"args","call":1,"key":1,"args":"'x'"}
{"seq":7,"t":0,"k":"ready","call":1}
{"seq":8,"t":0,"k":"dispatch","attempt":1,"call":1,"early":true,"cost":1,"parent":0}
{"seq":9,"t":0,"k":"reach","call":1}
{"seq":10,"t":0,"k":"promote","call":1}
{"seq":11,"t":2000000000,"k":"complete","attempt":1,"value":"'text'","bytes":4}
{"seq":12,"t":2000000000,"k":"settle","call":1,"attempt":1,"ok":true}
{"seq":13,"t":2000000000,"k":"consume","call":1}
{"seq":14,"t":2000000000,"k":"end","ok":true}
)";
  for (const size_t chunk : {std::string_view::npos, size_t{1}, size_t{7}, size_t{100}}) {
    const Outcome o = Read(text, chunk);
    CAPTURE(chunk);
    REQUIRE(o.error.message == "");
    REQUIRE(o.events == 14);
    CHECK_FALSE(o.truncated);
    const auto& e = o.got.events;
    CHECK(e[0].name == "two.py");
    CHECK(e[0].why == "overlap");
    CHECK(e[0].error == "virtual");
    CHECK(e[0].event.unit == 1000000000);
    CHECK(e[0].text == "a = fetch('x')\nb = fetch('y')\n");
    CHECK(e[1].event.effect == Effect::kImmutableRead);
    CHECK(e[1].event.early);
    CHECK(e[3].event.end_col == 14);
    CHECK(e[4].order == "a0");
    CHECK(e[4].event.early);
    CHECK(e[10].event.t == 2000000000);
    CHECK(e[10].text == "'text'");
    CHECK(e[13].event.kind == EventKind::kEnd);
    CHECK(e[13].event.ok);
  }
}

TEST_CASE("fields may come in any order, with spaces, escaped names and carriage returns") {
  const auto e = Last(std::string(kHeader) +
                      " { \"c\\u0061ll\" : 7 ,\t\"deps\" : [ 1 , 2 ] , \"k\":\"arrive\", \"t\":5, \"seq\":2 } \r\n");
  CHECK(e.event.kind == EventKind::kArrive);
  CHECK(e.event.call == 7);
  CHECK(e.deps == std::vector<CallId>{1, 2});
  CHECK(e.event.t == 5);
}

TEST_CASE("of duplicate keys the last counts, also if it is of the kind") {
  CHECK(Last(Line(R"("seq":2,"t":0,"k":"reach","call":1,"call":2)")).event.call == 2);
  CHECK(Last(Line(R"("seq":2,"t":0,"k":"reach","call":1,"k":"ready")")).event.kind == EventKind::kReady);
}

TEST_CASE("strings: escapes, surrogate pairs and any UTF-8") {
  CHECK(Last(Lines({R"("k":"note","text":"a\"\\\/\b\f\n\r\t\u0000z")"})).text ==
        std::string("a\"\\/\b\f\n\r\t\0z", 11));
  CHECK(Last(Lines({R"("k":"note","text":"\u00e9\u20ac\ud83d\ude00é€😀")"})).text == "é€😀é€😀");
  const auto two = Last(Lines({R"("k":"fail","attempt":1,"error":"A\tB","message":"C\nD","failure":"transient")"}));
  CHECK(two.error == "A\tB");
  CHECK(two.text == "C\nD");
}

TEST_CASE("limits: -1 is unlimited; a budget says what it carries") {
  const auto total = Last(Lines({R"("k":"budget","total":-1,"early":4)"}));
  CHECK(total.event.has_total);
  CHECK(total.event.total == kUnlimited);
  CHECK(total.event.has_early_limit);
  CHECK(total.event.early_limit == 4);
  CHECK_FALSE(total.event.has_limit);
  CHECK(Last(Lines({R"("k":"class","class":1,"name":"net","limit":0)"})).event.limit == 0);
}

TEST_CASE("unknown fields are ignored, however deep up to the limit; unknown kinds are kept and counted") {
  CHECK(Last(Lines({R"("k":"reach","later":{"a":[1,2.5e3,{"b":null}],"c":"x"},"call":3)"})).event.call == 3);
  const Outcome o = Read(Lines({R"("k":"teleport","call":"not even an id")", R"("k":"tick")"}));
  REQUIRE(o.error.message == "");
  CHECK(o.unknown == 1);
  CHECK(o.got.events[1].event.kind == EventKind::kUnknown);
  CHECK(o.got.events[1].name == "teleport");
  const auto nested = [](int arrays) {
    return Lines({"\"k\":\"tick\",\"x\":" + std::string(arrays, '[') + std::string(arrays, ']')});
  };
  CHECK(Read(nested(15)).error.message == "");
  CheckFails(nested(16), 2, "nested too deep (more than 16) at column 46", 1);
  CheckFails(nested(100000), 2, "nested too deep (more than 16) at column 46", 1);
}

TEST_CASE("a cut-off last line is dropped with a warning, at whatever byte it was cut") {
  const std::string whole =
      Lines({R"("k":"note","topic":"h\u00e9","line":12,"text":"é😀","x":[true,-1.5e+3,{"y":null}])"});
  const size_t start = kHeader.size();
  for (size_t cut = start + 1; cut < whole.size() - 1; ++cut) {
    for (const char* tail : {"", "\n", "\n\n"}) {
      const std::string text = whole.substr(0, cut) + tail;
      CAPTURE(text);
      const Outcome o = Read(text);
      CHECK(o.error.message == "");
      CHECK(o.truncated);
      CHECK(o.events == 1);
    }
  }
  const Outcome unterminated = Read(whole.substr(0, whole.size() - 1));
  CHECK_FALSE(unterminated.truncated);
  CHECK(unterminated.events == 2);
}

TEST_CASE("a cut-off line that is not the last one is an error at that line") {
  CheckFails(std::string(kHeader) + "{\"seq\":2,\"t\"\n{\"seq\":3,\"t\":0,\"k\":\"tick\"}\n", 2,
             "the line ends too soon", 1);
}

TEST_CASE("blank lines are skipped and counted") {
  CheckFails(std::string(kHeader) + "\n  \r\nnonsense\n", 4, "expected '{' at column 1", 1);
  CHECK(Read("\n" + std::string(kHeader) + "\n\n").error.message == "");
}

TEST_CASE("an empty trace is an error of its own") {
  CheckFails("", 0, "an empty trace", 0);
  CheckFails("\n \n", 0, "an empty trace", 0);
  CheckFails("{\"seq\":1,", 0, "an empty trace: its only line is cut off", 0);
}

TEST_CASE("the header decides whether a file is read at all") {
  CheckFails("{\"seq\":1,\"t\":0,\"k\":\"tick\"}\n", 1, "the first event must be \"run\"", 0);
  CheckFails("{\"seq\":1,\"t\":0,\"k\":\"run\",\"version\":2}\n", 1, "trace version 2 is newer than this reader (1)",
             0);
  CheckFails("{\"seq\":1,\"t\":0,\"k\":\"run\"}\n", 1, "\"version\" of \"run\" is missing", 0);
  CheckFails("{\"seq\":2,\"t\":0,\"k\":\"run\",\"version\":1}\n", 1, "\"seq\" of the first event must be 1", 0);
  CheckFails(Lines({R"("k":"run","version":1)"}), 2, "a second \"run\"", 1);
}

TEST_CASE("order: seq rises, t never falls") {
  CheckFails(Line(R"("seq":1,"t":0,"k":"tick")"), 2, "\"seq\" 1 does not follow 1", 1);
  CheckFails(Line(R"("seq":2,"t":9,"k":"tick"})"
                  "\n"
                  R"({"seq":3,"t":8,"k":"tick")"),
             3, "\"t\" goes back from 9 to 8", 2);
  CHECK(Read(Line(R"("seq":900,"t":0,"k":"tick")")).error.message == "");
}

TEST_CASE("malformed lines name line, cause and column") {
  const auto bad = [](std::string_view line, std::string_view cause) {
    CheckFails(std::string(kHeader) + std::string(line) + "\n", 2, cause, 1);
  };
  bad("[]", "expected '{' at column 1");
  bad("{seq:2}", "expected a field name at column 2");
  bad("{\"seq\" 2}", "expected ':' at column 8");
  bad("{\"seq\":2 \"t\":0}", "expected ',' or '}' at column 10");
  bad("{\"seq\":2,}", "expected a field name at column 10");
  bad("{\"seq\":02}", "number with a leading zero at column 8");
  bad("{\"seq\":+2}", "expected a value at column 8");
  bad("{\"seq\":2.}", "expected a digit at column 10");
  bad("{\"seq\":1e}", "expected a digit at column 10");
  bad("{\"seq\":nul }", "expected a value at column 8");
  bad("{\"seq\":9223372036854775808}", "integer beyond 63 bits at column 8");
  bad("{\"seq\":" + std::string(400, '9') + "}", "integer beyond 63 bits at column 8");
  bad("{\"x\":-9223372036854775808}", "integer beyond 63 bits at column 6");
  bad("{\"x\":\"\\x\"}", "unknown escape at column 8");
  bad("{\"x\":\"\\u12g4\"}", "expected four hexadecimal digits at column 11");
  bad("{\"x\":\"\\ud800\"}", "lone surrogate at column 13");
  bad("{\"x\":\"\\udc00\"}", "lone surrogate at column 13");
  bad("{\"x\":\"\\ud800\\u0041\"}", "lone surrogate at column 19");
  bad("{\"x\":\"a\tb\"}", "control character in a string at column 8");
  bad("{} {}", "unexpected text behind the event at column 4");
  bad("{\"x\":[1 2]}", "expected ',' or ']' at column 9");
  bad("{\"x\":{\"a\" 2}}", "expected ':' at column 11");
  bad("{}", "\"k\" is missing");
  bad("{\"k\":7}", "\"k\" must be a string");
  bad("{\"k\":\"tick\"}", "\"seq\" is missing");
  bad("{\"k\":\"tick\",\"seq\":0}", "\"seq\" must be a positive integer");
  bad("{\"k\":\"tick\",\"seq\":2}", "\"t\" is missing");
  bad("{\"k\":\"tick\",\"seq\":2,\"t\":-1}", "\"t\" must be an integer number of nanoseconds, not negative");
  bad("{\"k\":\"tick\",\"seq\":2,\"t\":1.5}", "\"t\" must be an integer number of nanoseconds, not negative");
}

TEST_CASE("invalid UTF-8 is an error, in strings and in names") {
  const auto bad = [](std::string_view bytes, int column) {
    const std::string cause = "invalid UTF-8 at column " + std::to_string(column);
    CheckFails(std::string(kHeader) + "{\"x\":\"" + std::string(bytes) + "\"}\n", 2, cause, 1);
  };
  bad("\x80", 7);
  bad("\xff", 7);
  bad("ok\xc3(", 9);
  bad("\xc0\xaf", 7);          // not the shortest form
  bad("\xe0\x80\x80", 7);      // nor this
  bad("\xed\xa0\x80", 7);      // a surrogate
  bad("\xf4\x90\x80\x80", 7);  // above U+10FFFF
  bad("\xf0\x9f\x98", 7);      // cut, but the string goes on
  bad("\\n\xff", 9);           // behind an escape
  bad("12345678901234567\xfe", 24);
  CheckFails(std::string(kHeader) + "{\"\xff\":1}\n", 2, "invalid UTF-8 at column 3", 1);
}

TEST_CASE("fields of a wrong type or range are named with their kind") {
  const auto bad = [](std::string_view fields, std::string_view cause) { CheckFails(Lines({fields}), 2, cause, 1); };
  bad(R"("k":"reach")", R"("call" of "reach" is missing)");
  bad(R"("k":"reach","call":0)", R"("call" of "reach" must be an id (1 to 4294967294))");
  bad(R"("k":"reach","call":4294967295)", R"("call" of "reach" must be an id (1 to 4294967294))");
  bad(R"("k":"reach","call":"1")", R"("call" of "reach" must be an id (1 to 4294967294))");
  bad(R"("k":"reach","call":null)", R"("call" of "reach" must be an id (1 to 4294967294))");
  bad(R"("k":"reach","call":1.0)", R"("call" of "reach" must be an id (1 to 4294967294))");
  bad(R"("k":"arrive","call":1,"deps":[1,"2"])", R"("deps" of "arrive" must be a list of call ids)");
  bad(R"("k":"arrive","call":1,"deps":[0])", R"("deps" of "arrive" must be a list of call ids)");
  bad(R"("k":"arrive","call":1,"deps":5)", R"("deps" of "arrive" must be a list of call ids)");
  bad(R"("k":"arrive","call":1,"early":1)", R"("early" of "arrive" must be true or false)");
  bad(R"("k":"arrive","call":1,"tool":-1)", R"("tool" of "arrive" must be an id or 0)");
  bad(R"("k":"tool","tool":1,"effect":"magic")",
      R"("effect" of "tool" must be one of pure, immutable_read, open_read, private_write, external_write)");
  bad(R"("k":"tool","tool":1,"failure":"deadline")", R"("failure" of "tool" must be one of stable, transient)");
  bad(R"("k":"scope","scope":1,"state":"dead")", R"("state" of "scope" must be one of pending, active)");
  bad(R"("k":"note","text":5)", R"("text" of "note" must be a string)");
  bad(R"("k":"note","line":2147483648)", R"("line" of "note" must be an integer from 0 to 2147483647)");
  bad(R"("k":"complete","attempt":1,"bytes":-1)", R"("bytes" of "complete" must be an integer, not negative)");
  bad(R"("k":"class","class":1,"limit":-2)",
      R"("limit" of "class" must be a limit (0 to 4294967294, or -1 for unlimited))");
  bad(R"("k":"settle","call":1,"attempt":1)", R"("ok" of "settle" is missing)");
}

TEST_CASE("a line may have 1 MiB and no more, and a longer one is not kept in memory") {
  const auto padded = [](size_t bytes) {
    std::string line = R"({"seq":2,"t":0,"k":"note","text":")";
    line.append(bytes - line.size() - 2, 'x');
    return std::string(kHeader) + line + "\"}\n";
  };
  CHECK(Read(padded(kMaxTraceLine)).error.message == "");
  CheckFails(padded(kMaxTraceLine + 1), 2, "line longer than 1 MiB", 1);
  CHECK(Read(padded(kMaxTraceLine), 4096).error.message == "");
  CHECK(Read(padded(kMaxTraceLine + 1), 4096).error.message == "line longer than 1 MiB");

  Collector got;
  TraceReader reader(&got);
  REQUIRE(reader.Feed(kHeader));
  const std::string chunk(1 << 16, 'y');
  int fed = 0;
  while (reader.Feed(chunk) && fed < 2000) ++fed;
  CHECK(fed == 16);  // 100 MB without a line end would end here
  CHECK(reader.error().line == 2);
}

TEST_CASE("after an error nothing more is delivered") {
  Collector got;
  TraceReader reader(&got);
  CHECK(reader.Feed(kHeader));
  CHECK_FALSE(reader.Feed("oops\n{\"seq\":3,\"t\":0,\"k\":\"tick\"}\n"));
  CHECK_FALSE(reader.Feed("{\"seq\":4,\"t\":0,\"k\":\"tick\"}\n"));
  CHECK_FALSE(reader.Finish());
  CHECK(got.events.size() == 1);
  CHECK(reader.error().line == 2);
}

TEST_CASE("every kind has a word, and the word names the kind") {
  for (int i = 0; i < kEventKinds; ++i) {
    const auto kind = static_cast<EventKind>(i);
    CHECK(EventKindFromName(Name(kind)) == kind);
  }
  CHECK(Name(EventKind::kScopeDead) == "scope_dead");
  CHECK(EventKindFromName("scope_dea") == EventKind::kUnknown);
  CHECK(EventKindFromName("") == EventKind::kUnknown);
  CHECK(EventKindFromName("cancel_requesx") == EventKind::kUnknown);
}
