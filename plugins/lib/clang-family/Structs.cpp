// Which structs of C++ are structs of the language, and what is made of them.
#include "Body.h"
#include "Messages.h"
#include "Program.h"
#include "Types.h"

#include "tangram/ast/Effects.h"

#include <clang/AST/RecordLayout.h>
#include <clang/Sema/Sema.h>

namespace tangram::frontend {

using namespace ast;

namespace {

/// What a field, or something that is written among the fields, cannot be; and what to do. Empty: it can.
std::pair<std::string, std::string> complaint(const clang::Decl *member) {
  if (member->isImplicit()) return {};
  if (const auto *pattern = clang::dyn_cast<clang::FunctionTemplateDecl>(member)) member = pattern->getTemplatedDecl();
  if (clang::isa<clang::CXXConstructorDecl>(member))
    return {"a constructor", "leave it out: braces give the fields their values"};
  if (clang::isa<clang::CXXDestructorDecl>(member)) return {"a destructor", "leave it out: a struct is plain values"};
  if (const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(member))
    return method->isVirtual() ? std::pair<std::string, std::string>{"a virtual function", "write a plain one"}
                               : std::pair<std::string, std::string>{};
  if (const auto *variable = clang::dyn_cast<clang::VarDecl>(member); variable && !variable->isConstexpr())
    return {"a static variable", "declare a constexpr one, or pass the value as a parameter"};
  const auto *field = clang::dyn_cast<clang::FieldDecl>(member);
  if (!field) return {};
  if (field->isBitField()) return {"a bit-field", "use an integer type of 8, 16, 32 or 64 bits"};
  clang::QualType type = field->getType();
  if (!field->getIdentifier()) return {"a field without a name", "name it"};
  if (type->isReferenceType() || type->isPointerType())
    return {type->isPointerType() ? "a pointer" : "a reference", "keep the value itself, or an index into a container"};
  if (type->isArrayType()) return {"an array", "write one field for each element"};
  if (arrayType(type)) return {"a container", "pass the container as a parameter of its own"};
  return {};
}

/// geometry::Point<float> as geometry_Point_float.
std::string identifier(const std::string &name) {
  std::string word;
  for (char c : name) {
    bool part = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (part || (!word.empty() && word.back() != '_')) word += part ? c : '_';
  }
  while (word.ends_with('_')) word.pop_back();
  return word.empty() ? "unnamed" : word;
}

} // namespace

bool Program::isValue(clang::QualType type, ast::SourceRange use) {
  return scalarType(type, context_) || structure(type, use);
}

std::optional<ast::Type> Program::structure(clang::QualType type, ast::SourceRange use) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record || record->isLambda() || !ranges_.isUsers(record->getLocation())) return {};
  auto known = structOf_.find(record->getCanonicalDecl());
  if (known != structOf_.end()) return known->second;
  ast::SourceRange where = ranges_.of(record->getLocation());
  std::string title = fmt::format("struct '{}'", spelled(type.getUnqualifiedType(), context_));
  unsigned errors = sema_.getDiagnostics().getClient()->getNumErrors();
  bool complete = sema_.isCompleteType(record->getLocation(), type);
  if (sema_.getDiagnostics().getClient()->getNumErrors() != errors) throw ClangComplained();

  auto refuse = [&](ast::SourceRange at, const std::string &what, const std::string &advice) {
    Diagnostic diagnostic = makeDiagnostic(kStruct, at, title, what, advice);
    if (use.valid()) diagnostic.notes.push_back({use, "it is used here"});
    throw DiagnosticError(std::move(diagnostic));
  };
  if (!complete) refuse(where, "is declared and not defined", "write its fields before it is used");
  record = record->getDefinition();
  if (record->isUnion()) refuse(where, "is a union", "use a struct with a field for each value");
  if (record->getNumBases()) refuse(where, "has a base class", "write its fields out, or make it a field");
  for (const clang::Decl *member : record->decls())
    if (auto [what, advice] = complaint(member); !what.empty())
      refuse(ranges_.of(member->getSourceRange()), "has " + what, advice);
  if (record->field_empty()) refuse(where, "has no field", "give it one, or use a scalar");

  std::vector<const Param *> fields;
  for (const clang::FieldDecl *field : record->fields()) {
    ast::SourceRange at = ranges_.of(field->getSourceRange());
    ast::Type read = readType(field->getType(), *this, at, fmt::format("field '{}'", field->getNameAsString()));
    fields.push_back(arena_.make<Param>(at, field->getNameAsString(), read, Access::In));
  }
  std::string name = qualifiedName(*record);
  if (const auto *alias = record->getTypedefNameForAnonDecl()) name = qualifiedName(*alias);
  if (const auto *instance = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record))
    for (const clang::TemplateArgument &arg : instance->getTemplateArgs().asArray()) {
      llvm::raw_string_ostream stream(name);
      arg.print(context_.getPrintingPolicy(), stream << ' ', false);
    }
  name = inOurWords(name);
  structs_.push_back(arena_.make<Struct>(ranges_.of(record->getSourceRange()), structNames_.fresh(identifier(name)),
                                         std::move(fields)));

  // alignas and packing change where the fields lie.
  Module module;
  module.structs = structs_;
  Structs layout(module);
  ast::Type made = ast::Type::structure(structs_.back()->name);
  bool agrees = layout.bytes(made) == static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
  std::size_t at = 0;
  for (const clang::FieldDecl *field : record->fields()) {
    std::uint64_t offset = context_.toCharUnitsFromBits(context_.getFieldOffset(field)).getQuantity();
    agrees = agrees && at < layout.leaves(made).size() && layout.leaves(made)[at].offset == offset;
    at += layout.leaves(structs_.back()->fields[field->getFieldIndex()]->type).size();
  }
  if (!agrees) refuse(where, "has an alignment of its own", "leave out alignas and packing");
  return structOf_[record->getCanonicalDecl()] = made;
}

