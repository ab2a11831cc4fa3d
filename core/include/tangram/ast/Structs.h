// What the structs of a module are made of, laid out as C++ lays them out.
#pragma once

#include "tangram/ast/Node.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tangram::ast {

class Structs {
public:
  /// An arithmetic field; one of a struct within the struct has the names of both.
  struct Leaf {
    std::vector<std::string> path; // outermost first
    Type type;
    std::uint64_t offset = 0; // in bytes

    /// "position.x", or with another separator.
    std::string name(std::string_view separator = ".") const;
  };

  explicit Structs(const Module &module);

  bool empty() const { return structs_.empty(); }
  /// Null for what is no struct of the module.
  const Struct *find(const Type &type) const;
  /// In the order of declaration; of a scalar: one without a name.
  const std::vector<Leaf> &leaves(const Type &type) const;
  /// In memory, padding included.
  std::uint64_t bytes(const Type &type) const;

private:
  struct Layout {
    const Struct *structure = nullptr;
    std::vector<Leaf> leaves;
    std::uint64_t bytes = 0, alignment = 1;
  };
  std::map<std::string, Layout> structs_;
  mutable std::map<std::string, std::vector<Leaf>> scalars_;
};

/// Functions that have to do with structs: in their signature, their body, or what they call.
std::set<std::string> functionsOfStructs(const Module &module);

} // namespace tangram::ast
