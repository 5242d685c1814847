// The whole terminal as a drawing surface, and its keys.
//
// While this lives the terminal is ours; when it goes, the terminal is as it was, whatever the reason. Signals that the
// terminal sends (another size, stop and go on) are heard here and drawn at once; those that end us are for the caller.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libteam/report/picture.h"

namespace team {

class Screen {
 public:
  // Throws usage where stdin or stdout is no terminal, or one that cannot place its cursor.
  static void check();

  // The same.
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  Size size() const;
  // Sends what differs from what is there.
  void draw(const Picture& picture);
  // All of it again, for a terminal that somebody else has written to.
  void forget();
  // Gives the terminal back and stops, as ^Z does; returns when somebody lets us go on.
  void suspend();

  // The next key that was pressed; none if none was. Also takes note of a new size.
  std::optional<Key> key();
  // Forgets the keys that were pressed and not yet asked for.
  void drop_keys();
  // Can be read from when there is something to take note of.
  std::vector<int> wakers() const;
  // Whether nobody is at the terminal any more.
  bool is_gone() const;

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace team
