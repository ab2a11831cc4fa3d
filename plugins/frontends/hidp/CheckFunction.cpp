#include "CheckFunction.h"

#include "FunctionChecker.h"
#include "Math.h"
#include "Messages.h"
#include "Primitives.h"
#include "Types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tangram::hidp {

using ast::Scalar;
using ast::Type;

namespace {

/// Types of scalars follow from each other: so many rounds are enough for chains that anybody writes, and each widens
/// at least one.
constexpr int kMostRounds = 64;

void mentioned(const syntax::Expr &e, std::vector<const syntax::Expr *> &names) {
  if (e.kind == syntax::Expr::Kind::Name) names.push_back(&e);
  for (const auto &a : e.args) mentioned(*a, names);
}

/// The array of A[i].x, or the name itself.
const syntax::Expr &rootOf(const syntax::Expr &e) {
  const syntax::Expr *root = &e;
  while (root->kind == syntax::Expr::Kind::Member || root->kind == syntax::Expr::Kind::Index)
    root = root->args[0].get();
  return *root;
}

/// Whether the expression reads an element of the array that `element` is of, and not this one.
bool readsOther(const Expr *e, const Expr &element) {
  return (e->variable == element.variable && !same(e, &element)) ||
         std::any_of(e->args.begin(), e->args.end(), [&](const Expr *a) { return readsOther(a, element); });
}

/// Whether the expression mentions one of these.
bool mentions(const Expr *e, const std::vector<const Variable *> &variables) {
  return std::find(variables.begin(), variables.end(), e->variable) != variables.end() ||
         std::any_of(e->args.begin(), e->args.end(), [&](const Expr *a) { return mentions(a, variables); });
}

} // namespace

// ---- the header -----------------------------------------------------------------------------------------------

void FunctionChecker::run() {
  made_.sizes.clear();
  made_.known.clear();
  // Sizes are the names of extents that nothing else has.
  std::vector<std::pair<Variable *, const syntax::Declarator *>> arrays;
  for (std::size_t i = 0; i < made_.arguments.size(); ++i) {
    auto *v = const_cast<Variable *>(made_.arguments[i]); // of the program that is being made
    v->extents.clear();
    scope_.adopt(v);
    if (v->kind == Variable::Kind::Array) arrays.emplace_back(v, &in_.arguments[i].declarator);
  }
  for (const auto &[array, d] : arrays)
    for (unsigned k = 0; k < d->extents.size(); ++k) {
      const Syntax &e = *d->extents[k];
      if (e.kind != Syntax::Kind::Name || e.text.starts_with("_") || scope_.find(e.text)) continue;
      Variable size;
      size.kind = Variable::Kind::Size;
      size.name = e.text;
      size.type = Scalar::I64;
      size.piece = e.piece;
      const Variable *kept = scope_.declare(std::move(size));
      made_.sizes.push_back(kept);
      made_.known[kept] = {array, k};
    }
  for (const auto &[array, d] : arrays)
    for (const auto &e : d->extents) array->extents.push_back(extent(*e, true));

  scope_.block = {&in_.body, scope_.level(), 0, nullptr};
  made_.body = block(in_.body);
}

/// Of sizes, integers and integer input scalars.
const Expr *FunctionChecker::extent(const Syntax &e, bool declares) {
  std::vector<const Syntax *> names;
  mentioned(e, names);
  for (const Syntax *n : names) {
    const Variable *v = scope_.find(n->text);
    if (!v) {
      if (declares && !n->text.starts_with("_")) fail(kSizeUnknown, at(n->piece), n->text);
      scope_.unknown(n->text, n->piece);
    }
    const bool fixed =
        v->kind == Variable::Kind::Size || (v->kind == Variable::Kind::Scalar && v->argument && v->flow == Flow::Input);
    if (!fixed) fail(kExtent, at(n->piece), fmt::format("'{}'", n->text));
  }
  return wide(e, "an extent");
}

// ---- statements -----------------------------------------------------------------------------------------------

Stmts FunctionChecker::block(const syntax::Block &b) {
  Stmts hoisted;
  scope_.block.hoisted = &hoisted;
  Stmts body = statements(b);
  hoisted.insert(hoisted.end(), body.begin(), body.end());
  return hoisted;
}

Stmts FunctionChecker::statements(const syntax::Block &b) {
  Stmts out;
  for (const syntax::StmtPtr &s : b.stmts) statement(*s, out, scope_.level() == scope_.block.level);
  return out;
}

