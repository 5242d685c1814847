// A real git repository in a folder of its own, for tests.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "libteam/repo/git.h"

namespace team::test {

class TestRepository {
 public:
  TestRepository() : path(make_folder()) {
    // No configuration of the user of this test.
    ::setenv("HOME", path.c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    std::filesystem::create_directory(main());
    git({"init", "-q", "-b", "main"});
  }
  TestRepository(const TestRepository&) = delete;
  TestRepository& operator=(const TestRepository&) = delete;
  ~TestRepository() { std::filesystem::remove_all(path); }

  std::string main() const { return path + "/main"; }
  std::string git(const Git::Words& words) const {
    return Git(main()).with_author({"person", "person@example.org"}).line(words);
  }
  void put(const std::string& name, const std::string& text) const { put_in(main(), name, text); }
  static void put_in(const std::string& folder, const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  static std::string text_in(const std::string& folder, const std::string& name) {
    std::ifstream file(folder + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Commits all files of the checkout; returns the commit.
  std::string commit(const std::string& message) const {
    git({"add", "-A"});
    git({"commit", "-q", "-m", message});
    return git({"rev-parse", "HEAD"});
  }
  // The file in a commit.
  std::string show(const std::string& commit, const std::string& name) const {
    return git({"show", commit + ":" + name});
  }

  const std::string path;

 private:
  static std::string make_folder() {
    char pattern[] = "/tmp/teamkit-repo-XXXXXX";
    return ::mkdtemp(pattern);
  }
};

}  // namespace team::test
