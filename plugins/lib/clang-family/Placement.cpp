#include "Placement.h"

#include "Messages.h"
#include "Qualifiers.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace tangram::frontend {
namespace {

class Checker final : public clang::RecursiveASTVisitor<Checker> {
public:
  Checker(const Ranges &ranges, DiagnosticEngine &diags) : ranges_(ranges), diags_(diags) {}

  bool VisitDecl(clang::Decl *declaration) {
    for (const auto *attribute : declaration->specific_attrs<clang::AnnotateAttr>()) {
      std::string qualifier = qualifierName(*attribute);
      if (qualifier.empty()) continue;
      std::string wrong = complaint(declaration, qualifier);
      if (wrong.empty()) continue;
      diags_.report(kMisplacedQualifier, ranges_.of(attribute->getLocation()), qualifier, wrong, home(qualifier));
      break;
    }
    return true;
  }

private:
  static std::string home(const std::string &qualifier) {
    if (qualifier == "__shared") return "it belongs on a local variable or array of a cooperative codelet";
    if (qualifier == "__tunable") return "it belongs on a local variable at the top of a codelet's body";
    if (qualifier == "__spectrum") return "it belongs on the declaration of a function";
    if (qualifier == "__codelet") return "it belongs on the definition of a function";
    if (qualifier == "__coop") return "it belongs on the definition of a codelet, or of a function that it calls";
    return "it belongs on the definition of a codelet, beside __codelet";
  }

  /// What the qualifier stands on, where that is wrong.
  static std::string complaint(clang::Decl *declaration, const std::string &qualifier) {
    bool ofVariable = qualifier == "__shared" || qualifier == "__tunable";
    if (const auto *function = clang::dyn_cast<clang::FunctionDecl>(declaration)) {
      if (clang::isa<clang::CXXMethodDecl>(function)) return "a member function";
      if (ofVariable) return "a function";
      FunctionQualifiers qualifiers = qualifiersOf(*function);
      if (qualifier == "__spectrum") return "";
      if (qualifier == "__codelet") return qualifiers.spectrum ? "a spectrum" : "";
      if (qualifiers.codelet) return "";
      if (qualifier == "__coop" && !qualifiers.spectrum) return "";
      return qualifiers.spectrum ? "the declaration of a spectrum" : "a function that is no codelet";
    }
    if (qualifier == "__instance") return "";
    if (const auto *variable = clang::dyn_cast<clang::VarDecl>(declaration)) {
      if (clang::isa<clang::ParmVarDecl>(variable)) return "a parameter";
      if (!ofVariable) return "a variable";
      return variable->isLocalVarDecl() ? "" : "a variable outside a function";
    }
    if (clang::isa<clang::FieldDecl>(declaration)) return "a member of a class";
    return "a declaration of another kind";
  }

  const Ranges &ranges_;
  DiagnosticEngine &diags_;
};

} // namespace

void checkPlacement(clang::Decl *declaration, const Ranges &ranges, DiagnosticEngine &diags) {
  Checker(ranges, diags).TraverseDecl(declaration);
}

} // namespace tangram::frontend