void FunctionChecker::statement(const syntax::Stmt &s, Stmts &out, bool direct) {
  switch (s.kind) {
  case syntax::Stmt::Kind::Declare: return declare(s, out);
  case syntax::Stmt::Kind::Assign: return assign(s, out, direct);
  case syntax::Stmt::Kind::Map: return map(s, out);
  case syntax::Stmt::Kind::Call: return callStatement(s, out);
  case syntax::Stmt::Kind::Block: {
    const Scope::Inner inner(scope_);
    Stmt made;
    made.kind = Stmt::Kind::If; // a block of its own: what is declared in it ends with it
    made.value = make(Expr::Kind::Literal, "true", Scalar::Bool, s.piece, {});
    made.body = statements(s.body);
    out.push_back(statementAt(s.piece, std::move(made)));
    return;
  }
  case syntax::Stmt::Kind::If: {
    Stmt made;
    made.kind = Stmt::Kind::If;
    made.value = condition(*s.value);
    {
      const Scope::Inner inner(scope_);
      made.body = statements(s.body);
    }
    if (s.otherwise) {
      const Scope::Inner inner(scope_);
      made.otherwise = statements(*s.otherwise);
    }
    out.push_back(statementAt(s.piece, std::move(made)));
    return;
  }
  case syntax::Stmt::Kind::While: {
    Stmt made;
    made.kind = Stmt::Kind::While;
    made.value = condition(*s.value);
    const Scope::Inner inner(scope_);
    made.body = statements(s.body);
    out.push_back(statementAt(s.piece, std::move(made)));
    return;
  }
  case syntax::Stmt::Kind::For: {
    const Scope::Inner inner(scope_);
    Stmt made;
    made.kind = Stmt::Kind::For;
    Stmts init, step;
    statement(*s.init, init, false);
    made.value = condition(*s.value);
    statement(*s.step, step, false);
    if (init.size() != 1 || step.size() != 1 ||
        (init[0]->kind != Stmt::Kind::Declare && init[0]->kind != Stmt::Kind::Assign) ||
        step[0]->kind != Stmt::Kind::Assign)
      fail(kFor, at(spanning(s.init->piece, s.step->piece)));
    made.init = init[0];
    made.step = step[0];
    made.body = statements(s.body);
    out.push_back(statementAt(s.piece, std::move(made)));
    return;
  }
  }
}

void FunctionChecker::declare(const syntax::Stmt &s, Stmts &out) {
  for (const syntax::Declarator &d : s.declarators) {
    Variable v = declared(d, globals_, source_);
    v.flow = Flow::InOut;
    v.depth = scope_.block.depth;
    for (const auto &e : d.extents) {
      v.extents.push_back(extent(*e, false));
      if (v.depth > 0 && v.extents.back()->kind != Expr::Kind::Literal) fail(kPrivateExtent, at(e->piece), d.name);
    }
    Stmt made;
    made.kind = Stmt::Kind::Declare;
    if (d.init) {
      if (!d.extents.empty()) fail(kArrayInit, at(d.init->piece), d.name);
      made.value = converted(expr(*d.init), v.type, d.init->piece);
    }
    made.variable = scope_.declare(std::move(v));
    out.push_back(statementAt(d.piece, std::move(made)));
  }
}

void FunctionChecker::checkWritable(const Variable *v, Piece piece) const {
  if (v->kind == Variable::Kind::Size || v->kind == Variable::Kind::Iterator)
    fail(kNotPlace, at(piece),
         fmt::format("'{}', {},", v->name, v->kind == Variable::Kind::Size ? "a size" : "an iterator"));
  if (v->argument && v->flow == Flow::Input) fail(kInputWritten, at(piece), v->name);
  if (v->kind == Variable::Kind::Scalar && v->depth != scope_.block.depth) fail(kOuterScalar, at(piece), v->name);
}

/// A scalar that is assigned; one that there is not is declared by that. Null where the name is no scalar's.
const Variable *FunctionChecker::scalarPlace(const Syntax &e) {
  if (const Variable *v = scope_.find(e.text)) return v->kind == Variable::Kind::Scalar ? v : nullptr;
  if (scope_.arrayBehind(e.text)) return nullptr;
  if (!e.text.starts_with("_")) {
    // A near miss of something that there is, or a scalar without its underscore.
    if (scope_.find("_" + e.text)) scope_.unknown(e.text, e.piece);
    fail(kNewScalar, at(e.piece), e.text);
  }
  return nullptr;
}

