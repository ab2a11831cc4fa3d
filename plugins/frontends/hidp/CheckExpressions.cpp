#include "FunctionChecker.h"
#include "Math.h"
#include "Messages.h"
#include "Types.h"
#include "Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tangram::hidp {

using ast::Scalar;
using ast::Type;

std::string dimensions(std::size_t n) { return fmt::format("{} dimension{}", n, n == 1 ? "" : "s"); }

namespace {

/// [i][j], of as many as there are dimensions.
std::string brackets(const Variable &array) {
  std::string result;
  for (std::size_t i = 0; i < array.extents.size(); ++i) result += fmt::format("[{}]", "ijkl"[i % 4]);
  return result;
}

} // namespace

const Expr *FunctionChecker::make(Expr::Kind kind, std::string text, Type type, Piece piece,
                                  std::vector<const Expr *> args) {
  Expr e;
  e.kind = kind;
  e.text = std::move(text);
  e.type = std::move(type);
  e.piece = piece;
  e.args = std::move(args);
  return program_.make(std::move(e));
}

const Expr *FunctionChecker::reference(const Variable *v, Piece piece) { return hidp::reference(v, piece, program_); }

const Expr *FunctionChecker::indexed(const Variable *array, std::vector<const Expr *> indices, Piece piece) {
  Expr e;
  e.kind = Expr::Kind::Element;
  e.type = array->type;
  e.piece = piece;
  e.variable = array;
  e.args = std::move(indices);
  return program_.make(std::move(e));
}

const Expr *FunctionChecker::expr(const Syntax &e) {
  switch (e.kind) {
  case Syntax::Kind::Number: return number(e);
  case Syntax::Kind::Name: return name(e);
  case Syntax::Kind::Unary: return unary(e);
  case Syntax::Kind::Binary: return binary(e);
  case Syntax::Kind::Conditional: return conditional(e);
  case Syntax::Kind::Index: return index(e);
  case Syntax::Kind::Call: return call(e);
  case Syntax::Kind::Member: return member(e);
  case Syntax::Kind::Cast: return cast(e);
  case Syntax::Kind::Operator: break;
  }
  fail(kText, at(e.piece), shown(e.text));
}

const Expr *FunctionChecker::number(const Syntax &e) {
  std::optional<Type> type = literalType(e.text);
  if (!type) fail(kNumber, at(e.piece), shown(e.text));
  return make(Expr::Kind::Literal, e.text, *type, e.piece, {});
}

const Expr *FunctionChecker::name(const Syntax &e) {
  if (const Variable *v = scope_.find(e.text))
    return v->kind == Variable::Kind::Array ? element(v, e) : reference(v, e.piece);
  if (const Variable *array = scope_.arrayBehind(e.text)) return element(array, e);
  scope_.unknown(e.text, e.piece);
}

/// An array without indices: the element that the iterators around say.
const Expr *FunctionChecker::element(const Variable *array, const Syntax &e) {
  const std::vector<const Variable *> &iterators = elementwise_ ? elementwise_->iterators : scope_.iterators;
  const std::size_t rank = array->extents.size();
  if (elementwise_) {
    if (e.text.starts_with("_")) fail(kElementOutside, at(e.piece), e.text, array->name, brackets(*array));
    const Variable &shape = *elementwise_->shape;
    auto text = [&](const Variable &v) {
      std::string result;
      for (const Expr *x : v.extents) result += fmt::format("[{}]", written(x->piece));
      return result;
    };
    if (!std::equal(shape.extents.begin(), shape.extents.end(), array->extents.begin(), array->extents.end(), same))
      fail(kShape, at(e.piece), array->name, text(*array), shape.name, text(shape));
  } else if (iterators.empty()) {
    if (e.text.starts_with("_")) fail(kElementOutside, at(e.piece), e.text, array->name, brackets(*array));
    fail(kArrayAsScalar, at(e.piece), array->name, "the statement computes", brackets(*array));
  } else if (iterators.size() != rank) {
    std::vector<std::string> names;
    for (const Variable *v : iterators) names.push_back(v->name);
    fail(kElementRank, at(e.piece), e.text, array->name, dimensions(rank),
         fmt::format("{} iterator{}, {}, {}", names.size(), names.size() == 1 ? "" : "s", fmt::join(names, ", "),
                     names.size() == 1 ? "is" : "are"),
         brackets(*array));
  }
  std::vector<const Expr *> indices;
  for (const Variable *v : iterators) indices.push_back(reference(v, e.piece));
  return indexed(array, std::move(indices), e.piece);
}

