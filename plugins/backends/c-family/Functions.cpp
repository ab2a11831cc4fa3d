// Functions and structures of a module.
#include "tangram/c-family/Statements.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::c_family {

using namespace ast;

std::vector<const Function *> reached(const Module &module, const std::vector<const Node *> &from) {
  std::set<std::string> names;
  std::vector<const Node *> open = from;
  while (!open.empty()) {
    const Node *next = open.back();
    open.pop_back();
    walk(next, [&](const Call &call) {
      if (!names.insert(call.callee).second) return;
      for (const Function *f : module.functions)
        if (f->name == call.callee) open.push_back(f->body);
    });
  }
  std::vector<const Function *> result;
  for (const Function *f : module.functions)
    if (names.count(f->name)) result.push_back(f);
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
