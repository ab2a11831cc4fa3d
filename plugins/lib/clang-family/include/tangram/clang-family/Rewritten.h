// Text that Clang reads in a file's place, which remembers where in the file each piece of it comes from: what is said
// of the text is said of the file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tangram::frontend {

class Rewritten {
public:
  explicit Rewritten(std::string original);

  /// Appends the file's bytes from `begin` to `end`, as they are.
  void copy(std::size_t begin, std::size_t end);
  /// Appends text that stands for the file's bytes from `begin` to `end`.
  void add(std::string_view text, std::size_t begin, std::size_t end);

  const std::string &text() const { return text_; }
  const std::string &original() const { return original_; }
  /// The byte of the file that a byte of the text comes from. `end`: one behind what is meant, not its first.
  std::size_t origin(std::size_t offset, bool end = false) const;
  /// Line and column of a byte of the file, from 1.
  std::pair<unsigned, unsigned> place(std::size_t origin) const;

private:
  struct Piece {
    std::size_t at = 0, size = 0, begin = 0, end = 0;
    bool verbatim = false;
  };
  std::string original_, text_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> lines_; // where each begins
};

} // namespace tangram::frontend