/// The type of a scalar that is declared by what is assigned to it: what that has in common.
Type FunctionChecker::inferred(const std::pair<const void *, std::string> &scalar, const Type &assigned,
                               const Syntax &e) {
  Type &type = inferred_.types.try_emplace(scalar, assigned).first->second;
  if (type == assigned) return type;
  const Type joined = common(type, assigned);
  if (joined.isVoid()) fail(kConvert, at(e.piece), e.text, spelled(assigned), spelled(type));
  if (joined != type) {
    type = joined;
    inferred_.changed = true;
  }
  return type;
}

/// What is assigned. `out`: where a scalar that there is not yet is declared, with `value` where that is its first.
const Expr *FunctionChecker::place(const Syntax &e, const Type *assigned, bool direct, Stmts *out, const Expr *value) {
  if (e.kind == Syntax::Kind::Name) {
    const Variable *v = scalarPlace(e);
    const bool fresh = !v && !scope_.find(e.text) && !scope_.arrayBehind(e.text);
    if (fresh) {
      const Type type = inferred({scope_.block.key, e.text}, *assigned, e);
      Variable made;
      made.name = e.text;
      made.type = type;
      made.piece = e.piece;
      made.flow = Flow::InOut;
      made.depth = scope_.block.depth;
      made.implicit = true;
      Variable *kept = scope_.declare(std::move(made), scope_.block.level);
      Stmt declaration;
      declaration.kind = Stmt::Kind::Declare;
      declaration.variable = kept;
      if (direct && value) {
        declaration.value = converted(value, kept->type, value->piece);
        out->push_back(statementAt(e.piece, std::move(declaration)));
        return nullptr; // done with it
      }
      scope_.block.hoisted->push_back(statementAt(e.piece, std::move(declaration)));
      return reference(kept, e.piece);
    }
    if (v) {
      checkWritable(v, e.piece);
      if (v->implicit && assigned) inferred({scope_.block.key, v->name}, *assigned, e);
      return reference(v, e.piece);
    }
  }
  const Syntax &root = rootOf(e);
  if (root.kind != Syntax::Kind::Name) fail(kNotPlace, at(e.piece), fmt::format("'{}'", shown(written(e.piece))));
  const Expr *made = expr(e);
  const Expr *base = made;
  while (base->kind == Expr::Kind::Member) base = base->args[0];
  if (!base->variable) fail(kNotPlace, at(e.piece), fmt::format("'{}'", shown(written(e.piece))));
  checkWritable(base->variable, root.piece);
  return made;
}

const Function *FunctionChecker::function(const Syntax &call) const {
  auto found = globals_.functions.find(call.text);
  return found == globals_.functions.end() ? nullptr : found->second;
}

bool FunctionChecker::isArray(const Syntax &e) const {
  if (e.kind != Syntax::Kind::Name) return false;
  const Variable *v = scope_.find(e.text);
  return v && v->kind == Variable::Kind::Array;
}

void FunctionChecker::assign(const syntax::Stmt &s, Stmts &out, bool direct) {
  const Syntax &target = *s.target;
  const bool all = isArray(target) && scope_.iterators.empty();
  if (target.kind == Syntax::Kind::Name && !target.text.starts_with("_")) scalarPlace(target);
  if (s.value->kind == Syntax::Kind::Call && s.op == "=") {
    if (primitive(*s.value, &target, out, direct)) return;
    const Function *callee = function(*s.value);
    if (callee && !callee->scalar) {
      if (!callee->result || s.value->args.size() + 1 != callee->arguments.size())
        fail(kNoValue, at(s.value->piece), callee->name,
             callee->result ? "it is given its output, too" : "it has not exactly one output scalar", callee->name);
      const Type type = callee->result->type;
      const Expr *to = place(target, &type, false, &out, nullptr);
      return functionCall(*s.value, *callee, to, out);
    }
  }
  if (all) return elementwise(s, scope_.find(target.text), out);
  const Expr *value = expr(*s.value);
  const bool plain = s.op == "=";
  const Type *type = &value->type;
  if (!plain && target.kind == Syntax::Kind::Name && !scope_.find(target.text) && !scope_.arrayBehind(target.text))
    scope_.unknown(target.text, target.piece); // reads it
  const Expr *to = place(target, type, direct && plain, &out, value);
  if (!to) return;
  if (!plain) {
    static constexpr std::string_view kIntegers[] = {"%=", "&=", "|=", "^=", "<<=", ">>="};
    if (std::find(std::begin(kIntegers), std::end(kIntegers), s.op) != std::end(kIntegers))
      for (const Expr *x : {to, value})
        if (!x->type.isInteger()) fail(kOperand, at(x->piece), s.op, spelled(x->type), "it is for integers");
    for (const Expr *x : {to, value})
      if (!x->type.isScalar()) fail(kOperand, at(x->piece), s.op, spelled(x->type), "it is for numbers");
  } else if (to->type != value->type && (!to->type.isScalar() || !value->type.isScalar())) {
    fail(kConvert, at(value->piece), written(value->piece), spelled(value->type), spelled(to->type));
  }
  Stmt made;
  made.kind = Stmt::Kind::Assign;
  made.op = s.op;
  made.target = to;
  made.value = value;
  out.push_back(statementAt(s.piece, std::move(made)));
}

