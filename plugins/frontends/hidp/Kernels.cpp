#include "Kernels.h"

#include "Fuse.h"
#include "Spell.h"
#include "Types.h"
#include "Unit.h"
#include "Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tangram::hidp {
namespace {

class Emitter {
public:
  Emitter(Program &program, const Source &source, const Mapped &mapped)
      : program_(program), source_(source), mapped_(mapped) {
    for (const Function &f : program.functions) names_.insert(f.name);
    for (const syntax::Struct *s : program.structs) names_.insert(s->name);
  }

  frontend::Rewritten run() {
    for (const syntax::Struct *s : program_.structs) structure(*s);
    for (Function &f : program_.functions) f.scalar ? scalarFunction(f) : function(f);
    frontend::Rewritten out(source_.text());
    Text includes;
    includes << "#include <algorithm>\n#include <cmath>\n#include <limits>\n#include <tangram/tangram.h>\n";
    for (const std::string &header : library_) includes << "#include <tangram/segmented/" << header << ".tg.h>\n";
    includes.addTo(out);
    head_.addTo(out);
    declared_.addTo(out);
    codelets_.addTo(out);
    return out;
  }

private:
  // ---- what is no codelet ----
  void structure(const syntax::Struct &s) {
    head_.at(s.piece) << "struct " << s.name << " {\n";
    for (const syntax::Declarator &d : s.fields) {
      const std::optional<ast::Type> type = builtinType(d.type);
      head_.at(d.piece) << (type ? spelled(*type) : d.type) << " " << d.name << ";\n";
    }
    head_.at(s.piece) << "};\n";
  }

  void scalarFunction(const Function &f) {
    Text header;
    header.at(f.namePiece) << (f.result ? spelled(f.result->type) : "void") << " " << f.name << "(";
    bool first = true;
    for (const Variable *v : f.arguments) {
      if (v == f.result) continue;
      header.at(v->piece) << (first ? "" : ", ") << spelled(v->type) << (v->flow == Flow::Input ? " " : " &")
                          << v->text;
      first = false;
    }
    header.at(f.namePiece) << ")";
    head_ << header << ";\n";
    declared_ << header << " {\n";
    if (f.result) declared_.at(f.result->piece) << spelled(f.result->type) << " " << f.result->text << "{};\n";
    spell(f.body, declared_);
    if (f.result) declared_.at(f.result->piece) << "return " << f.result->text << ";\n";
    declared_.at(f.piece) << "}\n";
  }

