// A folder that is gone when the test ends.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tangram::test {

class TempFolder {
public:
  TempFolder()
      : path(std::filesystem::temp_directory_path() / fmt::format("tangram-unit-{}-{}", ::getpid(), counter++)) {
    std::filesystem::create_directories(path);
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
  void write(const std::string &name, const std::string &text) const { std::ofstream(path / name) << text; }
  std::filesystem::path path;

private:
  static inline int counter = 0;
};

} // namespace tangram::test
