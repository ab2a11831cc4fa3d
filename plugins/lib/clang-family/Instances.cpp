// Spectrums with concrete types: those that are no templates, and instances of those that are.
#include "Program.h"

#include "Messages.h"
#include "Types.h"

#include <clang/Sema/Sema.h>
#include <clang/Sema/Template.h>
#include <llvm/ADT/StringExtras.h>

namespace tangram::frontend {
namespace {

std::string instanceName(const std::string &name, llvm::ArrayRef<clang::TemplateArgument> args,
                         const clang::ASTContext &context) {
  std::string list;
  for (const clang::TemplateArgument &arg : args)
    list += (list.empty() ? "" : ",") + (arg.getKind() == clang::TemplateArgument::Integral
                                             ? llvm::toString(arg.getAsIntegral(), 10)
                                             : spelled(arg.getAsType().getCanonicalType(), context));
  return name + "<" + list + ">";
}

} // namespace

Program::Entry &Program::enter(Group &group, clang::FunctionDecl *declaration) {
  Entry *&entry = entryOf_[declaration->getCanonicalDecl()];
  if (entry) return *entry;
  entries_.push_back(std::make_unique<Entry>());
  entry = entries_.back().get();
  entry->group = &group;
  entry->declaration = declaration;
  entry->name = group.name;
  const clang::TemplateArgumentList *args = declaration->getTemplateSpecializationArgs();
  if (args) entry->name = instanceName(group.name, args->asArray(), context_);
  for (std::size_t i = 0; i < group.codelets.size(); ++i) {
    clang::FunctionDecl *codelet = group.codelets[i];
    if (clang::FunctionTemplateDecl *pattern = args ? codelet->getDescribedFunctionTemplate() : nullptr)
      codelet = instantiate(pattern, *args,
                            declaration->getPointOfInstantiation().isValid() ? declaration->getPointOfInstantiation()
                                                                             : declaration->getLocation());
    else if (args && !context_.hasSameType(codelet->getType(), declaration->getType()))
      continue;
    entry->codelets.emplace_back(codelet, group.names[i]);
  }
  if (entry->codelets.empty() && args)
    fail(kSpectrumWithoutCodelets, ranges_.of(declaration->getLocation()), entry->name);
  return *entry;
}

clang::FunctionDecl *Program::instantiate(clang::FunctionTemplateDecl *pattern, const clang::TemplateArgumentList &args,
                                          clang::SourceLocation where) {
  // Not by overload resolution or Sema's usual entry: codelets have a constraint that never holds.
  clang::FunctionDecl *function = nullptr;
  unsigned errors = sema_.getDiagnostics().getClient()->getNumErrors();
  {
    clang::Sema::InstantiatingTemplate context(sema_, where, pattern->getTemplatedDecl());
    clang::Sema::ContextRAII scope(sema_, pattern->getTemplatedDecl());
    if (!context.isInvalid()) {
      clang::MultiLevelTemplateArgumentList levels(pattern, args.asArray(), /*Final=*/false);
      function = clang::cast_or_null<clang::FunctionDecl>(
          sema_.SubstDecl(pattern->getTemplatedDecl(), pattern->getDeclContext(), levels));
    }
  }
  if (function) {
    sema_.InstantiateFunctionDefinition(where, function, /*Recursive=*/true, /*DefinitionRequired=*/true);
    sema_.PerformPendingInstantiations();
  }
  if (sema_.getDiagnostics().getClient()->getNumErrors() != errors) throw ClangComplained();
  if (!function || !function->hasBody() || function->isInvalidDecl()) {
    std::string name = instanceName(qualifiedName(*pattern), args.asArray(), context_);
    fail(kInstantiation, ranges_.of(pattern->getLocation()), name);
  }
  return function;
}

std::optional<std::string> Program::spectrum(const clang::FunctionDecl *callee, ast::SourceRange) {
  const clang::Decl *key = callee->getCanonicalDecl();
  if (const clang::FunctionTemplateDecl *pattern = callee->getPrimaryTemplate()) key = pattern->getCanonicalDecl();
  auto it = groupOfSpectrum_.find(key);
  if (it == groupOfSpectrum_.end()) return {};
  Group &group = *it->second;
  return enter(group, group.isTemplate() ? const_cast<clang::FunctionDecl *>(callee) : group.spectrum).name;
}

void Program::wantInstances() {
  for (const clang::VarDecl *variable : instances_) {
    ast::SourceRange where = ranges_.of(variable->getLocation());
    const clang::Expr *init = variable->getInit();
    const clang::FunctionDecl *function = nullptr;
    if (init) {
      if (const auto *constant = clang::dyn_cast<clang::ConstantExpr>(init)) init = constant->getSubExpr();
      init = init->IgnoreParenImpCasts();
      if (const auto *address = clang::dyn_cast<clang::UnaryOperator>(init)) init = address->getSubExpr();
      if (const auto *reference = clang::dyn_cast<clang::DeclRefExpr>(init->IgnoreParenImpCasts()))
        function = clang::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    }
    if (!function || !function->getPrimaryTemplate() || !spectrum(function, where)) fail(kInstance, where);
  }
}

clang::QualType Program::typeNamed(const std::string &text) {
  static const std::map<std::string, std::string> ours{
      {"i8", "signed char"},   {"i16", "short"},          {"i32", "int"},      {"i64", "long"},
      {"u8", "unsigned char"}, {"u16", "unsigned short"}, {"u32", "unsigned"}, {"u64", "unsigned long"},
      {"f32", "float"},        {"f64", "double"}};
  if (text == "f16") return context_.Float16Ty;
  if (text == "bf16") return context_.BFloat16Ty;
  auto named = ours.find(text);
  std::map<std::string, int> words;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(named == ours.end() ? text : named->second).split(parts, ' ', -1, false);
  for (llvm::StringRef part : parts) ++words[part.str()];
  auto take = [&](const char *word) {
    int count = words[word];
    words.erase(word);
    return count;
  };
  int longs = take("long"), shorts = take("short"), unsigneds = take("unsigned"), signeds = take("signed");
  int ints = take("int"), chars = take("char"), bools = take("bool"), floats = take("float"), doubles = take("double");
  bool integer = longs || shorts || unsigneds || signeds || ints;
  if (words.empty() && chars + bools + floats + doubles <= 1 && unsigneds + signeds <= 1 && ints <= 1) {
    if (chars && !longs && !shorts && !ints)
      return unsigneds ? context_.UnsignedCharTy : signeds ? context_.SignedCharTy : context_.CharTy;
    if (bools && !integer) return context_.BoolTy;
    if (floats && !integer) return context_.FloatTy;
    if (doubles && !integer) return context_.DoubleTy;
    if (integer && !chars && !bools && !floats && !doubles && shorts <= 1 && longs <= 2 && !(shorts && longs)) {
      if (shorts) return unsigneds ? context_.UnsignedShortTy : context_.ShortTy;
      if (longs == 2) return unsigneds ? context_.UnsignedLongLongTy : context_.LongLongTy;
      if (longs) return unsigneds ? context_.UnsignedLongTy : context_.LongTy;
      return unsigneds ? context_.UnsignedIntTy : context_.IntTy;
    }
  }
  // A typedef of the source, or of the standard library; a struct.
  llvm::StringRef plain = text;
  plain.consume_front("std::");
  if (clang::isValidAsciiIdentifier(plain))
    for (clang::NamedDecl *found : context_.getTranslationUnitDecl()->lookup(&context_.Idents.get(plain))) {
      if (auto *alias = clang::dyn_cast<clang::TypedefNameDecl>(found)) return context_.getTypedefType(alias);
      if (auto *record = clang::dyn_cast<clang::CXXRecordDecl>(found)) return context_.getRecordType(record);
    }
  return {};
}

std::optional<llvm::APSInt> Program::numberNamed(llvm::StringRef text, clang::QualType type) {
  bool isSigned = type->isSignedIntegerOrEnumerationType();
  unsigned bits = type->isBooleanType() ? 1 : static_cast<unsigned>(context_.getTypeSize(type));
  llvm::APInt value;
  bool negative = text.consume_front("-");
  if (type->isBooleanType() && (text == "true" || text == "false"))
    value = llvm::APInt(64, text == "true");
  else if (text.empty() || text.getAsInteger(0, value) || value.getActiveBits() > 64)
    return {};
  llvm::APSInt number(value.zextOrTrunc(72), /*isUnsigned=*/false); // wide enough for each, with its sign
  if (negative) number = -number;
  bool fits = isSigned ? number.isSignedIntN(bits) : !number.isNegative() && number.isIntN(bits);
  if (!fits) return {};
  return llvm::APSInt(number.trunc(bits), !isSigned);
}

void Program::want(const std::string &wanted, ast::SourceRange file) {
  if (wanted.empty()) return;
  std::string name = wanted.substr(0, wanted.find('<'));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  Group *group = nullptr;
  std::vector<std::string> known;
  for (const auto &candidate : groups_) {
    if (candidate->name == name) group = candidate.get();
    known.push_back(candidate->name + (candidate->isTemplate() ? "<...>" : ""));
  }
  if (!group && !isWhole_) return; // another file has it, or whoever links them finds that none does
  if (!group) fail(kUnknownSpectrum, file, wanted, suggest(name, known));
  ast::SourceRange where = ranges_.of(group->spectrum->getLocation());
  bool list = name.size() < wanted.size() && wanted.find('<') != std::string::npos;
  if (!group->isTemplate()) {
    if (list) fail(kNoTemplate, where, wanted, name);
    return;
  }
  const clang::TemplateParameterList *params = group->spectrum->getDescribedFunctionTemplate()->getTemplateParameters();
  std::string example;
  for (const clang::NamedDecl *param : *params)
    example += (example.empty() ? name + "<" : ",") +
               (clang::isa<clang::NonTypeTemplateParmDecl>(param) ? std::string("4") : std::string("float"));
  example += ">";
  if (!list || wanted.back() != '>') fail(kTemplateArguments, where, wanted, example);

  std::string text = wanted.substr(wanted.find('<') + 1);
  text.pop_back();
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  if (parts.size() != params->size()) fail(kTemplateArguments, where, wanted, example);
  std::vector<clang::TemplateArgument> args;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    llvm::StringRef part = parts[i];
    if (const auto *number = clang::dyn_cast<clang::NonTypeTemplateParmDecl>(params->getParam(i))) {
      clang::QualType type = number->getType();
      std::optional<llvm::APSInt> value = numberNamed(part.trim(), type);
      if (!value)
        fail(kInstanceNumber, where, part.trim().str(), wanted, number->getNameAsString(), spelled(type, context_));
      args.emplace_back(context_, *value, context_.getCanonicalType(type).getUnqualifiedType());
      continue;
    }
    clang::QualType type = typeNamed(part.trim().str());
    if (type.isNull() || !(scalarType(type, context_) || structure(type, where)))
      fail(kInstanceType, where, part.trim().str(), wanted);
    args.emplace_back(context_.getCanonicalType(type));
  }
  clang::FunctionDecl *instance = sema_.InstantiateFunctionDeclaration(
      group->spectrum->getDescribedFunctionTemplate(), clang::TemplateArgumentList::CreateCopy(context_, args),
      group->spectrum->getLocation());
  if (!instance) fail(kInstantiation, where, wanted);
  // Called what it was asked for by, so that whoever asked finds it.
  Entry &entry = enter(*group, instance);
  if (!entry.asked) entry.name = wanted;
  entry.asked = true;
}

} // namespace tangram::frontend