/// Of a struct in braces: values of the fields in their order.
const ast::Expr *Body::fields(const clang::InitListExpr *list, const ast::Type &read) {
  ast::SourceRange where = range(list->getSourceRange());
  Exprs values;
  for (const clang::Expr *value : list->inits()) values.push_back(expr(value));
  while (!values.empty() && clang::isa<clang::ImplicitValueInitExpr>(list->getInit(values.size() - 1)))
    values.pop_back();
  return arena().make<InitList>(where, read, std::move(values));
}

const ast::Expr *Body::defaults(const clang::CXXConstructExpr *e, const ast::Type &read) {
  ast::SourceRange where = range(e->getSourceRange());
  std::map<const clang::FieldDecl *, const Expr *> given;
  for (const clang::CXXCtorInitializer *init : e->getConstructor()->inits())
    if (init->getMember() && init->getInit()) {
      const auto *inner = clang::dyn_cast<clang::CXXConstructExpr>(stripped(init->getInit()));
      if (inner && inner->getConstructor()->isTrivial() && inner->getConstructor()->isDefaultConstructor()) continue;
      given[init->getMember()->getCanonicalDecl()] = expr(init->getInit());
    }
  Exprs values;
  for (const clang::FieldDecl *field : e->getConstructor()->getParent()->fields()) {
    auto found = given.find(field->getCanonicalDecl());
    Type type_ = type(field->getType(), where, fmt::format("field '{}'", field->getNameAsString()));
    values.push_back(found == given.end() ? build(where).zero(type_) : found->second);
  }
  return arena().make<InitList>(where, read, std::move(values));
}

const ast::Expr *Body::member(const clang::MemberExpr *e) {
  ast::SourceRange where = range(e->getSourceRange());
  const auto *field = clang::dyn_cast<clang::FieldDecl>(e->getMemberDecl());
  if (!field) {
    if (clang::isa<clang::VarDecl>(e->getMemberDecl()))
      if (const Expr *value = folded(e)) return value;
    fail(kUnsupported, where, "a member of a class", "use the fields of plain structs");
  }
  if (e->isArrow() && !clang::isa<clang::CXXThisExpr>(stripped(e->getBase())))
    fail(kNotInLanguage, where, "a pointer", "use an Array and an index");
  const Expr *base = expr(e->getBase());
  ast::Type read = type(field->getType(), where, fmt::format("field '{}'", field->getNameAsString()));
  // Of a constant outside of functions.
  if (const auto *list = dyn<InitList>(base); list && !hasEffects(list)) {
    std::size_t index = field->getFieldIndex();
    return index < list->values.size() ? list->values[index] : build(where).zero(read);
  }
  return arena().make<Member>(where, read, base, field->getNameAsString());
}

/// Null where the call is no assignment of a whole struct.
const ast::Expr *Body::structAssign(const clang::CallExpr *e) {
  const auto *method = clang::dyn_cast_or_null<clang::CXXMethodDecl>(e->getDirectCallee());
  bool copies =
      method && !method->isUserProvided() && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
  if (!copies || !clang::isa<clang::CXXOperatorCallExpr>(e)) return nullptr;
  ast::SourceRange where = range(e->getSourceRange());
  ast::Type read = type(e->getArg(0)->getType(), where, "this value");
  if (!read.isStruct()) return nullptr;
  checkWritable(e->getArg(0), where);
  const Expr *target = expr(e->getArg(0)), *value = expr(e->getArg(1));
  return arena().make<Assign>(where, read, AssignOp::Set, target, value);
}

} // namespace tangram::frontend
