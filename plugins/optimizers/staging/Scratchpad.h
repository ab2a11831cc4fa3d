// The scratchpad memory that a launch's own arrays leave, and what is put there.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Names.h"
#include "tangram/hardware/Launch.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram::staging {

inline constexpr std::uint64_t kSector = 32; // bytes: a part of a line that is loaded alone

class Scratchpad {
public:
  struct Array {
    std::string name; // made of this one
    ast::Type element;
    std::uint64_t elements = 0;
  };

  /// `most`: bytes of a group that may be used.
  Scratchpad(const hardware::LaunchLevels &levels, const ast::KnownValues &known, const ast::Launch &launch,
             std::uint64_t most);

  /// Elements between rows of `columns` elements such that a column of them falls into all banks.
  std::uint64_t pitch(const ast::Type &element, std::uint64_t columns) const;
  /// Names of arrays, one in each unit of `level`, for use at once; nothing where there is no room. Later calls may
  /// give the same ones again: the units' workers wait for each other before they use them.
  std::optional<std::vector<std::string>> reserve(ast::Names &names, const std::string &level,
                                                  const std::vector<Array> &wanted);
  std::vector<const ast::Stmt *> allocs(const ast::Build &b) const;

private:
  struct Placed {
    Array array;
    std::string level;
  };
  std::uint64_t bytes(const Array &array, const std::string &level) const;

  const hardware::LaunchLevels *levels_;
  std::uint64_t left_ = 0;
  bool banks_ = false;
  std::vector<Placed> placed_;
};

} // namespace tangram::staging
