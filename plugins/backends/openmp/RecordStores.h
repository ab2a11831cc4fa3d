// Stores of lanes to the fields of one record: the red, green and blue of pixels, the fields of structs. Together they
// are whole registers.
#pragma once

#include "Fields.h"

#include <set>
#include <vector>

namespace tangram::openmp {

/// A last store of a record's fields stands for those before it.
struct RecordStores {
  std::map<const ast::VectorStore *, std::vector<const ast::VectorStore *>> records; // by the last one: all, by field
  std::set<const ast::VectorStore *> others;                                         // which it stands for
};

/// Of a kernel's body, where between the stores of a record nothing loads from what they store to, and nothing that
/// they are computed of changes. `fields`: its pointers to fields of structs.
RecordStores recordStores(const ast::Block &body, const std::map<std::string, Field> &fields, ast::Arena &arena);

} // namespace tangram::openmp
