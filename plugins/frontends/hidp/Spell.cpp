#include "Spell.h"

#include "Types.h"
#include "Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <fmt/format.h>
#include <set>

namespace tangram::hidp {

using ast::Scalar;
using ast::Type;

void spell(const Expr *e, Text &out, bool operand) {
  out.at(e->piece);
  auto open = [&] {
    if (operand) out << "(";
  };
  auto close = [&] {
    if (operand) out.at(e->piece) << ")";
  };
  switch (e->kind) {
  case Expr::Kind::Literal: out << e->text; return;
  case Expr::Kind::Variable:
  case Expr::Kind::Whole: out << e->variable->text; return;
  case Expr::Kind::Element:
    out << e->variable->text;
    for (const Expr *i : e->args) {
      out.at(e->piece) << "[";
      spell(i, out);
      out.at(e->piece) << "]";
    }
    return;
  case Expr::Kind::Unary:
    open();
    out << e->text;
    spell(e->args[0], out, true);
    close();
    return;
  case Expr::Kind::Binary:
    open();
    spell(e->args[0], out, true);
    out.at(e->piece) << " " << e->text << " ";
    spell(e->args[1], out, true);
    close();
    return;
  case Expr::Kind::Conditional:
    open();
    spell(e->args[0], out, true);
    out.at(e->piece) << " ? ";
    spell(e->args[1], out, true);
    out.at(e->piece) << " : ";
    spell(e->args[2], out, true);
    close();
    return;
  case Expr::Kind::Call:
    out << e->text << "(";
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (i) out.at(e->piece) << ", ";
      spell(e->args[i], out);
    }
    out.at(e->piece) << ")";
    return;
  case Expr::Kind::Member:
    spell(e->args[0], out, true);
    out.at(e->piece) << "." << e->text;
    return;
  case Expr::Kind::Cast:
    open();
    out << "(" << spelled(e->type) << ")";
    spell(e->args[0], out, true);
    close();
    return;
  }
}

std::string spelled(const Expr *e) {
  Text text;
  spell(e, text, true);
  return text.plain();
}

void spellLoop(const Loop &loop, Piece piece, Text &out) {
  const std::string &name = loop.iterator->text;
  out.at(piece) << "for (long long " << name << " = ";
  spell(loop.low, out);
  out.at(piece) << "; " << name << " < ";
  spell(loop.high, out, true);
  out.at(piece) << "; ++" << name << ") {\n";
}

std::string neutral(Reducer op, const Type &type) {
  const std::string limits = fmt::format("std::numeric_limits<{}>::", spelled(type));
  switch (op) {
  case Reducer::Add: return "0";
  case Reducer::Mul: return "1";
  case Reducer::Min: return limits + (type.isFloating() ? "infinity()" : "max()");
  case Reducer::Max: return (type.isFloating() ? "-" + limits + "infinity()" : limits + "lowest()");
  }
  return "0";
}

Type reducedType(const Reduction &reduction) { return promoted(reduction.value->type); }

namespace {

class Writer {
public:
  Writer(Text &out, const Stmts &all) : out_(out) {
    uses(all, [&](const Expr &e, Use) { taken_.insert(e.variable->text); });
    for (const Stmt *s : all)
      statements(*s, [&](const Stmt &x) {
        if (x.variable) taken_.insert(x.variable->text);
      });
  }

  void run(const Stmts &stmts) {
    for (const Stmt *s : stmts) statement(*s);
  }

private:
  void declare(const Stmt &s) {
    const Variable &v = *s.variable;
    if (v.kind == Variable::Kind::Array && v.depth == 0) {
      out_ << fmt::format("Array<{}, {}> {}(", v.rank, spelled(v.type), v.text);
      for (std::size_t d = 0; d < v.extents.size(); ++d) {
        if (d) out_ << ", ";
        spell(v.extents[d], out_);
      }
      out_.at(s.piece) << ")";
      return;
    }
    out_ << spelled(v.type) << " " << v.text;
    for (const Expr *e : v.extents) out_ << "[" << spelled(e) << "]";
    if (s.value) {
      out_ << " = ";
      spell(s.value, out_);
    }
  }

