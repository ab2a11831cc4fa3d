// Which spectrums and codelets a file has, and that they fit together.
#include "Program.h"

#include "Messages.h"
#include "Types.h"

#include <algorithm>
#include <clang/Sema/Sema.h>
#include <clang/Sema/TemplateDeduction.h>

namespace tangram::frontend {
namespace {

/// a, b, ..., z, aa, ab, ...
std::string letters(std::size_t index) {
  std::string result;
  for (++index; index > 0; index = (index - 1) / 26)
    result.insert(result.begin(), static_cast<char>('a' + (index - 1) % 26));
  return result;
}

/// Of a template: int N, bool b, an enumeration.
bool isIntegral(const clang::NamedDecl *param) {
  const auto *number = clang::dyn_cast<clang::NonTypeTemplateParmDecl>(param);
  return number && number->getType()->isIntegralOrEnumerationType();
}

bool bothContainers(clang::QualType a, clang::QualType b) { return arrayType(a) && arrayType(b); }

} // namespace

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
    if (!(clang::isa<clang::TemplateTypeParmDecl>(param) || isIntegral(param)) || param->isTemplateParameterPack())
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
  if (a && b)
    for (unsigned i = 0; i < a->getTemplateParameters()->size(); ++i) {
      const clang::NamedDecl *own = a->getTemplateParameters()->getParam(i),
                             *other = b->getTemplateParameters()->getParam(i);
      const auto *x = clang::dyn_cast<clang::NonTypeTemplateParmDecl>(own),
                 *y = clang::dyn_cast<clang::NonTypeTemplateParmDecl>(other);
      if (!x && !y) continue;
      if (x && y && context_.hasSameUnqualifiedType(x->getType(), y->getType())) continue;
      auto shownAs = [&](const clang::NonTypeTemplateParmDecl *p) {
        return p ? fmt::format("'{}'", spelled(p->getType(), context_)) : std::string("a type");
      };
      return fmt::format("template parameter {} is {}, in the spectrum {}", i + 1, shownAs(x), shownAs(y));
    }
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
      // Another file may have those of a spectrum; of a template it would not know which instance is wanted.
      if (group->codelets.empty() && (isWhole_ || group->isTemplate()))
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

} // namespace tangram::frontend
