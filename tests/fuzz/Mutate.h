// Changes a text: bytes, words, lines, balanced pieces. Deterministic for a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tangram::fuzz {

class Mutator {
public:
  /// `seeds`: whole valid texts; pieces of one find their way into another.
  explicit Mutator(std::vector<std::string> seeds);

  /// The case of this number: one of the seeds, changed in one to five places.
  std::string make(std::uint64_t number) const;

private:
  struct Token {
    enum class Kind : std::uint8_t { Word, Number, Space, Other } kind;
    std::size_t begin, end;
  };
  using Random = std::mt19937_64;

  static std::vector<Token> tokens(const std::string &text);
  static std::vector<std::string> words(const std::vector<std::string> &seeds);
  void change(std::string &text, Random &random) const;
  void changeBytes(std::string &text, Random &random) const;
  void changeToken(std::string &text, Random &random) const;
  void changeLine(std::string &text, Random &random) const;
  void changeGroup(std::string &text, Random &random) const;

  std::vector<std::string> seeds_, words_;
};

} // namespace tangram::fuzz
