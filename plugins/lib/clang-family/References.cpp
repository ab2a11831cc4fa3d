#include "References.h"

#include "Body.h"
#include "Messages.h"
#include "Program.h"
#include "Types.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <set>

namespace tangram::frontend {

using namespace ast;

// ---- what a function takes and gives --------------------------------------------------------------------------

namespace {

class Returns final : public clang::RecursiveASTVisitor<Returns> {
public:
  std::vector<const clang::Expr *> values;
  bool VisitReturnStmt(clang::ReturnStmt *stmt) {
    if (stmt->getRetValue()) values.push_back(stmt->getRetValue());
    return true;
  }
  static bool TraverseLambdaExpr(clang::LambdaExpr *) { return true; }
};

/// What is returned: an object's own name, or a call that gives it.
const clang::Expr *bare(const clang::Expr *e) {
  const clang::Expr *inner = stripped(e);
  const auto *unary = clang::dyn_cast<clang::UnaryOperator>(inner);
  if (unary && unary->getOpcode() == clang::UO_Deref) return stripped(unary->getSubExpr());
  return inner;
}

} // namespace

std::string packField(const Passing &passing, unsigned param) { return passing.params[param].name; }

std::vector<const clang::Expr *> argumentsOf(const clang::CallExpr *call) {
  std::vector<const clang::Expr *> result;
  if (const auto *member = clang::dyn_cast<clang::CXXMemberCallExpr>(call))
    result.push_back(member->getImplicitObjectArgument());
  for (const clang::Expr *arg : call->arguments()) result.push_back(arg);
  return result;
}

/// The parameter that the place is which a function returns a reference to; nothing where it is none.
std::optional<unsigned> Program::returnedPlace(const Passing &passing, const clang::Expr *e) {
  const clang::Expr *value = bare(e);
  const clang::ParmVarDecl *named = nullptr;
  if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(value))
    named = clang::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
  bool object = clang::isa<clang::CXXThisExpr>(value);
  if (named || object)
    for (unsigned i : passing.back)
      if (passing.params[i].declared == named) return i;
  const auto *call = clang::dyn_cast<clang::CallExpr>(value);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->hasBody() || !ranges_.isUsers(callee->getLocation())) return {};
  const Passing &inner = this->passing(callee, ranges_.of(call->getSourceRange()));
  if (inner.gives != Passing::Gives::Place) return {};
  return returnedPlace(passing, argumentsOf(call).at(inner.place));
}

const Passing &Program::passing(const clang::FunctionDecl *function, ast::SourceRange use) {
  const clang::FunctionDecl *definition = nullptr;
  if (function->hasBody(definition)) function = definition;
  auto [it, isNew] = passings_.try_emplace(function->getCanonicalDecl());
  if (!isNew) {
    if (refused_.count(function->getCanonicalDecl())) throw ClangComplained(); // it was said
    if (!it->second) fail(kRecursion, use, qualifiedName(*function));          // it is being found out
    return *it->second;
  }
  try {
    Passing made = findPassing(function);
    return *(passings_[function->getCanonicalDecl()] = std::make_unique<Passing>(std::move(made)));
  } catch (...) {
    refused_.insert(function->getCanonicalDecl());
    throw;
  }
}

