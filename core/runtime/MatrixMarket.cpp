#include "MatrixMarket.h"

#include "tangram/diag/Diagnostic.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kMostDense = 64ull << 20; // elements that a sparse matrix may have when it is made dense

constexpr DiagnosticKind kUnreadable{"matrix.unreadable", DiagnosticClass::User,
                                     "file '{1}' for parameter '{0}' cannot be read", "check the path"};
constexpr DiagnosticKind kBadFile{"matrix.bad-file", DiagnosticClass::User, "this is not a Matrix Market file: {0}",
                                  "see the format's description; the first line is %%MatrixMarket matrix ..."};
constexpr DiagnosticKind kTooSparse{"matrix.too-sparse", DiagnosticClass::Limitation,
                                    "a sparse matrix of {0} x {1} cannot be made dense: it has more than {2} elements",
                                    "sparse arguments are not supported yet; use a smaller matrix"};
constexpr DiagnosticKind kComplex{"matrix.complex", DiagnosticClass::Limitation, "complex matrices are not supported",
                                  "give its real or imaginary part"};
constexpr DiagnosticKind kWrongRank{"matrix.wrong-rank", DiagnosticClass::User,
                                    "parameter '{0}' has {1} dimensions, but the matrix is {2} x {3}",
                                    "give a file that fits: a matrix for 2 dimensions, one row or column for 1"};
constexpr DiagnosticKind kNotInType{"matrix.not-in-type", DiagnosticClass::User,
                                    "'{1}' is no value of parameter '{0}', which is {2}",
                                    "give a file of whole numbers that the type holds"};

/// A diagnostic may outlive whoever reads the file: names are kept for good.
const std::string *keep(const std::string &name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  std::lock_guard lock(mutex);
  return &*names.insert(name).first;
}

class Reader {
public:
  Reader(const std::filesystem::path &path, std::string param, tangram_element element, unsigned rank)
      : in_(path), bytes_(sizeOf(path)), file_(keep(path.string())), param_(std::move(param)), element_(element),
        rank_(rank) {
    if (!in_) fail(kUnreadable, {}, param_, path.string());
  }

  Value read() {
    header();
    return coordinates_ ? sparse() : dense();
  }

private:
  ast::SourceRange here() const { return {file_, line_, 1, line_, 1}; }
  [[noreturn]] void bad(const std::string &what) { fail(kBadFile, here(), what); }

  /// The words of the next line that is not a comment.
  std::vector<std::string> words() {
    std::string text;
    while (std::getline(in_, text)) {
      ++line_;
      if (line_ > 1 && text.starts_with('%')) continue;
      std::istringstream stream(text);
      std::vector<std::string> result;
      for (std::string word; stream >> word;) result.push_back(word);
      if (!result.empty()) return result;
    }
    ++line_;
    bad("it ends too early");
  }

  void header() {
    std::vector<std::string> w = words();
    for (std::string &word : w)
      for (char &c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (w.size() != 5 || w[0] != "%%matrixmarket" || w[1] != "matrix") bad("the first line does not say so");
    if (w[2] != "array" && w[2] != "coordinate") bad(fmt::format("'{}' is neither array nor coordinate", w[2]));
    coordinates_ = w[2] == "coordinate";
    if (w[3] == "complex") fail(kComplex, here());
    if (w[3] != "real" && w[3] != "integer" && w[3] != "pattern" && w[3] != "double")
      bad(fmt::format("'{}' is not real, integer or pattern", w[3]));
    pattern_ = w[3] == "pattern";
    if (pattern_ && !coordinates_) bad("a dense matrix has no pattern");
    if (w[4] != "general" && w[4] != "symmetric" && w[4] != "skew-symmetric")
      bad(fmt::format("'{}' is not general, symmetric or skew-symmetric", w[4]));
    symmetric_ = w[4] != "general";
    skew_ = w[4] == "skew-symmetric";
  }

  std::uint64_t number(const std::string &word) {
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) bad(fmt::format("'{}' is not a count", word));
    return value;
  }

