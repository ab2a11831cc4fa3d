#include "tangram/ast/Tables.h"

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

const Block *withoutConstantTables(Arena &arena, const Block *launchBody) {
  if (constantTables(*launchBody).empty()) return launchBody;
  return arena.derive(launchBody, [](Block &copy) { std::erase_if(copy.stmts, isTableStatement); });
}

} // namespace tangram::ast