Passing Program::findPassing(const clang::FunctionDecl *function) {
  Passing made;
  ast::Names names;
  auto read = [&](clang::QualType type, ast::SourceRange where, const std::string &what) {
    return readType(type.getNonReferenceType(), *this, where, what);
  };
  // The array that a parameter is declared as; null where it is none.
  auto arrayOf = [&](clang::QualType type) {
    const auto *decayed = type->getAs<clang::DecayedType>();
    return context_.getAsArrayType(decayed ? decayed->getOriginalType() : type.getNonReferenceType());
  };
  const auto params = function->parameters();
  const bool takesElements = std::any_of(params.begin(), params.end(), [&](const clang::ParmVarDecl *param) {
    return arrayOf(param->getType()) || arrayType(param->getType().getNonReferenceType());
  });
  // What several references may be one variable is done to: given back, it would matter which comes last.
  const auto changed = std::count_if(params.begin(), params.end(), [&](const clang::ParmVarDecl *param) {
    const clang::QualType type = param->getType();
    return type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified();
  });
  const bool isMember = clang::isa<clang::CXXMethodDecl>(function),
             returnsPlace = function->getReturnType()->isReferenceType();
  made.inlined = qualifiersOf(*function).coop || takesElements || (changed > 1 && !isMember && !returnsPlace);
  auto add = [&](const clang::ParmVarDecl *declared, const std::string &name, clang::QualType type,
                 ast::SourceRange where) {
    std::string what = fmt::format("parameter '{}'", name);
    if (type->isRValueReferenceType()) readType(type, *this, where, what); // which is refused
    const clang::ArrayType *array = made.inlined ? arrayOf(type) : nullptr;
    if (array) type = context_.getBaseElementType(array);
    const bool reference = type->isReferenceType();
    const bool changes = reference && !type.getNonReferenceType().isConstQualified();
    if (changes && !made.inlined) made.back.push_back(static_cast<unsigned>(made.params.size()));
    made.params.push_back({declared, names.fresh(name), read(type, where, what), reference, changes, array != nullptr});
  };
  if (const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(function); method && !method->isStatic()) {
    clang::QualType object = context_.getRecordType(method->getParent());
    if (method->isConst()) object.addConst();
    add(nullptr, "self", context_.getLValueReferenceType(object), ranges_.of(method->getLocation()));
  }
  for (const clang::ParmVarDecl *param : function->parameters()) {
    std::string name = param->getName().empty() ? fmt::format("arg{}", made.params.size()) : param->getNameAsString();
    add(param, name, param->getType(), ranges_.of(param->getSourceRange()));
  }

  clang::QualType returned = function->getReturnType();
  ast::SourceRange where = ranges_.of(function->getReturnTypeSourceRange());
  if (!where.valid()) where = ranges_.of(function->getLocation());
  made.result = made.made = Scalar::Void;
  if (returned->isLValueReferenceType() && !returned.getNonReferenceType().isConstQualified()) {
    Returns returns;
    returns.TraverseStmt(function->getBody());
    std::optional<unsigned> place;
    for (const clang::Expr *value : returns.values) {
      std::optional<unsigned> one = returnedPlace(made, value);
      if (!one || (place && *place != *one) || !made.params[*one].type.isStruct())
        fail(kReturnedReference, ranges_.of(value->getSourceRange()), qualifiedName(*function));
      place = one;
    }
    if (place) {
      made.gives = Passing::Gives::Place;
      made.place = *place;
    }
  } else if (!returned->isVoidType()) {
    made.gives = Passing::Gives::Value;
    made.result = read(returned, where, fmt::format("the result of '{}'", qualifiedName(*function)));
  }
  bool value = made.gives == Passing::Gives::Value;
  if (made.back.empty()) {
    made.made = made.result;
  } else if (made.back.size() == 1 && !value) {
    made.made = made.params[made.back.front()].type;
  } else {
    made.packed = true;
    std::vector<const ast::Param *> fields;
    for (unsigned i : made.back)
      fields.push_back(arena_.make<ast::Param>(where, packField(made, i), made.params[i].type, Access::In));
    if (value) fields.push_back(arena_.make<ast::Param>(where, kPackValue, made.result, Access::In));
    std::string name = structNames_.fresh("result_of_" + plainName(*function));
    structs_.push_back(arena_.make<ast::Struct>(where, name, std::move(fields)));
    made.made = ast::Type::structure(name);
  }
  return made;
}

void Program::checkAliases() {
  for (const Alias &alias : aliases_) {
    auto it = std::find_if(functions_.begin(), functions_.end(),
                           [&](const ast::Function *f) { return f->name == alias.function; });
    if (it == functions_.end() || !readsAfterWrite((*it)->body, alias.read, alias.written)) continue;
    fail(kAliased, alias.range, alias.called, alias.written, alias.read);
  }
}

// ---- aliases ----------------------------------------------------------------------------------------------------

