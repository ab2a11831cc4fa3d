#include "Unit.h"

#include "Spell.h"
#include "Types.h"
#include "Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tangram::hidp {
namespace {

/// An extent of an argument as a condition says it: in sizes of arguments.
void spellExtent(const Expr *e, const Unit &unit, Text &out, bool operand = false) {
  switch (e->kind) {
  case Expr::Kind::Cast: return spellExtent(e->args[0], unit, out, operand);
  case Expr::Kind::Variable:
    if (auto known = unit.known.find(e->variable); known != unit.known.end())
      out << fmt::format("{}.size({})", known->second.first->text, known->second.second);
    else
      out << "(size_t)" << e->variable->text;
    return;
  case Expr::Kind::Binary:
    out << (operand ? "(" : "");
    spellExtent(e->args[0], unit, out, true);
    out << " " << e->text << " ";
    spellExtent(e->args[1], unit, out, true);
    out << (operand ? ")" : "");
    return;
  case Expr::Kind::Unary:
    out << (operand ? "(" : "") << e->text;
    spellExtent(e->args[0], unit, out, true);
    out << (operand ? ")" : "");
    return;
  default: spell(e, out, operand);
  }
}

/// Sizes that bare extents of the unit's arrays tell.
void findSizes(Unit &unit) {
  for (const auto &[v, _] : unit.parameters)
    for (unsigned d = 0; d < v->extents.size(); ++d)
      if (const Expr *e = v->extents[d]; e->kind == Expr::Kind::Variable && e->variable->kind == Variable::Kind::Size)
        unit.known.try_emplace(e->variable, v, d);
}

} // namespace

Text header(const Unit &unit) {
  Text text;
  text.at(unit.piece) << (unit.result.isVoid() ? "void" : spelled(unit.result)) << " " << unit.name << "(";
  bool first = true;
  for (const auto &[v, written] : unit.parameters) {
    text.at(v->piece) << (first ? "" : ", ");
    first = false;
    const std::string type = spelled(v->type);
    if (v->kind == Variable::Kind::Array)
      text << fmt::format("{}Array<{}, {}> {}", written ? "" : "const ", v->rank, type, v->text);
    else if (unit.entry && v->cell)
      text << fmt::format("Array<1, {}> {}", type, v->name);
    else
      text << type << " " << v->text;
  }
  text.at(unit.piece) << ")";
  return text;
}

Unit unitOf(const Function &f) {
  Unit unit;
  unit.name = f.name;
  unit.piece = f.namePiece;
  unit.entry = true;
  for (const Variable *v : f.arguments)
    if (v != f.result) unit.parameters.emplace_back(v, v->flow != Flow::Input);
  if (f.result) {
    unit.result = f.result->type;
    unit.returned = f.result;
  }
  unit.known = f.known;
  for (const Variable *v : f.arguments) {
    if (v->cell) unit.conditions.at(v->piece) << fmt::format(" __requires({}.size() == 1)", v->name);
    for (unsigned d = 0; d < v->extents.size(); ++d) {
      const Expr *e = v->extents[d];
      if (auto known = f.known.find(e->variable);
          e->variable && known != f.known.end() && known->second == std::pair(v, d))
        continue;
      unit.conditions.at(e->piece) << fmt::format(" __requires({}.size({}) == ", v->text, d);
      spellExtent(e, unit, unit.conditions);
      unit.conditions << ")";
    }
  }
  return unit;
}

std::vector<const Variable *> declaredIn(const Stmts &stmts) {
  std::vector<const Variable *> result;
  for (const Stmt *s : stmts)
    statements(*s, [&](const Stmt &x) {
      if (x.kind == Stmt::Kind::Declare) result.push_back(x.variable);
      for (const Loop &l : x.loops) result.push_back(l.iterator);
    });
  return result;
}

Unit unitOf(std::string name, Piece piece, const Stmts &stmts, const std::vector<const Variable *> &first) {
  Unit unit;
  unit.name = std::move(name);
  unit.piece = piece;
  const std::vector<const Variable *> own = declaredIn(stmts);
  std::vector<std::pair<const Variable *, bool>> used;
  uses(stmts, [&](const Expr &e, Use use) {
    if (std::find(own.begin(), own.end(), e.variable) != own.end()) return;
    auto found = std::find_if(used.begin(), used.end(), [&](const auto &u) { return u.first == e.variable; });
    if (found == used.end()) found = used.emplace(used.end(), e.variable, false);
    found->second |= use != Use::Read;
  });
  for (const Variable *v : first) {
    std::erase_if(used, [&](const auto &u) { return u.first == v; });
    unit.parameters.emplace_back(v, false);
  }
  for (const auto &u : used)
    if (u.first->kind == Variable::Kind::Array) unit.parameters.push_back(u);
  findSizes(unit);
  for (const auto &u : used)
    if (u.first->kind != Variable::Kind::Array && !unit.known.count(u.first)) unit.parameters.push_back(u);
  return unit;
}

void prologue(const Unit &unit, const Stmts &body, Text &out) {
  std::set<const Variable *> needed, given;
  Stmt returned;
  returned.value = unit.returnedValue;
  for (const Stmts &stmts : {body, Stmts{&returned}})
    uses(stmts, [&](const Expr &e, Use) { needed.insert(e.variable); });
  for (const auto &[v, _] : unit.parameters) given.insert(v);
  for (const auto &[size, where] : unit.known)
    if (needed.count(size) && !given.count(size))
      out.at(size->piece) << fmt::format("const long long {} = {}.size({});\n", size->text, where.first->text,
                                         where.second);
  for (const auto &[v, _] : unit.parameters)
    if (unit.entry && v->cell) out.at(v->piece) << fmt::format("{} {} = {}[0];\n", spelled(v->type), v->text, v->name);
  if (unit.returned && !given.count(unit.returned))
    out.at(unit.returned->piece) << spelled(unit.result) << " " << unit.returned->text << "{};\n";
}

void epilogue(const Unit &unit, Text &out) {
  for (const auto &[v, _] : unit.parameters)
    if (unit.entry && v->cell) out.at(v->piece) << fmt::format("{}[0] = {};\n", v->name, v->text);
  if (unit.returned) out.at(unit.returned->piece) << "return " << unit.returned->text << ";\n";
  if (unit.returnedValue) {
    out.at(unit.returnedValue->piece) << "return ";
    spell(unit.returnedValue, out);
    out.at(unit.returnedValue->piece) << ";\n";
  }
}

} // namespace tangram::hidp
