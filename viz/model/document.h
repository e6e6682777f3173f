// One opened trace: bytes in, the store and everything that grows with it out. The application does the reading of
// files and sockets and hands the bytes over.
//
// Thread rule: one thread at a time.
// Errors: a bad file sets banner(); what came before the bad line stays usable.
#ifndef PYSOLATE_VIZ_MODEL_DOCUMENT_H_
#define PYSOLATE_VIZ_MODEL_DOCUMENT_H_

#include <memory>
#include <string>
#include <string_view>

#include "model/overview.h"
#include "model/store.h"
#include "model/timeline.h"
#include "pysolate/trace.h"

namespace pysolate::viz {

class Document final : private EventSink {
 public:
  // `name` is what the user knows the trace by (a path, "live"). `live`: a tail that goes on; lanes are placed as
  // calls arrive. Otherwise lanes are grouped by source line when Finish() is called.
  explicit Document(std::string name, bool live = false);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Appends bytes of the trace, cut anywhere. Returns false once there is an error.
  bool Feed(std::string_view bytes);
  // No more bytes will come.
  bool Finish();

  const std::string& name() const { return name_; }
  bool live() const { return live_; }  // created live and not finished
  bool finished() const { return finished_; }
  uint64_t bytes_read() const { return bytes_read_; }
  // Empty, or what is wrong with the trace, for a banner: "two.jsonl:17: not a JSON object". The rest stays usable.
  const std::string& banner() const { return banner_; }
  bool banner_is_error() const { return banner_is_error_; }  // else a warning (cut line, unknown kinds, lies)

  const TraceStore& store() const { return store_; }
  const Timeline& timeline() const { return timeline_; }
  Timeline& timeline() { return timeline_; }
  const Overview& overview() const { return overview_; }
  // Grows with every event; compare to know whether something is to be drawn anew.
  uint64_t revision() const { return revision_; }
  size_t MemoryBytes() const;

 private:
  void OnEvent(const Event& event) override;
  void UpdateBanner();

  std::string name_;
  bool live_ = false, finished_ = false, banner_is_error_ = false;
  uint64_t bytes_read_ = 0, revision_ = 1;
  std::string banner_;
  TraceStore store_;
  Timeline timeline_;
  Overview overview_;
  TraceReader reader_;
};

}  // namespace pysolate::viz

#endif  // PYSOLATE_VIZ_MODEL_DOCUMENT_H_
