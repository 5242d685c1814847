// All that happened to a team, in order: `events.jsonl`, one envelope a line.
//
// `seq` counts from 1 without gaps whatever number of processes write, because each reads the last line and appends the
// next under `events.lock`; a line that a killed writer left torn is cut off first. A file that has grown large is put
// aside as `events-<its first seq>.jsonl`; readers go through all of them and do not notice. Reading takes no lock.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/system/file.h"

namespace team {

class EventLog {
 public:
  // In the folder of a team, which must outlive this.
  EventLog(const Folder& folder, double lock_timeout);

  // Appends all of them together.
  Logged append(const EventOrigin& origin, const std::vector<Event>& events) const;

  // The same for what others can see already: that it could not be written down does not undo it, so failing is
  // unknown.
  Logged record(const EventOrigin& origin, const std::vector<Event>& events) const;

  // The number of the last one; 0 if there is none.
  std::int64_t last_sequence() const;

  // Gives the lines after `seq`, in order, until `visit` says that it has enough.
  using Visit = std::function<bool(std::string_view line)>;
  void each_after(std::int64_t seq, const Visit& visit) const;
  // The same, and then each line as it comes, until `enough`, which is also asked when nobody reads from the pipe
  // behind `reader` any more, and when something can be read from `waker`. False if it ends because the folder of the
  // team is no longer in its place.
  bool follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
              int waker = -1) const;
  // From the last one back.
  void each_backward(const Visit& visit) const;

 private:
  struct Part;   // one of the files
  struct Place;  // in the last one
  std::vector<Part> put_aside() const;
  std::vector<Part> parts() const;
  Fd open(Part& part) const;
  bool read_on(Place& place, std::int64_t& seq, const Visit& visit) const;
  std::optional<Place> read_after(std::int64_t& seq, const Visit& visit) const;

  const Folder& folder_;
  double lock_timeout_;
};

}  // namespace team
