#include "libteam/system/browser.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/system/file.h"
#include "libteam/system/program.h"

namespace team {

BrowserWindow::BrowserWindow(const std::string& url) {
  std::string path = environment_variable("XDG_RUNTIME_DIR").value_or(environment_variable("TMPDIR").value_or("/tmp")) +
                     "/teamkit-XXXXXX.html";
  constexpr int kSuffix = 5;
  const Fd fd(::mkstemps(path.data(), kSuffix));  // 0600
  if (!fd) fail_errno("cannot make", path);
  path_ = path;
  const std::string page =
      fmt::format("<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={}\">\n", url);
  if (!write_all(fd.get(), page)) fail_errno("cannot write", path);
  Program program;
  program.arguments = {environment_variable("BROWSER").value_or("xdg-open"), "file://" + path};
  const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  start_detached(program, null);
}

BrowserWindow::~BrowserWindow() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace team
