// Conversations with a model, kept in a file and played back without one.
//
// The file has one JSON object a line for each call: a digest of the request, and of it what is new since the call
// before in short, for people; and the whole answer, or the error. The digest is of the system prompt, the tools and
// the turns: the same conversation, the same digests.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/request_notes.h"
#include "libteam/system/file.h"

namespace team {

// Passes each call on and appends it, before its answer is given to the caller, to the file (0600; made if missing).
// One that was interrupted is not kept.
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

// Plays the calls of a file back in their order. Throws ModelError::final when a request is not the recorded one and
// when there are no more. The first request may be any of those recorded: who was stopped goes on where it was.
class ReplayingProvider : public Provider {
 public:
  // Throws not_found if there is no such file, corrupt if it is no recording. Lines that were torn are left out: their
  // call was repeated.
  explicit ReplayingProvider(const std::string& path);
  ~ReplayingProvider() override;
  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override;

 private:
  struct Call;
  void go_to_first(const std::string& digest);
  void read_notes();

  std::string path_;
  std::vector<Call> calls_;
  std::size_t next_ = 0;
  std::size_t read_ = 0;  // calls whose notes are in `notes_`
  RequestNotes notes_;    // of the call that was read last
  bool started_ = false;
};

}  // namespace team