  Value container(std::uint64_t rows, std::uint64_t columns) {
    rows_ = rows;
    columns_ = columns;
    if (symmetric_ && rows != columns) bad("a symmetric matrix is square");
    if (rank_ == 1 && (rows == 1 || columns == 1)) return Value::array(element_, {rows * columns});
    if (rank_ != 2) fail(kWrongRank, here(), param_, rank_, rows, columns);
    return Value::array(element_, {rows, columns});
  }

  void set(Value &value, std::uint64_t row, std::uint64_t column, const std::string &word, bool negate) {
    double parsed = 1;
    if (!word.empty()) {
      std::string_view digits = word;
      if (digits.starts_with('+')) digits.remove_prefix(1);
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
      if (error != std::errc() || end != digits.data() + digits.size()) bad(fmt::format("'{}' is not a number", word));
    }
    if (negate) parsed = -parsed;
    std::uint64_t position = row * columns_ + column;
    if (value.isFloating()) {
      value.setReal(position, parsed);
      return;
    }
    bool fits = parsed == std::trunc(parsed) && std::abs(parsed) < 0x1p63;
    if (fits) value.setInteger(position, static_cast<std::int64_t>(parsed));
    if (!fits || value.real(position) != parsed) fail(kNotInType, here(), param_, word, name(element_));
  }

  Value dense() {
    std::vector<std::string> w = words();
    if (w.size() != 2) bad("the line of sizes has not two numbers");
    std::uint64_t rows = number(w[0]), columns = number(w[1]), all = 0;
    // Nothing is allocated for numbers that the file is too short to hold.
    if (__builtin_mul_overflow(rows, columns, &all) || all / (symmetric_ ? 2 : 1) > bytes_)
      bad(fmt::format("it has fewer numbers than {} x {}", rows, columns));
    Value value = container(rows, columns);
    // Column by column; of a symmetric matrix the lower triangle.
    for (std::uint64_t column = 0; column < columns_; ++column)
      for (std::uint64_t row = symmetric_ ? column + skew_ : 0; row < rows_; ++row) {
        w = words();
        if (w.size() != 1) bad("a line has more than one number");
        set(value, row, column, w[0], false);
        if (symmetric_ && row != column) set(value, column, row, w[0], skew_);
      }
    return value;
  }

  Value sparse() {
    std::vector<std::string> w = words();
    if (w.size() != 3) bad("the line of sizes has not three numbers");
    std::uint64_t rows = number(w[0]), columns = number(w[1]), entries = number(w[2]), all = 0;
    if (__builtin_mul_overflow(rows, columns, &all) || all > kMostDense)
      fail(kTooSparse, here(), rows, columns, kMostDense);
    Value value = container(rows, columns);
    for (std::uint64_t i = 0; i < entries; ++i) {
      w = words();
      if (w.size() != (pattern_ ? 2u : 3u)) bad(fmt::format("an entry has {} words", w.size()));
      std::uint64_t row = number(w[0]), column = number(w[1]);
      if (row < 1 || row > rows || column < 1 || column > columns)
        bad(fmt::format("entry ({}, {}) is outside of {} x {}", row, column, rows, columns));
      set(value, row - 1, column - 1, pattern_ ? "" : w[2], false);
      if (symmetric_ && row != column) set(value, column - 1, row - 1, pattern_ ? "" : w[2], skew_);
    }
    return value;
  }

  static std::uint64_t sizeOf(const std::filesystem::path &path) {
    std::error_code error;
    std::uint64_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
  }

  std::ifstream in_;
  std::uint64_t bytes_;
  const std::string *file_;
  std::string param_;
  tangram_element element_;
  unsigned rank_, line_ = 0;
  bool coordinates_ = false, pattern_ = false, symmetric_ = false, skew_ = false;
  std::uint64_t rows_ = 0, columns_ = 0;
};

} // namespace

Value readMatrixMarket(const std::filesystem::path &path, const std::string &param, tangram_element element,
                       unsigned rank) {
  return Reader(path, param, element, rank).read();
}

} // namespace tangram::runtime
