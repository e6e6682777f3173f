// The deep link: what is looked at, as a URL fragment or command line argument.
//
//   trace=two.jsonl&at=120&x=time:0..2000000000&rows=0..12&call=5&q=state%3Aorphaned&preset=debug&follow=1
//
// Unknown keys are ignored; a faulty value is reported and its field keeps the default.
// Thread rule: pure functions.
#ifndef PYSOLATE_VIZ_MODEL_LINK_H_
#define PYSOLATE_VIZ_MODEL_LINK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/timeline.h"

namespace pysolate::viz {

enum class Preset : uint8_t { kDebug, kRead, kPresent };
std::string_view Name(Preset preset);

struct Link {
  std::string trace;
  std::optional<uint64_t> at;  // sequence number of the cursor's event
  std::optional<ViewBox> view;
  CallId call = 0;
  std::string query;
  Preset preset = Preset::kDebug;
  bool follow = false;
  bool dark = true;
};

std::string EncodeLink(const Link& link);  // without '#'
// *problems (may be null): a sentence for each value that was not understood.
Link DecodeLink(std::string_view fragment, std::vector<std::string>* problems);

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_LINK_H_