/// All elements of an array: loops over its extents.
void FunctionChecker::elementwise(const syntax::Stmt &s, const Variable *array, Stmts &out) {
  checkWritable(array, s.target->piece);
  const Scope::Inner inner(scope_);
  Elementwise around{array, {}};
  Stmt nest;
  nest.kind = Stmt::Kind::Nest;
  static constexpr const char *kNames[] = {"i", "j", "k", "l"};
  for (std::size_t d = 0; d < array->extents.size(); ++d) {
    Variable v;
    v.kind = Variable::Kind::Iterator;
    v.name = scope_.fresh(kNames[d]);
    v.type = Scalar::I64;
    v.piece = s.piece;
    const Variable *iterator = scope_.declare(std::move(v));
    around.iterators.push_back(iterator);
    nest.loops.push_back({iterator, make(Expr::Kind::Literal, "0", Scalar::I64, s.piece, {}), array->extents[d]});
  }
  elementwise_ = around;
  Stmt made;
  made.kind = Stmt::Kind::Assign;
  made.op = s.op;
  made.target = expr(*s.target);
  made.value = expr(*s.value);
  elementwise_.reset();
  // Which of its values would that be: before or after?
  if (readsOther(made.value, *made.target)) fail(kNoShape, at(s.piece), array->name);
  if (made.target->type != made.value->type && (!made.target->type.isScalar() || !made.value->type.isScalar()))
    fail(kConvert, at(s.value->piece), written(s.value->piece), spelled(made.value->type), spelled(made.target->type));
  if (made.op != "=" && !made.target->type.isScalar())
    fail(kOperand, at(s.piece), made.op, spelled(made.target->type), "it is for numbers");
  nest.body.push_back(statementAt(s.piece, std::move(made)));
  out.push_back(statementAt(s.piece, std::move(nest)));
}

Reducer FunctionChecker::reducer(const std::string &op, Piece piece) const {
  if (op == "+") return Reducer::Add;
  if (op == "*") return Reducer::Mul;
  if (op == "min") return Reducer::Min;
  if (op == "max") return Reducer::Max;
  fail(kReducer, at(piece), shown(op));
}