namespace {

/// From the variable outwards: members and subscripts.
std::vector<const Expr *> pathOf(const Expr *place) {
  std::vector<const Expr *> path;
  while (!isa<VarRef>(place)) {
    path.insert(path.begin(), place);
    place = isa<Member>(place) ? as<Member>(place)->base : as<Subscript>(place)->base;
  }
  return path;
}

/// The variable and the first field of a place.
struct Part {
  std::string variable, field; // no field: the whole
};

Part partOf(const Expr *place) {
  const VarRef *root = rootVariable(place);
  if (!root) return {};
  std::vector<const Expr *> path = pathOf(place);
  const auto *member = path.empty() ? nullptr : dyn<Member>(path.front());
  return {root->name, member ? member->field : ""};
}

/// Goes through a body in the order in which it is evaluated.
class Order {
public:
  Order(std::string read, std::string written) : read_(std::move(read)), written_(std::move(written)) {}

  bool found() const { return found_; }

  void go(const Node *node) {
    if (const auto *assign = dyn<Assign>(node)) {
      go(assign->value);
      if (assign->op != AssignOp::Set) place(assign->target);
      indices(assign->target);
      return write(assign->target);
    }
    if (const auto *unary = dyn<Unary>(node)) {
      go(unary->operand);
      bool changes = changesOperand(unary->op);
      if (changes) write(unary->operand);
      return;
    }
    if (isa<VarRef>(node) || (isa<Member>(node) && rootVariable(static_cast<const Expr *>(node)))) {
      place(static_cast<const Expr *>(node));
      return indices(static_cast<const Expr *>(node));
    }
    bool loop = isa<For>(node) || isa<While>(node) || isa<DoWhile>(node);
    for (int round = 0; round < (loop ? 2 : 1); ++round) // what one iteration writes the next one reads
      for (const Node *child : children(*node)) go(child);
  }

private:
  void place(const Expr *e) {
    Part part = partOf(e);
    if (part.variable != read_) return;
    for (const std::string &field : fields_) found_ |= field.empty() || part.field.empty() || field == part.field;
  }
  void indices(const Expr *e) {
    for (const Expr *step : pathOf(e))
      if (const auto *subscript = dyn<Subscript>(step))
        for (const Expr *index : subscript->indices) go(index);
  }
  void write(const Expr *e) {
    Part part = partOf(e);
    if (part.variable == written_) fields_.insert(part.field);
  }

  std::string read_, written_;
  std::set<std::string> fields_; // written so far
  bool found_ = false;
};

} // namespace

bool mayOverlap(const Expr *a, const Expr *b) {
  const VarRef *x = rootVariable(a), *y = rootVariable(b);
  if (!x || !y || x->name != y->name) return false;
  std::vector<const Expr *> p = pathOf(a), q = pathOf(b);
  for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i) {
    const auto *m = dyn<Member>(p[i]), *n = dyn<Member>(q[i]);
    if (m && n && m->field != n->field) return false;
    const auto *s = dyn<Subscript>(p[i]), *t = dyn<Subscript>(q[i]);
    for (std::size_t d = 0; s && t && d < std::min(s->indices.size(), t->indices.size()); ++d) {
      std::optional<Int> first = literal(s->indices[d]), second = literal(t->indices[d]);
      if (first && second && *first != *second) return false;
    }
  }
  return true;
}

bool readsAfterWrite(const Block *body, const std::string &read, const std::string &written) {
  Order order(read, written);
  order.go(body);
  return order.found();
}

// ---- bodies -----------------------------------------------------------------------------------------------------

std::vector<const ast::Param *> Body::passedParams() {
  std::vector<const Param *> result;
  for (const Passing::Param &param : passing_->params) {
    ast::SourceRange where = range(param.declared ? param.declared->getSourceRange() : function_->getSourceRange());
    std::string name = param.name;
    if (param.declared) {
      Variable &variable = enter(param.declared, param.name, param.type);
      variable.isArray = variable.shared = param.isArray;
      name = variable.name;
    } else {
      name = object_ = names_.fresh(param.name);
    }
    passed_.push_back(name);
    const bool writes = param.type.isArray() && !param.declared->getType().getNonReferenceType().isConstQualified();
    result.push_back(arena().make<Param>(where, name, param.type, writes ? Access::InOut : Access::In));
  }
  return result;
}

