// The events of one team for any number of streams.
//
// A stream is a position in the log: nothing is queued for it. New events are formatted once and stay in memory, at
// most 1 MiB; a stream that is further behind reads from the log. So a client that does not read costs no memory, and
// replay, resuming and new events are the same code.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "libteam/serve/http.h"
#include "libteam/store/team_engine.h"
#include "libteam/system/event_fd.h"

namespace team {

struct StreamPosition {
  std::int64_t seq = 0;  // the last event that was sent whole
  std::size_t skip = 0;  // bytes of the next one that were sent
};

// A chunk of HTTP/1.1, and the end of a chunked body.
std::string http_chunk(std::string_view text);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Consecutive events as they are sent: one chunk each.
class FrameBlock {
 public:
  explicit FrameBlock(EventStream::Form form) : form_(form) {}

  void add(std::int64_t seq, std::string_view line);
  bool empty() const { return frames_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  std::int64_t last() const { return frames_.back().seq; }
  // The bytes from this position on.
  std::string_view rest(const StreamPosition& position) const;
  // Moves the position over bytes that rest() returned.
  void advance(StreamPosition& position, std::size_t sent) const;

 private:
  struct Frame {
    std::int64_t seq = 0;
    std::size_t start = 0;
  };
  std::vector<Frame>::const_iterator first_after(std::int64_t seq) const;

  EventStream::Form form_;
  std::string bytes_;
  std::vector<Frame> frames_;
};

class EventFeed {
 public:
  // Starts a thread that follows the log. It calls `wake` when there are new events and when the team was deleted.
  EventFeed(std::shared_ptr<const TeamEngine> team, std::function<void()> wake);
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;
  ~EventFeed();

  // One thread calls the following functions.

  // Takes over the new events of the thread.
  void collect();
  // True if the team was deleted: no event will follow.
  bool is_over() const { return is_over_; }

  // Passes the bytes after `position` to `write`, which returns how many of them the client took, and moves the
  // position.
  enum class Sent { all, some, full };  // some: there is more, but others come first; full: the client takes no more
  using Write = std::function<std::size_t(std::string_view bytes)>;
  Sent send(EventStream::Form form, StreamPosition& position, const Write& write);

  // Visits the events after `seq`, for a stream with a translator.
  void each_after(std::int64_t seq, const EventLog::Visit& visit) const;
  // The number of the last event that collect() has seen.
  std::int64_t last() const { return last_; }

 private:
  struct Tail {
    std::int64_t base = 0;  // the events after this one are here
    std::deque<FrameBlock> blocks;
    std::size_t size = 0;
  };
  void follow();
  Tail& tail_of(EventStream::Form form);
  void add(Tail& tail, EventStream::Form form, std::int64_t seq, std::string_view line);
  const FrameBlock* find(const Tail& tail, std::int64_t seq) const;

  std::shared_ptr<const TeamEngine> team_;
  std::function<void()> wake_;
  std::int64_t last_;
  std::unique_ptr<Tail> tails_[2];  // by form, made for the first stream of the form
  bool is_over_ = false;

  std::mutex mutex_;  // of the next three
  std::vector<std::string> lines_;
  bool has_ended_ = false;
  bool stops_ = false;
  EventFd waker_;
  std::thread thread_;
};

}  // namespace team
