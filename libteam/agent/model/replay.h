// Records conversations with a model in a file, and replays them without the model.
//
// The file has one line per call, a JSON object. It contains a digest of the request, notes for people on the new parts
// of the request, and the whole answer or the error. The digest covers the system prompt, the tools and the turns, so
// the same conversation has the same digests.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/step_order.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/request_notes.h"
#include "libteam/system/file.h"

namespace team {

// Passes each call on and appends it to the file before the caller gets the answer. Creates the file (0600) if it is
// missing. Interrupted calls are not recorded.
class RecordingProvider : public Provider {
 public:
  // Throws io if the file cannot be opened.
  RecordingProvider(std::unique_ptr<Provider> inner, const std::string& path);
  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override;

 private:
  void keep(const ModelRequest& request, std::string_view outcome, const std::string& json);

  std::unique_ptr<Provider> inner_;
  std::string path_;
  Fd file_;
  RequestNotes last_;
};

// Replays the calls of a file in their order. Throws ModelError::final if a request differs from the recorded one, or
// if no call is left. The first request may match any recorded call, so a stopped agent can resume.
class ReplayingProvider : public Provider {
 public:
  // Throws not_found if there is no such file, corrupt if it is not a recording. Skips torn lines: their calls were
  // repeated.
  // With `order`, which outlives this, it is a part of the replay of a team. Then texts may differ from the recording,
  // but not the calls and results (difference_in_shape()); and the first call is the one that the order says.
  explicit ReplayingProvider(const std::string& path, StepOrder* order = nullptr);
  ~ReplayingProvider() override;
  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override;

 private:
  struct Call;
  void go_to_first(const std::string& digest);
  void check(const Call& call, const RequestNotes& now);
  [[noreturn]] void end(const std::string& reason);
  ModelAnswer translated(ModelAnswer answer) const;
  void read_notes();

  std::string path_;
  StepOrder* order_;
  std::vector<Call> calls_;
  std::size_t next_ = 0;
  std::size_t read_ = 0;  // number of calls whose notes are in `notes_`
  RequestNotes notes_;    // of the last call that was read
  bool started_ = false;
};

}  // namespace team
