// The whole terminal as a drawing surface, and its keys.
//
// The constructor takes over the terminal and the destructor restores it, also after an exception. The class handles
// the signals of the terminal (new size, stop, continue). The caller handles the signals that end the process.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libteam/report/picture.h"

namespace team {

class Screen {
 public:
  // Throws usage if stdin or stdout is not a terminal, or if the terminal cannot move its cursor.
  static void check();

  // Throws as check() does.
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  Size size() const;
  // Sends only the differences from the last picture.
  void draw(const Picture& picture);
  // Makes the next draw() send everything, because another program has written to the terminal.
  void forget();
  // Restores the terminal and stops the process, as ^Z does. Returns when the process is continued.
  void suspend();

  // The next key; none if no key was pressed. Also handles a new size of the terminal.
  std::optional<Key> key();
  // Discards the pressed keys that key() has not returned yet.
  void drop_keys();
  // Descriptors that are readable when the caller must call key().
  std::vector<int> wakers() const;
  // True if the terminal was closed.
  bool is_gone() const;

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace team
