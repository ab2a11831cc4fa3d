#include "MatrixMarket.h"

#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <unistd.h>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kMostDense = 64ull << 20; // elements that a sparse matrix may have when it is made dense

constexpr DiagnosticKind kMatrixUnreadable{"matrix.unreadable", DiagnosticClass::User,
                                           "file '{1}' for parameter '{0}' cannot be read", "check the path"};
constexpr DiagnosticKind kBadFile{"matrix.bad-file", DiagnosticClass::User, "this is not a Matrix Market file: {0}",
                                  "see the format's description; the first line is %%MatrixMarket matrix ..."};
constexpr DiagnosticKind kTooSparse{"matrix.too-sparse", DiagnosticClass::Limitation,
                                    "a sparse matrix of {0} x {1} cannot be made dense: it has more than {2} elements",
                                    "give its compressed rows: row=FILE.mtx:row column=FILE.mtx:column "
                                    "value=FILE.mtx:value"};
constexpr DiagnosticKind kNotSparse{"matrix.not-sparse", DiagnosticClass::User,
                                    "this matrix is dense: it has no compressed rows",
                                    "give a file of coordinates, or pass all of it to a parameter of 2 dimensions"};
constexpr DiagnosticKind kPartRank{"matrix.part-rank", DiagnosticClass::User,
                                   "parameter '{0}' has {1} dimensions, but a part of a sparse matrix has one",
                                   "pass it to an Array<1, T>"};
constexpr DiagnosticKind kComplex{"matrix.complex", DiagnosticClass::Limitation, "complex matrices are not supported",
                                  "give its real or imaginary part"};
constexpr DiagnosticKind kMatrixRank{"matrix.wrong-rank", DiagnosticClass::User,
                                     "parameter '{0}' has {1} dimensions, but the matrix is {2} x {3}",
                                     "give a file that fits: a matrix for 2 dimensions, one row or column for 1"};
constexpr DiagnosticKind kMatrixNotInType{"matrix.not-in-type", DiagnosticClass::User,
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
    if (!in_) fail(kMatrixUnreadable, {}, param_, path.string());
  }

  Value read(MatrixPart which) {
    header();
    if (which != MatrixPart::Dense) return part(which);
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
    if (rank_ != 2) fail(kMatrixRank, here(), param_, rank_, rows, columns);
    return Value::array(element_, {rows, columns});
  }

  /// A value as it is written; 1 where only the pattern is.
  double real(const std::string &word) {
    double parsed = 1;
    if (word.empty()) return parsed;
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (error != std::errc() || end != digits.data() + digits.size()) bad(fmt::format("'{}' is not a number", word));
    return parsed;
  }

  void set(Value &value, std::uint64_t position, double number) {
    if (value.isFloating()) {
      value.setReal(position, number);
      return;
    }
    bool fits = number == std::trunc(number) && std::abs(number) < 0x1p63;
    if (fits) value.setInteger(position, static_cast<std::int64_t>(number));
    if (!fits || value.real(position) != number) fail(kMatrixNotInType, here(), param_, number, name(element_));
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
        double number = real(w[0]);
        set(value, row * columns_ + column, number);
        if (symmetric_ && row != column) set(value, column * columns_ + row, skew_ ? -number : number);
      }
    return value;
  }

  struct Entry {
    std::uint64_t row = 0, column = 0;
    double value = 0;
  };

  /// Calls `take` for each entry, and for those that a symmetric file leaves out.
  template <class F> void entries(std::uint64_t count, F take) {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::vector<std::string> w = words();
      if (w.size() != (pattern_ ? 2u : 3u)) bad(fmt::format("an entry has {} words", w.size()));
      std::uint64_t row = number(w[0]), column = number(w[1]);
      if (row < 1 || row > rows_ || column < 1 || column > columns_)
        bad(fmt::format("entry ({}, {}) is outside of {} x {}", row, column, rows_, columns_));
      double value = real(pattern_ ? "" : w[2]);
      take(Entry{row - 1, column - 1, value});
      if (symmetric_ && row != column) take(Entry{column - 1, row - 1, skew_ ? -value : value});
    }
  }

  /// The line of sizes; how many entries follow.
  std::uint64_t extents() {
    std::vector<std::string> w = words();
    if (w.size() != 3) bad("the line of sizes has not three numbers");
    rows_ = number(w[0]);
    columns_ = number(w[1]);
    if (symmetric_ && rows_ != columns_) bad("a symmetric matrix is square");
    return number(w[2]);
  }

  Value sparse() {
    std::uint64_t count = extents(), all = 0;
    if (__builtin_mul_overflow(rows_, columns_, &all) || all > kMostDense)
      fail(kTooSparse, here(), rows_, columns_, kMostDense);
    Value value = container(rows_, columns_);
    entries(count, [&](const Entry &e) { set(value, e.row * columns_ + e.column, e.value); });
    return value;
  }

  Value part(MatrixPart which) {
    if (!coordinates_) fail(kNotSparse, here());
    if (rank_ != 1) fail(kPartRank, here(), param_, rank_);
    std::vector<Entry> all;
    entries(extents(), [&](const Entry &e) { all.push_back(e); });
    if (which == MatrixPart::Row) {
      // As many rows as a file may claim would be granted at first and end in a kill.
      if (rows_ / static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) >=
          static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) / (2 * sizeof(std::uint64_t)))
        throw std::bad_alloc();
      std::vector<std::uint64_t> ends(rows_ + 1, 0);
      for (const Entry &e : all) ++ends[e.row + 1];
      Value value = Value::array(element_, {ends.size()});
      std::uint64_t end = 0;
      for (std::uint64_t i = 0; i < ends.size(); ++i) set(value, i, static_cast<double>(end += ends[i]));
      return value;
    }
    std::stable_sort(all.begin(), all.end(), [](const Entry &a, const Entry &b) {
      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    });
    Value value = Value::array(element_, {all.size()});
    for (std::uint64_t i = 0; i < all.size(); ++i)
      set(value, i, which == MatrixPart::Column ? static_cast<double>(all[i].column) : all[i].value);
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

Value readMatrixMarket(const std::filesystem::path &path, MatrixPart part, const std::string &param,
                       tangram_element element, unsigned rank) {
  return Reader(path, param, element, rank).read(part);
}

} // namespace tangram::runtime
