// durable FOLDER - replace a file durably, as cheaply as any program can
//
// This is the reference for durable commands: it starts a process, flushes a file and flushes its folder.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int folder = open(argv[1], O_RDONLY | O_DIRECTORY);
  const int file = openat(folder, "new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string text(430, 'x');  // as large as a small task
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fdatasync(file) == 0 && renameat(folder, "new", folder, "file") == 0 && fsync(folder) == 0;
  return written ? 0 : 1;
}
