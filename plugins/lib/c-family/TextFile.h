#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tangram::c_family {

/// All that the file holds; empty where it cannot be read.
inline std::string readText(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace tangram::c_family