/// What the function gives to its caller: what it was given to change, and its value.
const ast::Expr *Body::givenBack(ast::SourceRange where, const ast::Expr *value) {
  Exprs values;
  for (unsigned i : passing_->back) values.push_back(build(where).var(passed_[i], passing_->params[i].type));
  if (!passing_->packed) return values.front();
  if (value) values.push_back(value);
  return arena().make<InitList>(where, passing_->made, std::move(values));
}

void Body::giveBack(const clang::ReturnStmt *stmt, Stmts &out) {
  ast::SourceRange where = range(stmt->getSourceRange());
  const Expr *value = stmt->getRetValue() ? expr(stmt->getRetValue()) : nullptr;
  if (value && passing_->gives == Passing::Gives::Value) {
    // It comes first: what is given back may change meanwhile.
    std::string name = names_.fresh(kPackValue);
    out.push_back(build(where).declare(name, passing_->result, value));
    value = build(where).var(name, passing_->result);
  } else if (value) {
    if (hasEffects(value)) out.push_back(arena().make<Evaluate>(where, value));
    value = nullptr;
  }
  out.push_back(arena().make<Return>(where, givenBack(where, value)));
}

const ast::Expr *Body::object(ast::SourceRange where) {
  if (object_.empty()) fail(kNotInLanguage, where, "this", "write a plain function");
  return build(where).var(object_, passing_->params.front().type);
}

// ---- calls ------------------------------------------------------------------------------------------------------

const ast::Expr *Body::scratch(const std::string &name, const ast::Type &type, ast::SourceRange where) {
  std::string fresh = names_.fresh(name);
  scratch_.push_back(build(where).declare(fresh, type, nullptr, false));
  return build(where).var(fresh, type);
}

/// The same place whenever it is evaluated, while `changed` change. What it takes to make it so goes to `before`.
const ast::Expr *Body::settled(const ast::Expr *place, const std::set<std::string> &changed, Exprs &before) {
  if (const auto *member = dyn<Member>(place)) {
    const Expr *base = settled(member->base, changed, before);
    return arena().derive(member, [&](Member &copy) { copy.base = base; });
  }
  const auto *subscript = dyn<Subscript>(place);
  if (!subscript) return place;
  return arena().derive(subscript, [&](Subscript &copy) {
    for (const Expr *&index : copy.indices) {
      bool moves = hasEffects(index) || any<VarRef>(index, [&](const VarRef &v) { return changed.count(v.name) != 0; });
      if (!moves) continue;
      const Expr *kept = scratch("at", index->type, index->range);
      before.push_back(arena().make<Assign>(index->range, index->type, AssignOp::Set, kept, index));
      index = kept;
    }
  });
}

namespace {

/// What an assignment leaves is a place, too: (a += b) += c. The assignment goes to `before`.
const Expr *placeOf(const Expr *e, std::vector<const Expr *> &before) {
  const Expr *place = e;
  while (true) {
    const auto *binary = dyn<Binary>(place);
    if (const auto *assign = dyn<Assign>(place))
      place = assign->target;
    else if (binary && binary->op == BinaryOp::Comma)
      place = binary->rhs;
    else
      break;
  }
  if (place != e) before.push_back(e);
  return place;
}

} // namespace

/// The local array, or parameter that is one, that an argument names; null for another argument.
const ast::Expr *Body::arrayArgument(const clang::Expr *e) {
  const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  const auto *named = reference ? clang::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (!named || !named->isLocalVarDeclOrParm()) return nullptr;
  ast::SourceRange where = range(e->getSourceRange());
  const Variable &known = lookup(named, where);
  return known.isArray ? build(where).var(known.name, known.type) : nullptr;
}

