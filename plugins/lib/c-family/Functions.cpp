// Functions and structures of a module.
#include "tangram/c-family/Statements.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

std::vector<const Struct *> structuresWithin(const Module &module, const std::vector<Signature> &signatures) {
  std::set<std::string> arguments, used;
  for (const Signature &s : signatures)
    for (const Struct *structure : s.structs) arguments.insert(structure->name);
  auto mention = [&](const Node &n) {
    if (const auto *declared = dyn<Declare>(&n)) used.insert(declared->type.leaf().name());
    if (const auto *param = dyn<Param>(&n)) used.insert(param->type.leaf().name());
    if (const auto *alloc = dyn<Alloc>(&n)) used.insert(alloc->element.leaf().name());
    if (isa<Expr>(&n)) used.insert(static_cast<const Expr &>(n).type.leaf().name());
  };
  for (const Kernel *kernel : module.kernels) walk(kernel, mention);
  for (const Function *function : module.functions) {
    walk(function, mention);
    used.insert(function->result.leaf().name());
  }
  std::vector<const Struct *> result;
  for (const Struct *s : module.structs)
    if (!arguments.count(s->name)) result.push_back(s);
  // Of what is used, the fields too; fields stand before the structs that have them.
  for (auto it = result.rbegin(); it != result.rend(); ++it)
    if (used.count((*it)->name))
      for (const Param *field : (*it)->fields) used.insert(field->type.leaf().name());
  std::erase_if(result, [&](const Struct *s) { return !used.count(s->name); });
  return result;
}

void defineStructure(Writer &w, const Struct &s, Expressions &expressions) {
  w.open("struct " + s.name);
  for (const Param *field : s.fields) w.line(expressions.type(field->type) + " " + field->name + ";");
  w.close(";");
  w.blank();
}

void Statements::define(const Function &f, const std::string &specifiers) {
  std::string params;
  for (const Param *p : f.params) {
    bool place = p->access != Access::In && !p->type.isPointer();
    params += (params.empty() ? "" : ", ") + unused() + e_.type(p->type) +
              (place                 ? " &"
               : p->type.isPointer() ? ""
                                     : " ") +
              p->name;
  }
  w_.open(fmt::format("{} {} {}({})", specifiers, e_.type(f.result), f.name, params));
  function(f);
  w_.close();
  w_.blank();
}

} // namespace tangram::c_family
