// Sparse matrices in compressed rows: random ones, banded or with rows of very different lengths, and files of Matrix
// Market.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

struct SparseMatrix {
  std::vector<unsigned> row{0}, column;
  std::vector<double> value;
  std::size_t columns = 0;
  std::size_t rows() const { return row.size() - 1; }
};

/// A square matrix with 1 to 2 * perRow - 1 elements a row, its diagonal among them, the others at random within `band`
/// of it. A row that has fewer places has fewer elements.
inline SparseMatrix randomBanded(std::size_t rows, double perRow, std::size_t band) {
  SparseMatrix m;
  m.columns = rows;
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_real_distribution<double> element(-1, 1), many(0, 2 * perRow - 1);
  std::vector<unsigned> places;
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t first = r > band ? r - band : 0, last = std::min(rows - 1, r + band);
    std::size_t wanted = std::min<std::size_t>(1 + static_cast<std::size_t>(many(random)), last - first + 1);
    places.assign(1, static_cast<unsigned>(r));
    while (places.size() < wanted) {
      auto place = static_cast<unsigned>(first + random() % (last - first + 1));
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    std::sort(places.begin(), places.end());
    m.column.insert(m.column.end(), places.begin(), places.end());
    m.row.push_back(static_cast<unsigned>(m.column.size()));
  }
  m.value.resize(m.column.size());
  for (double &v : m.value) v = element(random);
  return m;
}

/// A square matrix whose rows have lengths by a power law: `perRow` elements on average, most fewer, some thousands of
/// times as many; anywhere in the row.
inline SparseMatrix randomSkewed(std::size_t rows, double perRow) {
  SparseMatrix m;
  m.columns = rows;
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_real_distribution<double> element(-1, 1), unit(0, 1);
  constexpr double kShape = 1.5; // of Pareto's distribution: its mean is 3 times its least value
  for (std::size_t r = 0; r < rows; ++r) {
    double wanted = perRow * (kShape - 1) / kShape * std::pow(1 - unit(random), -1 / kShape);
    auto many = std::max<std::size_t>(1, static_cast<std::size_t>(std::min(wanted, static_cast<double>(rows))));
    // One in each of as many parts of the row: in order, and none twice.
    for (std::size_t e = 0; e < many; ++e) {
      std::size_t first = e * rows / many, end = (e + 1) * rows / many;
      m.column.push_back(static_cast<unsigned>(first + random() % (end - first)));
    }
    m.row.push_back(static_cast<unsigned>(m.column.size()));
  }
  m.value.resize(m.column.size());
  for (double &v : m.value) v = element(random);
  return m;
}

/// A coordinate file of Matrix Market: real, integer or pattern (whose elements are 1); general or (skew-)symmetric.
inline SparseMatrix readMatrixMarket(const std::string &path) {
  auto wrong = [&](const std::string &why) { throw std::runtime_error(path + " " + why); };
  std::ifstream in(path);
  if (!in) wrong("cannot be read");
  std::string line, mark, object, format, field, symmetry;
  std::getline(in, line);
  std::istringstream(line) >> mark >> object >> format >> field >> symmetry;
  if (mark != "%%MatrixMarket" || object != "matrix" || format != "coordinate" ||
      (field != "real" && field != "integer" && field != "pattern") ||
      (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric"))
    wrong("is no sparse matrix of Matrix Market with real elements");
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) {
  }
  std::size_t rows = 0, columns = 0, elements = 0;
  constexpr std::size_t kMost = std::size_t(1) << 30; // positions are 32 bits wide
  if (!(std::istringstream(line) >> rows >> columns >> elements) || rows > kMost || columns > kMost || elements > kMost)
    wrong("does not say how large it is, or is too large");
  std::vector<std::tuple<unsigned, unsigned, double>> all;
  for (std::size_t e = 0; e < elements; ++e) {
    std::size_t r = 0, c = 0;
    double value = 1;
    if (!(in >> r >> c) || (field != "pattern" && !(in >> value)) || r < 1 || r > rows || c < 1 || c > columns)
      wrong("lacks element " + std::to_string(e + 1) + ", or has it outside of the matrix");
    if (symmetry != "general" && (r > columns || c > rows)) wrong("is symmetric but not square");
    all.emplace_back(r - 1, c - 1, value);
    if (symmetry != "general" && r != c) all.emplace_back(c - 1, r - 1, symmetry == "symmetric" ? value : -value);
  }
  std::sort(all.begin(), all.end());
  SparseMatrix m;
  m.columns = columns;
  m.row.assign(rows + 1, 0);
  for (auto [r, c, value] : all) {
    ++m.row[r + 1];
    m.column.push_back(c);
    m.value.push_back(value);
  }
  for (std::size_t r = 0; r < rows; ++r) m.row[r + 1] += m.row[r];
  return m;
}

} // namespace bench