const ast::Expr *Body::inlinedCall(const clang::CallExpr *e, const clang::FunctionDecl *callee,
                                   const std::string &name) {
  ast::SourceRange where = range(e->getSourceRange());
  std::string called = qualifiedName(*callee);
  if (inCondition_) fail(kConditionCall, where, called);
  if (qualifiersOf(*callee).coop && !qualifiers_.coop) fail(kCoopCalled, where, called, title_);
  const Passing &passing = program_.passing(callee, where);
  const std::vector<const clang::Expr *> all = argumentsOf(e);
  Exprs args;
  for (unsigned i = 0; i < passing.params.size(); ++i) {
    const clang::Expr *written = all[i];
    ast::SourceRange here = range(written->getSourceRange());
    const Passing::Param &param = passing.params[i];
    if (param.isArray) {
      const Expr *array = arrayArgument(written);
      if (!array) fail(kArrayArgument, here, i + 1, called, param.name);
      args.push_back(array);
      continue;
    }
    if (param.changes) checkWritable(written, here);
    if (param.type.isArray()) checkWritten(written, param.declared, fmt::format("function '{}'", called));
    args.push_back(expr(written));
    if (param.changes && !rootVariable(args.back())) fail(kTemporaryChanged, here, called);
  }
  return arena().make<Call>(where, passing.made, name, std::move(args));
}

const ast::Expr *Body::functionCall(const clang::CallExpr *e, const clang::FunctionDecl *callee) {
  ast::SourceRange where = range(e->getSourceRange());
  std::string name = program_.function(function_, callee, where);
  const Passing &passing = program_.passing(callee, where);
  std::vector<const clang::Expr *> written = argumentsOf(e);
  if (written.size() != passing.params.size())
    fail(kUnsupported, where, fmt::format("this call of '{}'", name), "call it by its name, with all its arguments");
  if (passing.inlined) return inlinedCall(e, callee, name);
  Exprs args, steps; // one after the other
  std::set<std::string> changed;
  for (unsigned i = 0; i < written.size(); ++i) {
    ast::SourceRange here = range(written[i]->getSourceRange());
    const bool changes = passing.params[i].changes;
    if (changes) checkWritable(written[i], here);
    args.push_back(changes ? placeOf(expr(written[i]), steps) : expr(written[i]));
    const VarRef *root = rootVariable(args.back());
    if (changes && !root) fail(kTemporaryChanged, here, qualifiedName(*callee));
    if (changes) changed.insert(root->name);
    walk(args.back(), [&](const Assign &a) {
      if (const VarRef *target = rootVariable(a.target)) changed.insert(target->name);
    });
    for (const std::string &variable : assignedVariables(args.back())) changed.insert(variable);
  }
  if (passing.back.empty()) return arena().make<Call>(where, passing.made, name, std::move(args));

  for (unsigned i : passing.back)
    for (unsigned j = 0; j < args.size(); ++j) {
      if (i == j || !passing.params[j].reference || !mayOverlap(args[i], args[j])) continue;
      if (passing.params[j].changes)
        fail(kAliased, where, qualifiedName(*callee), passing.params[i].name, passing.params[j].name);
      program_.mayAlias({name, qualifiedName(*callee), passing.params[j].name, passing.params[i].name, where});
    }

  for (unsigned i : passing.back) args[i] = settled(args[i], changed, steps);
  Exprs places = args;
  const Expr *call = arena().make<Call>(where, passing.made, name, std::move(args));
  auto assign = [&](const Expr *place, const Expr *value) {
    steps.push_back(arena().make<Assign>(where, place->type, AssignOp::Set, place, value));
  };
  if (!passing.packed) {
    assign(places[passing.back.front()], call);
  } else {
    const Expr *pack = scratch("given", passing.made, where);
    assign(pack, call);
    auto field = [&](const std::string &of, const Type &type) { return arena().make<Member>(where, type, pack, of); };
    std::vector<unsigned> order = passing.back; // the place that the call is comes last
    if (passing.gives == Passing::Gives::Place) {
      std::erase(order, passing.place);
      order.push_back(passing.place);
    }
    for (unsigned i : order) assign(places[i], field(packField(passing, i), places[i]->type));
    if (passing.gives == Passing::Gives::Value) steps.push_back(field(kPackValue, passing.result));
  }
  const Expr *all = steps.front();
  for (std::size_t i = 1; i < steps.size(); ++i)
    all = arena().make<Binary>(where, steps[i]->type, BinaryOp::Comma, all, steps[i]);
  return all;
}

} // namespace tangram::frontend
