#include "Program.h"

#include <llvm/ADT/StringRef.h>

#include "Body.h"
#include "Messages.h"
#include "Placement.h"
#include "Types.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <clang/Sema/Sema.h>

namespace tangram::frontend {

Program::Program(clang::Sema &sema, const Ranges &ranges, ast::Arena &arena, DiagnosticEngine &diags)
    : sema_(sema), context_(sema.getASTContext()), ranges_(ranges), arena_(arena), diags_(diags) {}

const ast::Module *Program::read(const FrontendRequest &request, ast::SourceRange file) {
  const std::string &wanted = request.spectrum;
  isWhole_ = request.whole;
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
    attempt([&] { fail(kNoSpectrums, {file.file, 1, 1, 1, 1}); });
    return nullptr;
  }

  for (const auto &group : groups_)
    if (!group->isTemplate()) attempt([&] { enter(*group, group->spectrum); });
  attempt([&] { wantInstances(); });
  for (std::size_t at = 0; at <= wanted.size();) {
    std::size_t end = std::min(wanted.find(';', at), wanted.size());
    attempt([&] { want(llvm::StringRef(wanted).slice(at, end).trim().str(), file); });
    at = end + 1;
  }
  if (wrong()) return nullptr;

  std::vector<const ast::Spectrum *> spectrums;
  for (std::size_t i = 0; i < entries_.size(); ++i) // grows while bodies are read
    attempt([&] { spectrums.push_back(make(*entries_[i])); });
  InlinedFunctions inlined;
  for (std::size_t i = 0; i < helpers_.size(); ++i)
    attempt([&] {
      Helper &helper = *helpers_[i];
      const Passing &passed = passing(helper.definition, ranges_.of(helper.definition->getLocation()));
      FunctionQualifiers qualifiers;
      qualifiers.coop = qualifiersOf(*helper.definition).coop;
      Body body(*this, helper.definition, Body::Role::Function, qualifiers,
                fmt::format("{}function '{}'", qualifiers.coop ? "cooperative " : "", helper.name), &passed);
      std::vector<const ast::Param *> params = body.params();
      ast::Type result = body.result();
      const auto *made = arena_.make<ast::Function>(ranges_.of(helper.definition->getSourceRange()), helper.name,
                                                    result, std::move(params), body.block());
      if (!passed.inlined) {
        functions_.push_back(made);
        return;
      }
      InlinedFunction &function = inlined[helper.name];
      function = {made, qualifiedName(*helper.definition), {}, qualifiers.coop};
      using Pass = InlinedFunction::Pass;
      for (const Passing::Param &param : passed.params)
        function.params.push_back(param.isArray || param.type.isArray() ? Pass::Array
                                  : param.reference                     ? Pass::Reference
                                                                        : Pass::Value);
    });
  attempt([&] { checkRecursion(); });
  attempt([&] { checkAliases(); });
  if (wrong()) return nullptr;
  for (const ast::Function *&function : functions_)
    function = arena_.derive(function, [&](ast::Function &copy) {
      copy.body = frontend::withCallsInlined(arena_, copy.params, copy.body, inlined).body;
    });
  for (const ast::Spectrum *&spectrum : spectrums) attempt([&] { spectrum = withCallsInlined(*spectrum, inlined); });
  if (wrong()) return nullptr;
  if (spectrums.empty()) {
    const Group &group = *groups_.front();
    attempt([&] { fail(kNothingInstantiated, ranges_.of(group.spectrum->getLocation()), group.name); });
    return nullptr;
  }
  const ast::Module *module = arena_.make<ast::Module>(file, std::move(structs_), std::move(functions_),
                                                       std::move(spectrums), std::vector<const ast::Kernel *>{});
  attempt([&] { checkConditions(*module); });
  return wrong() ? nullptr : module;
}

const ast::Spectrum *Program::withCallsInlined(const ast::Spectrum &spectrum, const InlinedFunctions &functions) {
  return arena_.derive(&spectrum, [&](ast::Spectrum &copy) {
    for (const ast::Codelet *&codelet : copy.codelets) {
      const ast::Codelet *before = std::exchange(codelet, frontend::withCallsInlined(arena_, codelet, functions));
      if (codelet == before) continue;
      checkExtents(codelet->body);
      std::set<std::string> own; // arrays that a function may have been given for a shared one
      ast::walk(codelet->body, [&](const ast::Declare &d) {
        if (!d.shared && !d.extents.empty()) own.insert(d.name);
      });
      ast::walk(codelet->body, [&](const ast::Atomic &atomic) {
        const ast::VarRef *root = ast::rootVariable(atomic.target);
        if (root && own.count(root->name)) fail(kOwnAtomic, atomic.range, root->name);
      });
    }
  });
}

/// Functions that have to do with structs are there where bodies call them, inlined.
void Program::checkConditions(const ast::Module &module) {
  const std::set<std::string> inlined = ast::functionsOfStructs(module);
  auto check = [&](const std::vector<const ast::Expr *> &conditions) {
    for (const ast::Expr *condition : conditions)
      ast::walk(condition, [&](const ast::Call &call) {
        if (inlined.count(call.callee))
          fail(kConditionCall, call.range, fmt::format("'{}', which has to do with structs", call.callee));
      });
  };
  for (const ast::Spectrum *spectrum : module.spectrums) {
    check(spectrum->conditions);
    for (const ast::Codelet *codelet : spectrum->codelets) check(codelet->conditions);
  }
}

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
      const ast::Block *block = body.block();
      if (qualifiers.independent && !ast::contains<ast::Map>(block))
        fail(kIndependentWithoutMap, ranges_.of(qualifiers.independentAt->getLocation()),
             fmt::format("codelet '{}' of '{}'", named, entry.name));
      codelets.push_back(arena_.make<ast::Codelet>(ranges_.of(codelet->getSourceRange()), named, qualifiers.tag,
                                                   ast::Text(), qualifiers.coop, qualifiers.independent, qualifiers.env,
                                                   qualifiers.levels, ast::Assumed(), std::move(own), std::move(needs),
                                                   block));
    });
  return arena_.make<ast::Spectrum>(where, entry.name, result, std::move(params), std::move(conditions),
                                    std::move(codelets));
}

std::string plainName(const clang::NamedDecl &declaration) {
  std::string plain;
  for (char c : qualifiedName(declaration)) {
    if (c == ':' && !plain.empty() && plain.back() == '_') continue;
    plain += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  }
  return plain;
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
  std::string plain = plainName(*callee);
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