const Expr *FunctionChecker::index(const Syntax &e) {
  const Syntax &base = *e.args[0];
  if (base.kind != Syntax::Kind::Name) fail(kNoArray, at(base.piece), written(base.piece), "no name of an array");
  const Variable *array = scope_.find(base.text);
  if (!array) {
    if (const Variable *meant = scope_.arrayBehind(base.text))
      fail(kNoName, at(base.piece), base.text, fmt::format("with indices it is '{}'", meant->name));
    scope_.unknown(base.text, base.piece);
  }
  if (array->kind != Variable::Kind::Array) fail(kNoArray, at(base.piece), array->name, "one value");
  const std::size_t given = e.args.size() - 1;
  if (given != array->extents.size())
    fail(kIndices, at(e.piece), array->name, dimensions(array->extents.size()),
         given == 1 ? "one index" : fmt::format("{} indices", given));
  std::vector<const Expr *> indices;
  for (std::size_t i = 1; i < e.args.size(); ++i) indices.push_back(integer(*e.args[i], "an index"));
  return indexed(array, std::move(indices), e.piece);
}

const Expr *FunctionChecker::integer(const Syntax &e, std::string_view what) {
  const Expr *made = expr(e);
  if (!made->type.isInteger()) fail(kIndexType, at(e.piece), what, spelled(made->type));
  return made;
}

const Expr *FunctionChecker::widened(const Expr *e) {
  const Type wide = Scalar::I64;
  if (e->type == wide && e->args.empty()) return e;
  if (e->kind == Expr::Kind::Literal) {
    // 1 is converted where it is used; a number with a suffix is another type.
    if (e->type == Type(Scalar::I32)) return make(e->kind, e->text, wide, e->piece, {});
  } else if ((e->kind == Expr::Kind::Binary && e->text != "<<" && e->text != ">>" && !e->type.isBool()) ||
             (e->kind == Expr::Kind::Unary && e->text != "!")) {
    std::vector<const Expr *> args;
    for (const Expr *a : e->args) args.push_back(widened(a));
    return make(e->kind, e->text, wide, e->piece, std::move(args));
  }
  return e->type == wide ? e : make(Expr::Kind::Cast, "", wide, e->piece, {e});
}

const Expr *FunctionChecker::wide(const Syntax &e, std::string_view what) { return widened(integer(e, what)); }

const Expr *FunctionChecker::member(const Syntax &e) {
  const Expr *base = expr(*e.args[0]);
  if (!base->type.isStruct())
    fail(kMember, at(e.piece), fmt::format("a value of type '{}'", spelled(base->type)), e.text,
         "only structs have fields");
  const syntax::Struct &s = *globals_.structs.at(base->type.name());
  std::vector<std::string> names;
  for (const syntax::Declarator &d : s.fields) {
    if (d.name == e.text) return make(Expr::Kind::Member, e.text, typeOf(d, globals_, source_), e.piece, {base});
    names.push_back(d.name);
  }
  fail(kMember, at(e.piece), fmt::format("struct '{}'", s.name), e.text, "write " + suggest(e.text, names));
}

const Expr *FunctionChecker::unary(const Syntax &e) {
  const Expr *a = expr(*e.args[0]);
  const bool wrong = !a->type.isScalar() || (e.text == "~" && !a->type.isInteger());
  if (wrong)
    fail(kOperand, at(e.piece), e.text, spelled(a->type),
         e.text == "~" ? "it is for integers" : "it is for numbers; of a struct, use a field");
  return make(Expr::Kind::Unary, e.text, e.text == "!" ? Type(Scalar::Bool) : promoted(a->type), e.piece, {a});
}

