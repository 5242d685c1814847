// Opens an address in the browser of the user.
#pragma once

#include <string>

namespace team {

// The address may hold a secret, and the arguments of a process can be seen by other users. So the browser gets a file
// that only this user can read and that leads to the address. The file is removed by the destructor.
class BrowserWindow {
 public:
  // Starts $BROWSER, else xdg-open, and does not wait for it. Throws io if the file cannot be written.
  explicit BrowserWindow(const std::string& url);
  BrowserWindow(const BrowserWindow&) = delete;
  BrowserWindow& operator=(const BrowserWindow&) = delete;
  ~BrowserWindow();

 private:
  std::string path_;
};

}  // namespace team
