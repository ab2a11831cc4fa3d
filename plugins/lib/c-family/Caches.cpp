#include "tangram/c-family/Caches.h"

#include <charconv>
#include <fstream>
#include <string>

namespace tangram::c_family {

namespace {

/// A file's first word; empty where there is no such file.
std::string word(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::string text;
  in >> text;
  return text;
}

/// 32768K, 64; 0: none.
std::uint64_t number(const std::string &text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  const char unit = end == text.data() + text.size() ? ' ' : *end;
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

} // namespace

Cache cacheOf(const std::filesystem::path &core, unsigned level) {
  for (unsigned index = 0;; ++index) {
    const std::filesystem::path folder = core / ("index" + std::to_string(index));
    const std::string type = word(folder / "type");
    if (type.empty()) return {};
    if (type != "Instruction" && number(word(folder / "level")) == level)
      return {number(word(folder / "size")), number(word(folder / "coherency_line_size"))};
  }
}

} // namespace tangram::c_family
