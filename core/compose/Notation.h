// Words of the dissertation's notation (chapter 5), shared by plans and rules.
#pragma once

#include "tangram/compose/Plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::words {

/// "c_a" for codelet a, "c_dot.a" where it is not a codelet of `home`.
inline std::string codelet(const std::string &spectrum, const std::string &codelet, const std::string &home) {
  return spectrum == home ? codelet : spectrum + "." + codelet;
}

inline std::string compute(const std::string &codelet, ast::Capability capability, const std::string &level) {
  std::string_view unit = capability == ast::Capability::Vector   ? "VE"
                          : capability == ast::Capability::Matrix ? "ME"
                                                                  : "SE";
  return fmt::format("compute(c_{}, {}_{})", codelet, unit, level);
}

/// The partitioning scheme of one partition of a codelet: p_c, or p_c1, p_c2, ... where it has several.
inline std::string scheme(const std::vector<const ast::Expr *> &compositions, const ast::Expr *partition,
                          const std::string &codelet) {
  std::size_t all = 0, number = 0;
  for (const ast::Expr *e : compositions) {
    if (!ast::isa<ast::Partition>(e)) continue;
    ++all;
    if (e == partition) number = all;
  }
  return all > 1 ? fmt::format("p_{}{}", codelet, number) : "p_" + codelet;
}

inline std::string regroup(const std::string &scheme, const std::string &level) {
  return fmt::format("S_{0}, regroup({1}, {0})", level, scheme);
}

} // namespace tangram::words
