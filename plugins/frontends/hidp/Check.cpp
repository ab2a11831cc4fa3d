#include "Check.h"

#include "CheckFunction.h"
#include "Math.h"
#include "Messages.h"
#include "Primitives.h"
#include "Types.h"
#include "Words.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::hidp {
namespace {

bool hasMaps(const syntax::Block &block) {
  return std::any_of(block.stmts.begin(), block.stmts.end(), [](const syntax::StmtPtr &s) {
    return s->kind == syntax::Stmt::Kind::Map || hasMaps(s->body) || (s->otherwise && hasMaps(*s->otherwise)) ||
           std::any_of(s->declarators.begin(), s->declarators.end(),
                       [](const syntax::Declarator &d) { return !d.extents.empty(); });
  });
}

class Checker {
public:
  Checker(const syntax::Program &program, const Source &source) : in_(program), source_(source) {}

  Program run() {
    for (const syntax::Struct &s : in_.structs) structure(s);
    for (const syntax::Function &f : in_.functions) signature(f);
    for (std::size_t i = 0; i < in_.functions.size(); ++i)
      checkFunction(in_.functions[i], out_.functions[i], out_, source_, globals_);
    for (const Function &f : out_.functions) recursion(f, {});
    return std::move(out_);
  }

private:
  void structure(const syntax::Struct &s) {
    if (!globals_.structs.emplace(s.name, &s).second) fail(kFunctionTwice, source_.range(s.namePiece), s.name);
    globals_.names.insert(s.name);
    for (const syntax::Declarator &d : s.fields) {
      if (!d.extents.empty()) fail(kField, source_.range(d.piece), d.name);
      const ast::Type type = typeOf(d, globals_, source_);
      if (type.isStruct() && type.name() == s.name) fail(kField, source_.range(d.piece), d.name);
    }
    out_.structs.push_back(&s);
  }

  void signature(const syntax::Function &f) {
    const ast::SourceRange where = source_.range(f.namePiece);
    if (!globals_.names.insert(f.name).second) fail(kFunctionTwice, where, f.name);
    if (isMathFunction(f.name)) fail(kReservedFunction, where, f.name, "C's library");
    if (isPrimitive(f.name)) fail(kReservedFunction, where, f.name, "a primitive");
    if (isWordOfTangram(f.name)) fail(kReservedFunction, where, f.name, "Tangram's language");
    Function &made = out_.functions.emplace_back();
    made.name = f.name;
    made.piece = f.piece;
    made.namePiece = f.namePiece;
    made.scalar = !hasMaps(f.body);
    std::vector<Variable *> outputs;
    for (const syntax::Argument &a : f.arguments) {
      const syntax::Declarator &d = a.declarator;
      Variable v = declared(d, globals_, source_);
      v.argument = true;
      v.flow = a.flow;
      made.scalar &= d.extents.empty();
      Variable *kept = &out_.variables.emplace_back(std::move(v));
      made.arguments.push_back(kept);
      if (d.extents.empty() && a.flow != Flow::Input) outputs.push_back(kept);
    }
    made.scalar &= !outputs.empty();
    if (outputs.size() == 1 && outputs[0]->flow == Flow::Output)
      made.result = outputs[0];
    else if (!made.scalar)
      for (Variable *v : outputs) v->cell = true;
    globals_.functions.emplace(f.name, &made);
  }

  void recursion(const Function &f, std::vector<const Function *> around) {
    around.push_back(&f);
    for (const Function *callee : globals_.calls[&f]) {
      auto loop = std::find(around.begin(), around.end(), callee);
      if (loop != around.end()) {
        std::string by;
        for (auto it = loop + 1; it != around.end(); ++it)
          by += fmt::format("{}'{}'", by.empty() ? "" : ", ", (*it)->name);
        fail(kRecursion, source_.range(callee->namePiece), callee->name, by.empty() ? by : ", by way of " + by);
      }
      if (!done_.count(callee)) recursion(*callee, around);
    }
    done_.insert(&f);
  }

  const syntax::Program &in_;
  const Source &source_;
  Program out_;
  Globals globals_;
  std::set<const Function *> done_;
};

} // namespace

Variable declared(const syntax::Declarator &d, const Globals &globals, const Source &source) {
  const ast::SourceRange where = source.range(d.piece);
  const bool array = !d.extents.empty(), underscore = d.name.starts_with("_");
  Variable v;
  v.kind = array ? Variable::Kind::Array : Variable::Kind::Scalar;
  v.name = d.name;
  v.type = typeOf(d, globals, source);
  v.piece = d.piece;
  v.rank = static_cast<unsigned>(d.extents.size());
  if (!array && !underscore) fail(kUnderscoreScalar, where, d.name, ", or give it extents");
  if (array && underscore) fail(kUnderscoreArray, where, d.name, d.name.substr(1));
  if (v.rank > 4) fail(kRankLimit, where, d.name, v.rank);
  return v;
}

ast::Type typeOf(const syntax::Declarator &d, const Globals &globals, const Source &source) {
  if (std::optional<ast::Type> type = builtinType(d.type)) return *type;
  if (globals.structs.count(d.type)) return ast::Type::structure(d.type);
  fail(kType, source.range(d.typePiece), d.type);
}

Program check(const syntax::Program &program, const Source &source) { return Checker(program, source).run(); }

} // namespace tangram::hidp
