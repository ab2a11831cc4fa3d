#include "Program.h"

#include "Body.h"
#include "Messages.h"
#include "Placement.h"
#include "Types.h"

#include "tangram/ast/Builtins.h"

#include <algorithm>
#include <clang/Sema/Sema.h>
#include <clang/Sema/Template.h>
#include <clang/Sema/TemplateDeduction.h>

namespace tangram::frontend {
namespace {

/// The namespaces that a reader would write, and the name.
std::string qualifiedName(const clang::NamedDecl &declaration) {
  std::string result = declaration.getDeclName().getAsString();
  for (const clang::DeclContext *scope = declaration.getDeclContext(); scope; scope = scope->getParent()) {
    const auto *named = clang::dyn_cast<clang::NamedDecl>(scope);
    if (!named || !named->getIdentifier()) continue;
    if (const auto *space = clang::dyn_cast<clang::NamespaceDecl>(scope); space && space->isInline()) continue;
    result = named->getName().str() + "::" + result;
  }
  return result;
}

std::string instanceName(const std::string &name, llvm::ArrayRef<clang::TemplateArgument> args,
                         const clang::ASTContext &context) {
  std::string list;
  for (const clang::TemplateArgument &arg : args)
    list += (list.empty() ? "" : ",") + spelled(arg.getAsType().getCanonicalType(), context);
  return name + "<" + list + ">";
}

/// a, b, ..., z, aa, ab, ...
std::string letters(std::size_t index) {
  std::string result;
  for (++index; index > 0; index = (index - 1) / 26)
    result.insert(result.begin(), static_cast<char>('a' + (index - 1) % 26));
  return result;
}

/// Clang has said what is wrong.
struct ClangComplained {};

bool bothContainers(clang::QualType a, clang::QualType b) { return arrayType(a) && arrayType(b); }

} // namespace

Program::Program(clang::Sema &sema, const Ranges &ranges, ast::Arena &arena, DiagnosticEngine &diags)
    : sema_(sema), context_(sema.getASTContext()), ranges_(ranges), arena_(arena), diags_(diags) {}

/// What is wrong with one part of the program does not hide what is wrong with the next.
template <class F> bool Program::attempt(F &&f) {
  try {
    f();
    return true;
  } catch (DiagnosticError &error) {
    diags_.add(std::move(error.diagnostic));
  } catch (ClangComplained &) {
  }
  failed_ = true;
  return false;
}

const ast::Module *Program::read(const std::string &wanted, ast::SourceRange file) {
  std::size_t before = diags_.all().size();
  auto wrong = [&] {
    for (std::size_t i = before; i < diags_.all().size(); ++i)
      if (diags_.all()[i].severity == Severity::Error) return true;
    return failed_;
  };
  for (clang::Decl *declaration : context_.getTranslationUnitDecl()->decls())
    if (ranges_.isUsers(declaration->getLocation())) checkPlacement(declaration, ranges_, diags_);
  if (wrong()) return nullptr;
  collect(context_.getTranslationUnitDecl());
  if (wrong()) return nullptr;
  matchCodelets();
  if (wrong()) return nullptr;
  if (groups_.empty()) {
    attempt([&] { fail(kNoSpectrums, file); });
    return nullptr;
  }

  for (const auto &group : groups_)
    if (!group->isTemplate()) attempt([&] { enter(*group, group->spectrum); });
  attempt([&] { wantInstances(); });
  attempt([&] { want(wanted, file); });
  if (wrong()) return nullptr;

  std::vector<const ast::Spectrum *> spectrums;
  for (std::size_t i = 0; i < entries_.size(); ++i) // grows while bodies are read
    attempt([&] { spectrums.push_back(make(*entries_[i])); });
  for (std::size_t i = 0; i < helpers_.size(); ++i)
    attempt([&] {
      Helper &helper = *helpers_[i];
      FunctionQualifiers none;
      Body body(*this, helper.definition, Body::Role::Function, none, fmt::format("function '{}'", helper.name));
      std::vector<const ast::Param *> params = body.params();
      ast::Type result = body.result();
      functions_.push_back(arena_.make<ast::Function>(ranges_.of(helper.definition->getSourceRange()), helper.name,
                                                      result, std::move(params), body.block()));
    });
  attempt([&] { checkRecursion(); });
  if (wrong()) return nullptr;
  if (spectrums.empty()) {
    const Group &group = *groups_.front();
    attempt([&] { fail(kNothingInstantiated, ranges_.of(group.spectrum->getLocation()), group.name); });
    return nullptr;
  }
  return arena_.make<ast::Module>(file, std::vector<const ast::Struct *>{}, std::move(functions_), std::move(spectrums),
                                  std::vector<const ast::Kernel *>{});
}

// ---- declarations as written ------------------------------------------------------------------------------

void Program::collect(clang::DeclContext *scope) {
  for (clang::Decl *declaration : scope->decls()) {
    if (auto *space = clang::dyn_cast<clang::NamespaceDecl>(declaration)) {
      if (ranges_.isUsers(space->getLocation())) collect(space);
    } else if (auto *linkage = clang::dyn_cast<clang::LinkageSpecDecl>(declaration)) {
      if (ranges_.isUsers(linkage->getLocation())) collect(linkage);
    }
    if (!ranges_.isUsers(declaration->getLocation())) continue;
    if (auto *variable = clang::dyn_cast<clang::VarDecl>(declaration)) {
      if (findQualifier(*variable, "instance")) instances_.push_back(variable);
    } else if (auto *function = clang::dyn_cast<clang::FunctionDecl>(declaration)) {
      attempt([&] { collectFunction(function); });
    } else if (auto *pattern = clang::dyn_cast<clang::FunctionTemplateDecl>(declaration)) {
      attempt([&] { collectFunction(pattern->getTemplatedDecl()); });
    }
  }
}

void Program::checkTemplate(const clang::FunctionDecl &function, const std::string &name) {
  const clang::FunctionTemplateDecl *pattern = function.getDescribedFunctionTemplate();
  if (!pattern) return;
  for (const clang::NamedDecl *param : *pattern->getTemplateParameters())
    if (!clang::isa<clang::TemplateTypeParmDecl>(param) || param->isTemplateParameterPack())
      fail(kTemplateParameter, ranges_.of(param->getLocation()), param->getNameAsString(), name);
}

void Program::collectFunction(clang::FunctionDecl *function) {
  FunctionQualifiers qualifiers = qualifiersOf(*function);
  if (!qualifiers.spectrum && !qualifiers.codelet) return;
  ast::SourceRange where = ranges_.of(function->getLocation());
  std::string name = qualifiedName(*function);
  if (function->isVariadic()) fail(kVariadic, where, name);
  auto key = std::pair<const clang::DeclContext *, clang::DeclarationName>(
      function->getDeclContext()->getRedeclContext()->getPrimaryContext(), function->getDeclName());
  Group *&group = groupOf_[key];
  if (!group) {
    groups_.push_back(std::make_unique<Group>());
    group = groups_.back().get();
    group->name = name;
  }
  if (group->broken) return; // said once
  group->broken = true;
  checkTemplate(*function, name);
  if (qualifiers.codelet) {
    if (!function->isThisDeclarationADefinition()) fail(kCodeletWithoutBody, where, name);
    group->codelets.push_back(function);
    group->broken = false;
    return;
  }

  if (function->isThisDeclarationADefinition()) fail(kSpectrumWithBody, where, name);
  if (!group->spectrum) {
    group->spectrum = function;
    const clang::Decl *canonical = function->getCanonicalDecl();
    if (const auto *pattern = function->getDescribedFunctionTemplate()) canonical = pattern->getCanonicalDecl();
    groupOfSpectrum_[canonical] = group;
    group->broken = false;
    return;
  }
  // Declared again: the same, or an overload, which codelets could not tell apart by name.
  bool same = function->getCanonicalDecl() == group->spectrum->getCanonicalDecl();
  for (unsigned i = 0; same && i < function->getNumParams(); ++i) {
    clang::QualType a = function->getParamDecl(i)->getType(), b = group->spectrum->getParamDecl(i)->getType();
    same = !bothContainers(a, b) || a.isConstQualified() == b.isConstQualified();
  }
  group->broken = !same;
  if (same) return;
  Diagnostic diagnostic = makeDiagnostic(kTwoSpectrums, where, name);
  diagnostic.notes.push_back({ranges_.of(group->spectrum->getLocation()), "the first declaration is here"});
  throw DiagnosticError(std::move(diagnostic));
}

/// What differs between a codelet's signature and its spectrum's; empty: nothing.
std::string Program::mismatch(Group &group, clang::FunctionDecl *codelet) {
  const clang::FunctionDecl *spectrum = group.spectrum;
  const clang::FunctionTemplateDecl *a = codelet->getDescribedFunctionTemplate(),
                                    *b = spectrum->getDescribedFunctionTemplate();
  if (a && !b) return "it is a template, the spectrum is none";
  if (!a && b) {
    // It may still implement one instance.
    clang::sema::TemplateDeductionInfo info(codelet->getLocation());
    clang::FunctionDecl *instance = nullptr;
    clang::TemplateDeductionResult result =
        sema_.DeduceTemplateArguments(group.spectrum->getDescribedFunctionTemplate(), nullptr, codelet->getType(),
                                      instance, info, /*IsAddressOfFunction=*/true);
    if (result != clang::TemplateDeductionResult::Success || !instance)
      return fmt::format("no instance of the spectrum has the type '{}'", spelled(codelet->getType(), context_));
    spectrum = instance;
  }
  if (a && b && a->getTemplateParameters()->size() != b->getTemplateParameters()->size())
    return fmt::format("it has {} template parameters, the spectrum {}", a->getTemplateParameters()->size(),
                       b->getTemplateParameters()->size());
  if (codelet->getNumParams() != spectrum->getNumParams())
    return fmt::format("it has {} parameters, the spectrum {}", codelet->getNumParams(), spectrum->getNumParams());
  for (unsigned i = 0; i < codelet->getNumParams(); ++i) {
    clang::QualType x = codelet->getParamDecl(i)->getType(), y = spectrum->getParamDecl(i)->getType();
    bool constness = x.isConstQualified() == y.isConstQualified() ||
                     !(arrayType(x) || arrayType(y) || (x->isDependentType() && x->isRecordType()) ||
                       x->getAs<clang::TemplateSpecializationType>());
    if (context_.hasSameUnqualifiedType(x, y) && constness) continue;
    return fmt::format("parameter {} is '{}', in the spectrum '{}'", i + 1, spelled(x, context_), spelled(y, context_));
  }
  if (!context_.hasSameType(codelet->getReturnType(), spectrum->getReturnType()))
    return fmt::format("it returns '{}', the spectrum '{}'", spelled(codelet->getReturnType(), context_),
                       spelled(spectrum->getReturnType(), context_));
  return "";
}

void Program::failNoSpectrum(Group &group, clang::FunctionDecl *codelet) {
  std::vector<std::string> known;
  for (const auto &other : groups_)
    if (other->spectrum) known.push_back(other->name);
  std::string near = nearest(group.name, known).empty() ? "" : "; there is a spectrum " + suggest(group.name, known);
  std::string params;
  for (const clang::ParmVarDecl *param : codelet->parameters()) {
    params += (params.empty() ? "" : ", ") + spelled(param->getType(), context_);
    if (!param->getName().empty()) params += " " + param->getNameAsString();
  }
  fail(kCodeletWithoutSpectrum, ranges_.of(codelet->getLocation()), group.name, near,
       spelled(codelet->getReturnType(), context_), codelet->getNameAsString(), params);
}

void Program::matchCodelets() {
  for (const auto &group : groups_) {
    attempt([&] {
      for (clang::FunctionDecl *codelet : group->codelets) {
        if (!group->spectrum) failNoSpectrum(*group, codelet);
        std::string difference = mismatch(*group, codelet);
        if (difference.empty()) continue;
        Diagnostic diagnostic = makeDiagnostic(kSignature, ranges_.of(codelet->getLocation()), group->name, difference);
        diagnostic.notes.push_back({ranges_.of(group->spectrum->getLocation()), "the spectrum is declared here"});
        throw DiagnosticError(std::move(diagnostic));
      }
      if (group->codelets.empty())
        fail(kSpectrumWithoutCodelets, ranges_.of(group->spectrum->getLocation()), group->name);
      nameCodelets(*group);
    });
  }
}

void Program::nameCodelets(Group &group) {
  std::map<std::string, const clang::FunctionDecl *> tags;
  for (clang::FunctionDecl *codelet : group.codelets) {
    FunctionQualifiers qualifiers = qualifiersOf(*codelet);
    if (!qualifiers.tagged) continue;
    ast::SourceRange where = ranges_.of(qualifiers.tagged->getLocation());
    bool word = !qualifiers.tag.empty() && !(qualifiers.tag[0] >= '0' && qualifiers.tag[0] <= '9') &&
                std::all_of(qualifiers.tag.begin(), qualifiers.tag.end(),
                            [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (!word) fail(kTagWord, where, qualifiers.tag);
    auto [it, isNew] = tags.emplace(qualifiers.tag, codelet);
    if (isNew) continue;
    Diagnostic diagnostic = makeDiagnostic(kDuplicateTag, where, qualifiers.tag, group.name);
    diagnostic.notes.push_back({ranges_.of(it->second->getLocation()), "the first codelet with this tag is here"});
    throw DiagnosticError(std::move(diagnostic));
  }
  std::size_t next = 0;
  for (clang::FunctionDecl *codelet : group.codelets) {
    std::string name = qualifiersOf(*codelet).tag;
    std::string letter = letters(next++);
    while (name.empty() && tags.count(letter)) letter = letters(next++);
    group.names.push_back(name.empty() ? letter : name);
  }
}

// ---- instances ----------------------------------------------------------------------------------------------

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
  if (entry->codelets.empty()) fail(kSpectrumWithoutCodelets, ranges_.of(declaration->getLocation()), entry->name);
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
  // A typedef of the source, or of the standard library.
  llvm::StringRef plain = text;
  plain.consume_front("std::");
  if (clang::isValidAsciiIdentifier(plain))
    for (clang::NamedDecl *found : context_.getTranslationUnitDecl()->lookup(&context_.Idents.get(plain)))
      if (auto *alias = clang::dyn_cast<clang::TypedefNameDecl>(found)) return context_.getTypedefType(alias);
  return {};
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
  if (!group) fail(kUnknownSpectrum, file, wanted, suggest(name, known));
  ast::SourceRange where = ranges_.of(group->spectrum->getLocation());
  bool list = name.size() < wanted.size() && wanted.find('<') != std::string::npos;
  if (!group->isTemplate()) {
    if (list) fail(kNoTemplate, where, wanted, name);
    return;
  }
  const clang::TemplateParameterList *params = group->spectrum->getDescribedFunctionTemplate()->getTemplateParameters();
  std::string example = name + "<float";
  for (unsigned i = 1; i < params->size(); ++i) example += ",float";
  example += ">";
  if (!list || wanted.back() != '>') fail(kTemplateArguments, where, wanted, example);

  std::string text = wanted.substr(wanted.find('<') + 1);
  text.pop_back();
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  if (parts.size() != params->size()) fail(kTemplateArguments, where, wanted, example);
  std::vector<clang::TemplateArgument> args;
  for (llvm::StringRef part : parts) {
    clang::QualType type = typeNamed(part.trim().str());
    if (type.isNull() || !scalarType(type, context_)) fail(kInstanceType, where, part.trim().str(), wanted);
    args.emplace_back(context_.getCanonicalType(type));
  }
  clang::FunctionDecl *instance = sema_.InstantiateFunctionDeclaration(
      group->spectrum->getDescribedFunctionTemplate(), clang::TemplateArgumentList::CreateCopy(context_, args),
      group->spectrum->getLocation());
  if (!instance) fail(kInstantiation, where, wanted);
  enter(*group, instance);
}

// ---- the module -------------------------------------------------------------------------------------------

const ast::Spectrum *Program::make(Entry &entry) {
  ast::SourceRange where = ranges_.of(entry.declaration->getSourceRange());
  FunctionQualifiers declared = qualifiersOf(*entry.declaration);
  Body declaration(*this, entry.declaration, Body::Role::Spectrum, declared, fmt::format("spectrum '{}'", entry.name));
  std::vector<const ast::Param *> params = declaration.params();
  ast::Type result = declaration.result();
  std::vector<const ast::Expr *> conditions = declaration.conditions();

  std::vector<const ast::Codelet *> codelets;
  for (auto &[function, name] : entry.codelets)
    attempt([&, codelet = function, named = name] {
      FunctionQualifiers qualifiers = qualifiersOf(*codelet);
      if (codelet->isConsteval())
        fail(kUnsupported, ranges_.of(codelet->getLocation()), "a consteval codelet", "drop consteval");
      Body body(*this, codelet, Body::Role::Codelet, qualifiers,
                fmt::format("codelet '{}' of '{}'", named, entry.name));
      std::vector<const ast::Param *> own = body.params();
      std::vector<const ast::Expr *> needs = body.conditions();
      codelets.push_back(arena_.make<ast::Codelet>(ranges_.of(codelet->getSourceRange()), named, qualifiers.tag,
                                                   qualifiers.coop, qualifiers.env, std::move(own), std::move(needs),
                                                   body.block()));
    });
  return arena_.make<ast::Spectrum>(where, entry.name, result, std::move(params), std::move(conditions),
                                    std::move(codelets));
}

std::string Program::function(const clang::FunctionDecl *caller, const clang::FunctionDecl *callee,
                              ast::SourceRange call) {
  helperCalls_.push_back({caller->getCanonicalDecl(), callee->getCanonicalDecl(), call});
  Helper *&helper = helperOf_[callee->getCanonicalDecl()];
  if (helper) return helper->name;
  const clang::FunctionDecl *definition = nullptr;
  if (!callee->hasBody(definition) || !ranges_.isUsers(definition->getLocation())) {
    if (!callee->hasBody(definition) && !callee->getBuiltinID() && ranges_.isUsers(callee->getLocation()))
      fail(kNoBody, call, qualifiedName(*callee));
    fail(kUnknownFunction, call, qualifiedName(*callee));
  }
  std::string name = qualifiedName(*callee), plain;
  for (char c : name) {
    if (c == ':' && !plain.empty() && plain.back() == '_') continue;
    plain += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  }
  if (ast::isMathFunction(plain)) plain += "_";
  helpers_.push_back(std::make_unique<Helper>());
  helper = helpers_.back().get();
  helper->definition = definition;
  helper->name = functionNames_.fresh(plain);
  return helper->name;
}

std::string Program::synthesized(const std::string &name,
                                 const std::function<const ast::Function *(const std::string &)> &make) {
  auto [it, isNew] = synthesized_.try_emplace(name);
  if (isNew) {
    it->second = functionNames_.fresh(name);
    functions_.push_back(make(it->second));
  }
  return it->second;
}

void Program::checkRecursion() {
  std::map<const clang::FunctionDecl *, std::vector<const HelperCall *>> calls;
  for (const HelperCall &call : helperCalls_) calls[call.caller].push_back(&call);
  std::map<const clang::FunctionDecl *, int> state; // 1: on the path, 2: done
  std::function<void(const clang::FunctionDecl *)> visit = [&](const clang::FunctionDecl *function) {
    state[function] = 1;
    for (const HelperCall *call : calls[function]) {
      int &seen = state[call->callee];
      if (seen == 1) fail(kRecursion, call->range, qualifiedName(*call->callee));
      if (seen == 0) visit(call->callee);
    }
    state[function] = 2;
  };
  for (const auto &helper : helpers_)
    if (!state[helper->definition->getCanonicalDecl()]) visit(helper->definition->getCanonicalDecl());
}

} // namespace tangram::frontend
