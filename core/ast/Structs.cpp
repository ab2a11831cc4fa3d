#include "tangram/ast/Structs.h"

#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace tangram::ast {

std::string Structs::Leaf::name(std::string_view separator) const {
  return fmt::format("{}", fmt::join(path, separator));
}

Structs::Structs(const Module &module) {
  for (const Struct *structure : module.structs) {
    Layout layout{structure, {}, 0, 1};
    for (const Param *field : structure->fields) {
      std::uint64_t alignment = std::max(1u, field->type.bytes());
      if (field->type.isStruct()) {
        auto inner = structs_.find(field->type.name());
        if (inner == structs_.end())
          failBug(field->range, "ast.structs", fmt::format("'{}' is of a struct that is not known", field->name));
        alignment = inner->second.alignment;
      }
      layout.bytes = (layout.bytes + alignment - 1) / alignment * alignment;
      layout.alignment = std::max(layout.alignment, alignment);
      for (const Leaf &leaf : leaves(field->type)) {
        Leaf own = leaf;
        own.path.insert(own.path.begin(), field->name);
        own.offset += layout.bytes;
        layout.leaves.push_back(std::move(own));
      }
      layout.bytes += bytes(field->type);
    }
    layout.bytes =
        std::max<std::uint64_t>(1, (layout.bytes + layout.alignment - 1) / layout.alignment * layout.alignment);
    structs_[structure->name] = std::move(layout);
  }
}

const Struct *Structs::find(const Type &type) const {
  auto found = type.isStruct() ? structs_.find(type.name()) : structs_.end();
  return found == structs_.end() ? nullptr : found->second.structure;
}

const std::vector<Structs::Leaf> &Structs::leaves(const Type &type) const {
  if (type.isStruct()) return structs_.at(type.name()).leaves;
  std::vector<Leaf> &alone = scalars_[type.text()];
  if (alone.empty()) alone = {Leaf{{}, type, 0}};
  return alone;
}

std::uint64_t Structs::bytes(const Type &type) const {
  return type.isStruct() ? structs_.at(type.name()).bytes : std::max(1u, type.bytes());
}

std::set<std::string> functionsOfStructs(const Module &module) {
  std::set<std::string> found;
  auto isOne = [&](const Function *f) {
    auto has = [](const Type &type) { return type.leaf().isStruct(); };
    return has(f->result) ||
           std::any_of(f->params.begin(), f->params.end(), [&](const Param *p) { return has(p->type); }) ||
           any<Node>(f->body, [&](const Node &n) {
             if (const auto *call = dyn<Call>(&n)) return found.count(call->callee) != 0;
             const auto *declared = dyn<Declare>(&n);
             return declared ? has(declared->type) : isa<Expr>(&n) && has(static_cast<const Expr &>(n).type);
           });
  };
  for (bool more = true; more;) { // callees may stand behind their callers
    more = false;
    for (const Function *f : module.functions)
      more |= !found.count(f->name) && isOne(f) && found.insert(f->name).second;
  }
  return found;
}

} // namespace tangram::ast