  void simple(const Stmt &s) {
    out_.at(s.piece);
    if (s.kind == Stmt::Kind::Declare) return declare(s);
    spell(s.target, out_);
    out_.at(s.piece) << " " << s.op << " ";
    spell(s.value, out_);
    out_.at(s.piece);
  }

  void combine(const Reduction &r, const std::string &into) {
    const Type type = reducedType(r);
    out_.at(r.piece);
    if (r.op == Reducer::Add || r.op == Reducer::Mul) {
      out_ << into << (r.op == Reducer::Add ? " += " : " *= ");
      spell(r.value, out_);
      out_.at(r.piece) << ";\n";
      return;
    }
    // It is looked at twice: what is computed has a name.
    const std::string value = into + "_of";
    out_ << fmt::format("{} {} = ", spelled(type), value);
    spell(r.value, out_);
    out_.at(r.piece) << fmt::format(";\n{0} = std::{1}<{2}>({0}, {3});\n", into, r.op == Reducer::Min ? "min" : "max",
                                    spelled(type), value);
  }

  void nest(const Stmt &s) {
    std::string sum;
    if (s.reduction) {
      const Reduction &r = *s.reduction;
      const Variable *to = r.target->variable;
      for (const Expr *e = r.target; !to; e = e->args[0]) to = e->variable;
      static constexpr const char *kNames[] = {"sum", "product", "least", "most"};
      const std::string wanted = fmt::format("{}_{}", to->text, kNames[static_cast<int>(r.op)]);
      sum = wanted;
      for (unsigned i = 2; !taken_.insert(sum).second; ++i) sum = fmt::format("{}_{}", wanted, i);
      out_.at(r.piece) << fmt::format("{} {} = {};\n", spelled(reducedType(r)), sum, neutral(r.op, reducedType(r)));
    }
    for (const Loop &l : s.loops) spellLoop(l, s.piece, out_);
    run(s.body);
    if (s.reduction) combine(*s.reduction, sum);
    for (std::size_t i = 0; i < s.loops.size(); ++i) out_.at(s.piece) << "}\n";
    if (s.reduction) {
      spell(s.reduction->target, out_);
      out_.at(s.reduction->piece) << " = " << sum << ";\n";
    }
  }

  /// Of a function of scalars.
  void call(const Stmt &s) {
    if (s.target) {
      spell(s.target, out_);
      out_.at(s.piece) << " = ";
    }
    out_ << s.callee->name << "(";
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      if (i) out_.at(s.piece) << ", ";
      spell(s.args[i], out_);
    }
    out_.at(s.piece) << ");\n";
  }

  void statement(const Stmt &s) {
    out_.at(s.piece);
    switch (s.kind) {
    case Stmt::Kind::Declare:
    case Stmt::Kind::Assign:
      simple(s);
      out_ << ";\n";
      return;
    case Stmt::Kind::Nest: return nest(s);
    case Stmt::Kind::If: {
      const bool block = s.value->kind == Expr::Kind::Literal && s.otherwise.empty();
      if (!block) {
        out_ << "if (";
        spell(s.value, out_);
        out_.at(s.piece) << ") ";
      }
      out_ << "{\n";
      run(s.body);
      out_.at(s.piece) << "}\n";
      if (s.otherwise.empty()) return;
      out_ << "else {\n";
      run(s.otherwise);
      out_.at(s.piece) << "}\n";
      return;
    }
    case Stmt::Kind::While:
      out_ << "while (";
      spell(s.value, out_);
      out_.at(s.piece) << ") {\n";
      run(s.body);
      out_.at(s.piece) << "}\n";
      return;
    case Stmt::Kind::For:
      out_ << "for (";
      simple(*s.init);
      out_.at(s.piece) << "; ";
      spell(s.value, out_);
      out_.at(s.piece) << "; ";
      simple(*s.step);
      out_.at(s.piece) << ") {\n";
      run(s.body);
      out_.at(s.piece) << "}\n";
      return;
    case Stmt::Kind::Call: return call(s);
    case Stmt::Kind::Primitive: failBug({}, "frontend 'hidp'", "a primitive is left in plain loops");
    }
  }

  Text &out_;
  std::set<std::string> taken_;
};

} // namespace

void spell(const Stmts &stmts, Text &out) { Writer(out, stmts).run(stmts); }

} // namespace tangram::hidp
