#include "Flattener.h"

#include "tangram/ast/Walk.h"

namespace tangram::flatten {

using namespace ast;

const Flattener::Binding &Flattener::lookup(const std::string &name, SourceRange where) const {
  auto found = scope_->bindings.find(name);
  if (found != scope_->bindings.end()) return found->second;
  // A codelet sees of its kernel only the constants that its tunables became.
  auto constant = tunables_.find(name);
  if (constant != tunables_.end()) return constant->second;
  failBug(where, "flatten", fmt::format("'{}' is not declared in the codelet", name));
}

std::string Flattener::named(const std::string &base) {
  return names_.fresh(scope_->suffix.empty() ? base : base + "_" + scope_->suffix);
}

std::string Flattener::nextSuffix(const std::string &codelet) const {
  auto copies = copies_.find(codelet), used = used_.find(codelet);
  if (copies == copies_.end() || copies->second == 1) return codelet;
  return codelet + std::to_string(used == used_.end() ? 1 : used->second + 1);
}

std::string Flattener::takeSuffix(const std::string &codelet) {
  std::string suffix = nextSuffix(codelet);
  ++used_[codelet];
  return suffix;
}

const Kernel *Flattener::run(const Kernel *kernel) {
  here_ = kernel->range;
  walk(kernel->body, [&](const Codelet &codelet) { ++copies_[codelet.name]; });

  Scope scope;
  scope.assigned = assignedVariables(kernel->body);
  for (const Param *constant : kernel->constants) {
    names_.reserve(constant->name);
    stable_.insert(constant->name);
    tunables_[constant->name] = {b().var(constant->name, constant->type), nullptr};
  }
  for (const Param *param : kernel->params) {
    names_.reserve(param->name);
    if (!param->type.isArray()) {
      scope.bindings[param->name] = {b().var(param->name, param->type), nullptr};
      if (param->access == Access::In && !scope.assigned.count(param->name)) {
        stable_.insert(param->name);
        parameters_.insert(param->name);
      }
      continue;
    }
    parameters_.insert(param->name);
    Container c;
    c.name = param->name;
    c.type = param->type;
    c.isConst = param->access == Access::In;
    const Expr *self = b().var(param->name, param->type);
    unsigned rank = param->type.rank();
    for (unsigned d = 0; d < rank; ++d) {
      const Expr *dim = rank == 1 ? nullptr : b().u64(d);
      c.sizes.push_back(arena_.make<Size>(here_, Type(Scalar::U64), self, dim));
      if (d + 1 == rank)
        c.strides.push_back(b().u64(1));
      else
        c.strides.push_back(arena_.make<Pitch>(here_, Type(Scalar::U64), self, dim));
    }
    scope.bindings[param->name] = {nullptr, std::make_shared<Container>(std::move(c))};
  }

  conditions_ = kernel->conditions;
  reached_ = b().boolean(true);
  scope_ = &scope;
  level_ = context_.target.hardware.levels.empty() ? "" : context_.target.hardware.top().name;
  Stmts body = collect([&] { statements(kernel->body->stmts); }, false);
  return arena_.derive(kernel, [&](Kernel &copy) {
    copy.conditions = conditions_;
    copy.body = arena_.make<Block>(kernel->body->range, std::move(body));
  });
}

} // namespace tangram::flatten