void FunctionChecker::map(const syntax::Stmt &s, Stmts &out) {
  const Scope::BlockOf outer = scope_.block;
  const std::size_t outerIterators = scope_.iterators.size();
  Stmt inner, around;
  inner.kind = around.kind = Stmt::Kind::Nest;
  for (const auto &[level, piece] : s.levels) around.levels.push_back(level);
  std::vector<const Variable *> starred;
  std::vector<std::pair<Loop, const syntax::Iterator *>> loops;
  {
    const Scope::Inner level(scope_);
    for (const syntax::Iterator &it : s.iterators) {
      Loop loop;
      loop.low = wide(*it.low, "an end of a range");
      if (!it.lowIncluded) loop.low = oneMore(loop.low);
      loop.high = wide(*it.high, "an end of a range");
      if (it.highIncluded) loop.high = oneMore(loop.high);
      Variable v;
      v.kind = Variable::Kind::Iterator;
      v.name = it.name;
      v.type = Scalar::I64;
      v.piece = it.namePiece;
      if (it.name.starts_with("_")) fail(kUnderscoreIterator, at(it.namePiece), it.name);
      loop.iterator = scope_.declare(std::move(v));
      scope_.iterators.push_back(loop.iterator);
      loops.emplace_back(loop, &it);
    }
    if (s.suffix)
      for (const auto &[name, piece] : s.suffix->starred) {
        auto found =
            std::find_if(loops.begin(), loops.end(), [&](const auto &l) { return l.first.iterator->name == name; });
        if (found == loops.end()) {
          std::vector<std::string> names;
          for (const auto &[l, _] : loops) names.push_back(l.iterator->name);
          fail(kSuffixIterator, at(piece), name, suggest(name, names));
        }
        starred.push_back(found->first.iterator);
      }
    for (const auto &[loop, it] : loops) {
      const bool reduced = std::find(starred.begin(), starred.end(), loop.iterator) != starred.end();
      if (reduced) {
        inner.loops.push_back(loop);
        continue;
      }
      for (const Variable *v : starred)
        if (mentions(loop.low, {v}) || mentions(loop.high, {v}))
          fail(kRangeOrder, at(it->piece), loop.iterator->name, v->name);
      (starred.empty() ? inner : around).loops.push_back(loop);
    }
    scope_.block = {&s, scope_.level(), outer.depth + 1, nullptr};
    inner.body = block(s.body);
    if (s.suffix) {
      const Expr *value = expr(*s.suffix->input);
      if (!value->type.isScalar())
        fail(kConvert, at(value->piece), written(value->piece), spelled(value->type), "a number");
      inner.reduction = Reduction{reducer(s.suffix->op, s.suffix->opPiece), nullptr, value, s.suffix->piece};
    }
    scope_.block = outer;
    scope_.iterators.resize(outerIterators);
  }
  if (outer.depth == 0) {
    out.insert(out.end(), inFront_.begin(), inFront_.end());
    inFront_.clear();
  }
  if (!s.suffix) {
    inner.levels = around.levels;
    out.push_back(statementAt(s.piece, std::move(inner)));
    return;
  }
  const Type type = promoted(inner.reduction->value->type);
  {
    const Scope::Inner level(scope_);
    for (const Loop &loop : around.loops) {
      scope_.bring(loop.iterator);
      scope_.iterators.push_back(loop.iterator);
    }
    const Syntax &output = *s.suffix->output;
    const Syntax &root = rootOf(output);
    if (root.kind == Syntax::Kind::Name && !scope_.find(root.text)) // an iterator that is reduced is none here
      for (const Variable *v : starred)
        if (v->name == root.text) fail(kSuffixOutput, at(output.piece), root.text);
    std::vector<const Syntax *> names;
    mentioned(output, names);
    for (const Syntax *n : names)
      for (const Variable *v : starred)
        if (v->name == n->text) fail(kSuffixOutput, at(n->piece), n->text);
    const std::string &name = root.text;
    const Variable *there = scope_.find(name);
    if (!around.loops.empty() && output.kind == Syntax::Kind::Name &&
        (there ? there->kind == Variable::Kind::Scalar : !scope_.arrayBehind(name)))
      fail(kSuffixMany, at(output.piece), name, around.loops[0].iterator->name);
    scope_.block = outer;
    inner.reduction->target = place(output, &type, false, &out, nullptr);
    scope_.iterators.resize(outerIterators);
  }
  if (around.loops.empty()) {
    inner.levels = around.levels;
    out.push_back(statementAt(s.piece, std::move(inner)));
    return;
  }
  around.body.push_back(statementAt(s.piece, std::move(inner)));
  out.push_back(statementAt(s.piece, std::move(around)));
}

// ---- calls ----------------------------------------------------------------------------------------------------

void FunctionChecker::callStatement(const syntax::Stmt &s, Stmts &out) {
  const Syntax &call = *s.value;
  if (primitive(call, nullptr, out, false)) return;
  const Function *callee = function(call);
  if (!callee) {
    std::vector<std::string> known = primitiveNames();
    for (const auto &[n, _] : globals_.functions) known.push_back(n);
    fail(kNoFunction, at(call.piece), call.text, isMathFunction(call.text) ? " without a result" : "",
         isMathFunction(call.text)           ? "assign its value: _x = " + call.text + "(...);"
         : nearest(call.text, known).empty() ? "define it: function " + call.text + ", its arguments, its statements"
                                             : "write " + suggest(call.text, known));
  }
  functionCall(call, *callee, nullptr, out);
}

