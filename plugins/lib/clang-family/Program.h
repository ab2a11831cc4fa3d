// Spectrums, codelets and helper functions of one translation unit, and the module made of them.
#pragma once

#include "Cooperative.h"
#include "Qualifiers.h"
#include "References.h"
#include "tangram/clang-family/Ranges.h"

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"
#include "tangram/ast/Structs.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/pass/Pass.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace tangram::frontend {

/// It was said already what is wrong.
struct ClangComplained {};

class Program {
public:
  Program(clang::Sema &sema, const Ranges &ranges, ast::Arena &arena, DiagnosticEngine &diags);

  /// The module, or null with errors reported. `file`: the place of what is wrong with the file as a whole.
  const ast::Module *read(const FrontendRequest &request, ast::SourceRange file);

  // ---- for bodies ----

  /// The name of the spectrum that a call refers to; an instance of a template is made where it is called first.
  /// Nothing where the function is no spectrum.
  std::optional<std::string> spectrum(const clang::FunctionDecl *callee, ast::SourceRange call);
  /// The name of the Function that `callee` becomes.
  std::string function(const clang::FunctionDecl *caller, const clang::FunctionDecl *callee, ast::SourceRange call);
  /// How a function of the file is called.
  const Passing &passing(const clang::FunctionDecl *function, ast::SourceRange use);
  /// A call by which a parameter of the function and one that it changes may be the same variable: refused where that
  /// matters.
  struct Alias {
    std::string function, called, read, written; // names: in the module, as the user has it; of the parameters
    ast::SourceRange range;
  };
  void mayAlias(Alias alias) { aliases_.push_back(std::move(alias)); }
  /// A Function of ours, made when first asked for.
  std::string synthesized(const std::string &name,
                          const std::function<const ast::Function *(const std::string &)> &make);

  /// Whether it is a scalar, or a struct of the user's.
  bool isValue(clang::QualType type, ast::SourceRange use);
  /// A struct of the user's, made when first asked for; nothing for another type. Throws where it is no plain one.
  std::optional<ast::Type> structure(clang::QualType type, ast::SourceRange use);

  clang::ASTContext &context() const { return context_; }
  const Ranges &ranges() const { return ranges_; }
  ast::Arena &arena() const { return arena_; }

private:
  /// Declarations of one name: a spectrum and its codelets, as written.
  struct Group {
    std::string name;
    clang::FunctionDecl *spectrum = nullptr; // or the pattern of a template
    std::vector<clang::FunctionDecl *> codelets;
    std::vector<std::string> names; // of the codelets
    bool broken = false;
    bool isTemplate() const { return spectrum->getDescribedFunctionTemplate() != nullptr; }
  };
  /// A spectrum of the module.
  struct Entry {
    Group *group = nullptr;
    std::string name;
    bool asked = false;                         // for by the request, under this name
    clang::FunctionDecl *declaration = nullptr; // with concrete types
    std::vector<std::pair<clang::FunctionDecl *, std::string>> codelets;
  };
  struct Helper {
    const clang::FunctionDecl *definition = nullptr;
    std::string name;
    const ast::Function *made = nullptr;
  };
  struct HelperCall {
    const clang::FunctionDecl *caller = nullptr, *callee = nullptr;
    ast::SourceRange range;
  };

  /// What is wrong with one part of the program does not hide what is wrong with the next.
  template <class F> void attempt(F &&f) {
    try {
      f();
      return;
    } catch (DiagnosticError &error) {
      diags_.add(std::move(error.diagnostic));
    } catch (ClangComplained &) {
    }
    failed_ = true;
  }
  void collect(clang::DeclContext *scope);
  void collectFunction(clang::FunctionDecl *function);
  void checkTemplate(const clang::FunctionDecl &function, const std::string &name);
  void matchCodelets();
  void nameCodelets(Group &group);
  std::string mismatch(Group &group, clang::FunctionDecl *codelet);
  [[noreturn]] void failNoSpectrum(Group &group, clang::FunctionDecl *codelet);
  void want(const std::string &wanted, ast::SourceRange file);
  void wantInstances();
  /// A template argument of an integral type; nothing where it is no value of that.
  std::optional<llvm::APSInt> numberNamed(llvm::StringRef text, clang::QualType type);
  clang::QualType typeNamed(const std::string &text);
  Entry &enter(Group &group, clang::FunctionDecl *declaration);
  clang::FunctionDecl *instantiate(clang::FunctionTemplateDecl *codelet, const clang::TemplateArgumentList &args,
                                   clang::SourceLocation where);
  const ast::Spectrum *make(Entry &entry);
  void checkRecursion();
  void checkAliases();
  Passing findPassing(const clang::FunctionDecl *function);
  std::optional<unsigned> returnedPlace(const Passing &passing, const clang::Expr *e);
  void checkConditions(const ast::Module &module);
  const ast::Spectrum *withCallsInlined(const ast::Spectrum &spectrum, const InlinedFunctions &functions);

  clang::Sema &sema_;
  clang::ASTContext &context_;
  const Ranges &ranges_;
  ast::Arena &arena_;
  DiagnosticEngine &diags_;
  bool failed_ = false;
  bool isWhole_ = true; // FrontendRequest::whole

  std::vector<std::unique_ptr<Group>> groups_; // by first appearance
  std::map<std::pair<const clang::DeclContext *, clang::DeclarationName>, Group *> groupOf_;
  std::map<const clang::Decl *, Group *> groupOfSpectrum_; // canonical declarations
  std::vector<const clang::VarDecl *> instances_;          // __instance
  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<const clang::FunctionDecl *, Entry *> entryOf_;
  ast::Names functionNames_, structNames_;
  std::map<const clang::Decl *, ast::Type> structOf_;
  std::vector<const ast::Struct *> structs_; // what others have as fields stand before them
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::map<const clang::FunctionDecl *, Helper *> helperOf_;
  std::map<const clang::FunctionDecl *, std::unique_ptr<Passing>> passings_;
  std::set<const clang::FunctionDecl *> refused_; // what is wrong with how they are called was said
  std::vector<Alias> aliases_;
  std::map<std::string, std::string> synthesized_;
  std::vector<const ast::Function *> functions_;
  std::vector<HelperCall> helperCalls_;
};

} // namespace tangram::frontend
