// The event log in files: `events.jsonl`, one envelope a line.
//
// Each writer reads the last line and appends the next under `events.lock`; a line that a killed writer left torn is
// cut off first. A file that has grown large is put aside as `events-<its first seq>.jsonl`; readers go through all of
// them and do not notice. Reading takes no lock. A reader finds the first wanted line by its number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/event_log.h"
#include "libteam/system/file.h"

namespace team {

class FileEventLog : public EventLog {
 public:
  // In the folder of a team, which must outlive this.
  FileEventLog(const Folder& folder, double lock_timeout);

  Logged append(const EventOrigin& origin, const std::vector<Event>& events) const override;
  std::string place() const override;
  std::int64_t last_sequence() const override;
  void each_after(std::int64_t seq, const Visit& visit) const override;
  bool follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
              int waker = -1) const override;
  void each_backward(const Visit& visit) const override;

 private:
  struct Part;   // one of the files
  struct Place;  // in the last one
  std::vector<Part> put_aside() const;
  std::vector<Part> parts() const;
  Fd open(Part& part) const;
  bool read_on(Place& place, std::int64_t& seq, const Visit& visit) const;
  bool read_closed(const Fd& fd, std::int64_t& seq, const Visit& visit) const;
  std::optional<Place> read_after(std::int64_t& seq, const Visit& visit) const;

  const Folder& folder_;
  double lock_timeout_;
};

}  // namespace team