  // ---- spectrums ----
  std::string fresh(const std::string &wanted) {
    std::string name = wanted;
    for (unsigned i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  void function(Function &f) {
    const Stmts body = withInlinedReductions(withInlinedCalls(f.body, program_), program_);
    spectrum(unitOf(f), body);
  }

  /// The spectrum, with its codelets.
  void spectrum(const Unit &unit, const Stmts &body) {
    head_.at(unit.piece) << "__spectrum ";
    head_ << header(unit) << unit.conditions;
    head_.at(unit.piece) << ";\n";
    const Stmts together = fused(body, program_);
    if (!any(body, isCall)) {
      plain(unit, "serial", body);
      if (together.size() != body.size() || differ(body, together)) plain(unit, "fused", together);
    }
    if (composes(together)) composed(unit, together);
  }

  /// Whether fusion did anything, in a block within as well.
  static bool differ(const Stmts &a, const Stmts &b) {
    std::size_t first = 0, second = 0;
    for (const Stmt *s : a) statements(*s, [&](const Stmt &) { ++first; });
    for (const Stmt *s : b) statements(*s, [&](const Stmt &) { ++second; });
    return first != second;
  }

  void open(const Unit &unit, const std::string &qualifiers, const Stmts &body) {
    codelets_.at(unit.piece) << "__codelet " << qualifiers << " ";
    if (!unit.levels.empty()) codelets_ << fmt::format("__at({}) ", fmt::join(unit.levels, ", "));
    codelets_ << header(unit);
    codelets_.at(unit.piece) << " {\n";
    prologue(unit, body, codelets_);
  }
  void close(const Unit &unit) {
    epilogue(unit, codelets_);
    codelets_.at(unit.piece) << "}\n";
  }

  void plain(const Unit &unit, const std::string &tag, const Stmts &body) {
    open(unit, fmt::format("__tag({})", tag), body);
    spell(body, codelets_);
    close(unit);
  }

  bool isMapped(const Stmt &s) const {
    return isNest(s) &&
           (!s.levels.empty() || any(s.body, isCall) || std::any_of(s.loops.begin(), s.loops.end(), [&](const Loop &l) {
             return mapped_.count({s.piece.begin, l.iterator->text}) != 0;
           }));
  }
  /// Whether the analysis of nests cannot read it, nor what stands in it: a loop that does not go on by a number.
  static bool isOpaque(const Stmt &s) {
    if (s.kind != Stmt::Kind::For) return s.kind == Stmt::Kind::While;
    const Expr *by = s.step->value;
    while (by->kind == Expr::Kind::Cast) by = by->args[0];
    return (s.step->op != "+=" && s.step->op != "-=") || by->kind != Expr::Kind::Literal;
  }
  /// Whether plain loops cannot say it, or nothing would divide these.
  bool composes(const Stmts &stmts) const {
    return any(stmts, [&](const Stmt &s) { return isCall(s) || isMapped(s) || (isOpaque(s) && any(s.body, isNest)); });
  }

  // ---- calls and maps around loops ----

  /// What is done for one codelet: units that it needs are made meanwhile, into texts of their own.
  struct Composition {
    const Unit *unit = nullptr;
    Text text;
    bool maps = false;
  };

  void composed(const Unit &unit, const Stmts &body) {
    Composition c{&unit, {}};
    compose(body, c);
    // Each iteration of a map block is independent of the others: the language says so.
    open(unit, c.maps ? "__independent __tag(composed)" : "__tag(composed)", body);
    codelets_ << c.text;
    close(unit);
  }

  static bool uses(const Stmts &stmts, const Variable *v) {
    bool found = false;
    hidp::uses(stmts, [&](const Expr &e, Use) { found |= e.variable == v; });
    return found;
  }

  void compose(const Stmts &stmts, Composition &c) {
    Stmts run; // loops that follow each other, of which the last alone may give a scalar
    auto flush = [&] {
      if (!run.empty()) loops(run, c);
      run.clear();
    };
    for (const Stmt *s : stmts) {
      const std::vector<const Variable *> given = assigned(*s);
      if (!isLoop(*s) || isMapped(*s) || composes({s}) || given.size() > 1) {
        flush();
        statement(*s, c);
        continue;
      }
      run.push_back(s);
      if (!given.empty()) flush();
    }
    flush();
  }

  static bool isLoop(const Stmt &s) { return isNest(s) || s.kind == Stmt::Kind::For || s.kind == Stmt::Kind::While; }

  /// Scalars around a statement that it changes.
  static std::vector<const Variable *> assigned(const Stmt &s) {
    const std::vector<const Variable *> own = declaredIn({&s});
    std::vector<const Variable *> result;
    hidp::uses(s, [&](const Expr &e, Use use) {
      if (use == Use::Read || e.variable->kind != Variable::Kind::Scalar) return;
      auto in = [&](const auto &known) { return std::find(known.begin(), known.end(), e.variable) != known.end(); };
      if (!in(own) && !in(result)) result.push_back(e.variable);
    });
    return result;
  }

  /// Loops in a spectrum of their own, which the codelet calls.
  void loops(const Stmts &run, Composition &c) {
    const Piece piece = spanning(run.front()->piece, run.back()->piece);
    Unit unit = unitOf(fresh(c.unit->name + "_loops"), piece, run, {});
    if (const std::vector<const Variable *> given = assigned(*run.back()); !given.empty()) {
      // One that a reduction sets is not read before.
      bool read = false;
      hidp::uses(run, [&](const Expr &e, Use use) { read |= e.variable == given[0] && use != Use::Write; });
      if (!read) std::erase_if(unit.parameters, [&](const auto &p) { return p.first == given[0]; });
      unit.returned = given[0];
      unit.result = given[0]->type;
      c.text.at(piece) << given[0]->text << " = ";
    }
    call(unit, piece, c.text);
    c.text << ";\n";
    spectrum(unit, run);
  }

  static void call(const Unit &unit, Piece piece, Text &out) {
    out.at(piece) << unit.name << "(";
    bool first = true;
    for (const auto &[v, _] : unit.parameters) {
      out << (first ? "" : ", ") << v->text;
      first = false;
    }
    out << ")";
  }

  void statement(const Stmt &s, Composition &c) {
    Text &out = c.text;
    out.at(s.piece);
    switch (s.kind) {
    case Stmt::Kind::Declare:
    case Stmt::Kind::Assign: return spell(Stmts{&s}, out);
    case Stmt::Kind::Nest: return isMapped(s) ? map(s, c) : nest(s, c);
    case Stmt::Kind::If:
      if (s.value->kind != Expr::Kind::Literal || !s.otherwise.empty()) {
        out << "if (";
        spell(s.value, out);
        out.at(s.piece) << ") ";
      }
      out << "{\n";
      compose(s.body, c);
      out.at(s.piece) << "}\n";
      if (s.otherwise.empty()) return;
      out << "else {\n";
      compose(s.otherwise, c);
      out.at(s.piece) << "}\n";
      return;
    case Stmt::Kind::While:
      out << "while (";
      spell(s.value, out);
      out.at(s.piece) << ") {\n";
      compose(s.body, c);
      out.at(s.piece) << "}\n";
      return;
    case Stmt::Kind::For: {
      out << "for (";
      spellSimple(*s.init, out);
      out.at(s.piece) << "; ";
      spell(s.value, out);
      out.at(s.piece) << "; ";
      spellSimple(*s.step, out);
      out.at(s.piece) << ") {\n";
      compose(s.body, c);
      out.at(s.piece) << "}\n";
      return;
    }
    case Stmt::Kind::Call: return s.callee->scalar ? spell(Stmts{&s}, out) : call(s, out);
    case Stmt::Kind::Primitive: return primitive(s, out);
    }
  }

  /// A nest that stays as loops around what composes: of one that is mapped elsewhere.
  void nest(const Stmt &s, Composition &c) {
    Stmt as = s;
    map(as, c);
  }

  /// map(f, range(low, high), ...), a spectrum for each iterator.
  void map(const Stmt &s, Composition &c) {
    c.maps = true;
    std::vector<Unit> units;
    const std::size_t count = s.loops.size();
    std::string name = c.unit->name;
    for (std::size_t k = 0; k < count; ++k) {
      name += "_at_" + s.loops[k].iterator->name;
      Stmt inner = s;
      inner.loops.erase(inner.loops.begin(), inner.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      inner.reduction.reset();
      Stmts within = inner.loops.empty() ? s.body : Stmts{program_.make(inner)};
      if (s.reduction) { // what is returned is read, too
        Stmt returned;
        returned.kind = Stmt::Kind::If;
        returned.value = s.reduction->value;
        within.push_back(program_.make(std::move(returned)));
      }
      std::vector<const Variable *> first;
      for (std::size_t i = 0; i <= k; ++i) first.push_back(s.loops[k - i].iterator);
      Unit unit = unitOf(fresh(name), s.piece, within, first);
      // Iterators of loops further out that nothing uses are not passed on.
      std::erase_if(unit.parameters, [&](const auto &p) {
        return p.first != s.loops[k].iterator && p.first->kind == Variable::Kind::Iterator && !uses(within, p.first);
      });
      if (s.reduction) {
        unit.result = reducedType(*s.reduction);
        if (k + 1 == count) unit.returnedValue = s.reduction->value;
      }
      // One iteration of all loops is what the pragma gives to a level, whatever that is called on a machine.
      if (k + 1 == count)
        for (const std::string &level : s.levels) unit.levels.push_back("role:" + level);
      units.push_back(std::move(unit));
    }
    auto mapped = [&](std::size_t k, Text &out) {
      const Unit &unit = units[k];
      out.at(s.piece) << "map(" << unit.name << ", range<long long>(";
      spell(s.loops[k].low, out);
      out.at(s.piece) << ", ";
      spell(s.loops[k].high, out);
      out.at(s.piece) << ")";
      for (std::size_t i = 1; i < unit.parameters.size(); ++i) out << ", " << unit.parameters[i].first->text;
      out << ")";
    };
    auto reduced = [&](std::size_t k, Text &out) {
      if (s.reduction) out << reduceAll(s.reduction->op, reducedType(*s.reduction)) << "(";
      mapped(k, out);
      if (s.reduction) out << ")";
    };
    if (s.reduction) {
      spell(s.reduction->target, c.text);
      c.text << " = ";
    }
    reduced(0, c.text);
    c.text << ";\n";
    for (std::size_t k = 0; k < count; ++k) {
      if (k + 1 == count) {
        spectrum(units[k], s.body);
        continue;
      }
      Stmt inner = s;
      inner.loops.erase(inner.loops.begin(), inner.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      const Stmts within{program_.make(inner)};
      const Unit &unit = units[k];
      head_.at(unit.piece) << "__spectrum ";
      head_ << header(unit) << ";\n";
      open(unit, "__independent __tag(composed)", within);
      codelets_.at(s.piece) << (s.reduction ? "return " : "");
      reduced(k + 1, codelets_);
      codelets_ << ";\n}\n";
    }
  }

  std::string reduceAll(Reducer op, const ast::Type &type) {
    static constexpr const char *kNames[] = {"sum", "product", "least", "most"};
    library_.insert("reduce");
    return fmt::format("elements_{}<{}>", kNames[static_cast<int>(op)], spelled(type));
  }

  static void spellSimple(const Stmt &s, Text &out) {
    Text text;
    spell(Stmts{&s}, text);
    std::string plain = text.plain();
    while (!plain.empty() && (plain.back() == '\n' || plain.back() == ';')) plain.pop_back();
    out.at(s.piece) << plain;
  }

  /// Of a function of the file: a scalar that it changes is a container of one element meanwhile.
  static void call(const Stmt &s, Text &out) {
    bool cells = false;
    for (std::size_t i = 0; i < s.args.size(); ++i) cells |= s.changes[i] && s.args[i]->kind != Expr::Kind::Whole;
    if (cells) out << "{\n";
    for (std::size_t i = 0; i < s.args.size(); ++i)
      if (s.changes[i] && s.args[i]->kind != Expr::Kind::Whole) {
        out << fmt::format("Array<1, {0}> cell_{1}(1);\ncell_{1}[0] = ", spelled(s.args[i]->type), i);
        spell(s.args[i], out);
        out.at(s.piece) << ";\n";
      }
    if (s.target) {
      spell(s.target, out);
      out.at(s.piece) << " = ";
    }
    out << s.callee->name << "(";
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      if (i) out.at(s.piece) << ", ";
      if (s.changes[i] && s.args[i]->kind != Expr::Kind::Whole)
        out << fmt::format("cell_{}", i);
      else
        spell(s.args[i], out);
    }
    out.at(s.piece) << ");\n";
    for (std::size_t i = 0; i < s.args.size(); ++i)
      if (s.changes[i] && s.args[i]->kind != Expr::Kind::Whole) {
        spell(s.args[i], out);
        out.at(s.piece) << fmt::format(" = cell_{}[0];\n", i);
      }
    if (cells) out << "}\n";
  }

  /// A spectrum of the library.
  void primitive(const Stmt &s, Text &out) {
    library_.insert(s.op.starts_with("segment_sort") ? "sort" : "reduce");
    out << s.op << "(";
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      if (i) out.at(s.piece) << ", ";
      spell(s.args[i], out);
    }
    out.at(s.piece) << ");\n";
  }

  Program &program_;
  const Source &source_;
  const Mapped &mapped_;
  Text head_, declared_, codelets_;
  std::set<std::string> names_, library_;
};

} // namespace

frontend::Rewritten kernels(Program &program, const Source &source, const Mapped &mapped) {
  return Emitter(program, source, mapped).run();
}

} // namespace tangram::hidp