const Expr *FunctionChecker::whole(const Syntax &e, const std::string &callee) {
  if (!isArray(e)) {
    if (e.kind == Syntax::Kind::Name && !scope_.find(e.text)) scope_.unknown(e.text, e.piece);
    fail(kNeedsArray, at(e.piece), written(e.piece), callee);
  }
  Expr made;
  made.kind = Expr::Kind::Whole;
  made.variable = scope_.find(e.text);
  made.type = made.variable->type;
  made.piece = e.piece;
  return program_.make(std::move(made));
}

void FunctionChecker::functionCall(const Syntax &call, const Function &callee, const Expr *target, Stmts &out) {
  globals_.calls[&made_].insert(&callee);
  const bool value = target != nullptr;
  const std::size_t wanted = callee.arguments.size() - (value ? 1 : 0);
  if (call.args.size() != wanted)
    fail(kArguments, at(call.piece), callee.name, fmt::format("{} argument{}", wanted, wanted == 1 ? "" : "s"),
         fmt::format("{}", call.args.size()), "pass what its header declares, in that order");
  Stmt made;
  made.kind = Stmt::Kind::Call;
  made.callee = &callee;
  made.target = target;
  std::size_t next = 0;
  for (const Variable *parameter : callee.arguments) {
    if (value && parameter == callee.result) continue;
    const Syntax &given = *call.args[next++];
    if (parameter->kind == Variable::Kind::Array) {
      const Expr *array = whole(given, fmt::format("argument '{}' of '{}'", parameter->name, callee.name));
      const Variable &v = *array->variable;
      if (v.type != parameter->type || v.rank != parameter->rank)
        fail(kPassed, at(given.piece), v.name, fmt::format("{} of '{}'", dimensions(v.rank), spelled(v.type)),
             fmt::format("{} of '{}'", dimensions(parameter->rank), spelled(parameter->type)));
      if (parameter->flow != Flow::Input) checkWritable(&v, given.piece);
      made.args.push_back(array);
      made.changes.push_back(parameter->flow != Flow::Input);
    } else if (parameter->flow == Flow::Input) {
      made.args.push_back(converted(expr(given), parameter->type, given.piece));
      made.changes.push_back(false);
    } else {
      const Expr *to = place(given, &parameter->type, false, &out, nullptr);
      if (to->type != parameter->type)
        fail(kConvert, at(given.piece), written(given.piece), spelled(to->type), spelled(parameter->type));
      if (parameter == callee.result) {
        made.target = to;
      } else {
        made.args.push_back(to);
        made.changes.push_back(true);
      }
    }
  }
  out.push_back(statementAt(call.piece, std::move(made)));
}

/// One more; of x - 1 it is x.
const Expr *FunctionChecker::oneMore(const Expr *e) {
  const Type wide = Scalar::I64;
  auto plus = [&](const Expr *base, long long n) -> const Expr * {
    if (n == 0) return base;
    const Expr *literal = make(Expr::Kind::Literal, fmt::format("{}", n < 0 ? -n : n), wide, e->piece, {});
    return make(Expr::Kind::Binary, n < 0 ? "-" : "+", wide, e->piece, {base, literal});
  };
  auto number = [](const Expr *x) -> std::optional<long long> {
    if (x->kind == Expr::Kind::Unary && x->text == "-" && x->args[0]->text == "1") return -1;
    if (x->kind != Expr::Kind::Literal || x->text.size() > 9 ||
        x->text.find_first_not_of("0123456789") != std::string::npos || (x->text.size() > 1 && x->text[0] == '0'))
      return std::nullopt;
    return std::stoll(x->text);
  };
  if (std::optional<long long> n = number(e))
    return make(Expr::Kind::Literal, fmt::format("{}", *n + 1), wide, e->piece, {});
  if (e->kind == Expr::Kind::Binary && (e->text == "+" || e->text == "-"))
    if (std::optional<long long> n = number(e->args[1])) return plus(e->args[0], (e->text == "+" ? *n : -*n) + 1);
  return plus(e, 1);
}

void checkFunction(const syntax::Function &f, Function &made, Program &program, const Source &source,
                   Globals &globals) {
  Inferred inferred;
  for (int round = 0; round < kMostRounds; ++round) {
    inferred.changed = false;
    FunctionChecker(f, made, program, source, globals, inferred).run();
    if (!inferred.changed) return;
  }
  fail(kInference, source.range(f.namePiece), f.name);
}

} // namespace tangram::hidp