const Expr *FunctionChecker::binary(const Syntax &e) {
  const Expr *a = expr(*e.args[0]), *b = expr(*e.args[1]);
  const std::string &op = e.text;
  static constexpr std::string_view kIntegers[] = {"%", "&", "|", "^", "<<", ">>"};
  static constexpr std::string_view kBool[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
  auto among = [&](const auto &ops) { return std::find(std::begin(ops), std::end(ops), op) != std::end(ops); };
  for (const Expr *x : {a, b}) {
    if (!x->type.isScalar())
      fail(kOperand, at(x->piece), op, spelled(x->type), "it is for numbers; of a struct, use a field");
    if (among(kIntegers) && !x->type.isInteger())
      fail(kOperand, at(x->piece), op, spelled(x->type),
           op == "%" ? "write fmod(a, b) for numbers that are no integers" : "it is for integers");
  }
  const Type both = common(a->type, b->type);
  if (op == "<<" || op == ">>") return make(Expr::Kind::Binary, op, promoted(a->type), e.piece, {a, b});
  return make(Expr::Kind::Binary, op, among(kBool) ? Type(Scalar::Bool) : both, e.piece, {a, b});
}

const Expr *FunctionChecker::conditional(const Syntax &e) {
  const Expr *c = condition(*e.args[0]), *a = expr(*e.args[1]), *b = expr(*e.args[2]);
  Type type = a->type == b->type ? a->type : common(a->type, b->type);
  if (type.isVoid()) fail(kConvert, at(b->piece), written(b->piece), spelled(b->type), spelled(a->type));
  return make(Expr::Kind::Conditional, "?", type, e.piece,
              {c, converted(a, type, a->piece), converted(b, type, b->piece)});
}

const Expr *FunctionChecker::condition(const Syntax &e) {
  const Expr *c = expr(e);
  if (!c->type.isScalar()) fail(kConvert, at(e.piece), written(e.piece), spelled(c->type), "bool");
  return c;
}

const Expr *FunctionChecker::converted(const Expr *e, const Type &type, Piece piece) {
  if (e->type == type) return e;
  if (!e->type.isScalar() || !type.isScalar())
    fail(kConvert, at(piece), written(piece), spelled(e->type), spelled(type));
  return make(Expr::Kind::Cast, "", type, e->piece, {e});
}

const Expr *FunctionChecker::cast(const Syntax &e) {
  syntax::Declarator d;
  d.type = e.text;
  d.typePiece = e.piece;
  const Type type = typeOf(d, globals_, source_);
  const Expr *a = expr(*e.args[0]);
  if (!a->type.isScalar()) fail(kConvert, at(e.piece), written(a->piece), spelled(a->type), spelled(type));
  return make(Expr::Kind::Cast, "", type, e.piece, {a});
}

const Expr *FunctionChecker::call(const Syntax &e) {
  if (auto found = globals_.functions.find(e.text); found != globals_.functions.end()) {
    const Function &callee = *found->second;
    if (!callee.scalar || !callee.result)
      fail(kNoValue, at(e.piece), callee.name, callee.scalar ? "it has not exactly one output" : "it works on arrays",
           callee.name);
    std::vector<const Expr *> args;
    std::size_t next = 0;
    const std::size_t inputs = callee.arguments.size() - 1;
    if (e.args.size() != inputs)
      fail(kArguments, at(e.piece), callee.name, fmt::format("{} value{}", inputs, inputs == 1 ? "" : "s"),
           fmt::format("{}", e.args.size()), "in an expression its output is its value");
    for (const Variable *parameter : callee.arguments) {
      if (parameter == callee.result) continue;
      const Syntax &given = *e.args[next++];
      args.push_back(converted(expr(given), parameter->type, given.piece));
    }
    globals_.calls[&made_].insert(&callee);
    return make(Expr::Kind::Call, callee.name, callee.result->type, e.piece, std::move(args));
  }
  std::optional<MathFunction> math = mathFunction(e.text);
  if (!math) {
    std::vector<std::string> known = mathFunctions();
    for (const auto &[n, _] : globals_.functions) known.push_back(n);
    fail(kNoFunction, at(e.piece), e.text, "",
         nearest(e.text, known).empty() ? "define it: function " + e.text + ", its arguments, its statements"
                                        : "write " + suggest(e.text, known));
  }
  if (e.args.size() != math->arity)
    fail(kArguments, at(e.piece), e.text, fmt::format("{} value{}", math->arity, math->arity == 1 ? "" : "s"),
         fmt::format("{}", e.args.size()), fmt::format("it is C's {}", e.text));
  std::vector<const Expr *> args;
  Type type;
  for (const auto &given : e.args) {
    args.push_back(expr(*given));
    if (!args.back()->type.isScalar())
      fail(kConvert, at(given->piece), written(given->piece), spelled(args.back()->type), "a number");
    type = args.size() == 1 ? promoted(args[0]->type) : common(type, args.back()->type);
  }
  if (math->real && !type.isFloating()) type = Scalar::F64;
  if (math->real && type.isHalf()) type = Scalar::F32;
  for (std::size_t i = 0; i < args.size(); ++i) args[i] = converted(args[i], type, e.args[i]->piece);
  return make(Expr::Kind::Call, "std::" + math->name, type, e.piece, std::move(args));
}

} // namespace tangram::hidp
