#include "tangram/ast/Tables.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::ast {

namespace {

bool isNumber(const Expr *e) {
  while (isa<Cast>(e)) e = as<Cast>(e)->operand;
  if (const auto *minus = dyn<Unary>(e); minus && minus->op == UnaryOp::Minus) e = minus->operand;
  return isa<IntLit>(e) || isa<FloatLit>(e);
}

bool isTableStatement(const Stmt *s) { return isa<Declare>(s) && isTable(*as<Declare>(s)); }

} // namespace

bool isTable(const Declare &d) {
  auto numbers = [](const auto &self, const InitList &list) -> bool {
    return std::all_of(list.values.begin(), list.values.end(), [&](const Expr *value) {
      return isa<InitList>(value) ? self(self, *as<InitList>(value)) : isNumber(value);
    });
  };
  return d.isConst && !d.extents.empty() && d.type.isScalar() && !d.type.isBool() && isa<InitList>(d.init) &&
         numbers(numbers, *as<InitList>(d.init));
}

std::vector<const Declare *> constantTables(const Block &launchBody) {
  std::vector<const Declare *> tables;
  for (const Stmt *s : launchBody.stmts)
    if (isTableStatement(s)) tables.push_back(as<Declare>(s));
  return tables;
}

namespace {

/// Variables, and expressions, that may differ between workers side by side.
class Differing {
public:
  Differing(const Block &body, const std::set<std::string> &tables) : tables_(tables) {
    for (bool more = true; more;) {
      const std::size_t before = differing_.size();
      walk(
          &body, [&](const Declare &d) { note(d.name, d.init); },
          [&](const Assign &set) {
            if (const VarRef *root = rootVariable(set.target)) note(root->name, set.value);
          });
      more = differing_.size() > before;
    }
  }
  bool operator()(const Expr *e) const {
    return any<Expr>(e, [&](const Expr &part) {
      if (isa<WorkerIndex>(&part) || isa<Shuffle>(&part) || isa<Atomic>(&part)) return true;
      if (const auto *v = dyn<VarRef>(&part)) return differing_.count(v->name) != 0;
      if (const auto *element = dyn<Subscript>(&part)) {
        const VarRef *root = rootVariable(element);
        return !root || !tables_.count(root->name);
      }
      const auto *u = dyn<Unary>(&part);
      return u && u->op == UnaryOp::Deref;
    });
  }

private:
  void note(const std::string &name, const Expr *value) {
    if (value && (*this)(value)) differing_.insert(name);
  }
  const std::set<std::string> &tables_;
  std::set<std::string> differing_;
};

} // namespace

std::set<std::string> readAlike(const std::vector<const Declare *> &tables, const Block &launchBody) {
  std::set<std::string> names;
  for (const Declare *table : tables) names.insert(table->name);
  if (names.empty()) return names;
  const Differing differs(launchBody, names);
  std::set<std::string> result = names;
  walk(&launchBody, [&](const Subscript &element) {
    const VarRef *root = rootVariable(&element);
    if (root && names.count(root->name) && std::any_of(element.indices.begin(), element.indices.end(), differs))
      result.erase(root->name);
  });
  return result;
}

const Block *withoutConstantTables(Arena &arena, const Block *launchBody) {
  if (constantTables(*launchBody).empty()) return launchBody;
  return arena.derive(launchBody, [](Block &copy) { std::erase_if(copy.stmts, isTableStatement); });
}

} // namespace tangram::ast
