#include "tangram/diag/Diagnostic.h"

#include <utility>

namespace tangram {

void failBug(SourceRange range, std::string_view component, std::string what) {
  Diagnostic diagnostic;
  diagnostic.id = std::string(component) + ".bug";
  diagnostic.cls = DiagnosticClass::Bug;
  diagnostic.range = range;
  diagnostic.message = fmt::format("{}: {}", component, what);
  diagnostic.advice = "this is not your mistake: please report it together with the input";
  throw DiagnosticError(std::move(diagnostic));
}

DiagnosticEngine::Handle &DiagnosticEngine::Handle::note(SourceRange range, std::string message) {
  // The diagnostics may have been taken since.
  if (index_ < engine_.diagnostics_.size()) engine_.diagnostics_[index_].notes.push_back({range, std::move(message)});
  return *this;
}

DiagnosticEngine::Handle DiagnosticEngine::add(Diagnostic diagnostic) {
  // Innermost first: the nearest explanation stands next to the message.
  diagnostic.notes.insert(diagnostic.notes.end(), contexts_.rbegin(), contexts_.rend());
  diagnostics_.push_back(std::move(diagnostic));
  return Handle(*this, diagnostics_.size() - 1);
}

bool DiagnosticEngine::hasErrors() const {
  for (const Diagnostic &diagnostic : diagnostics_)
    if (diagnostic.severity == Severity::Error) return true;
  return false;
}

std::vector<Diagnostic> DiagnosticEngine::take() { return std::exchange(diagnostics_, {}); }

DiagnosticEngine::Context::Context(DiagnosticEngine &engine, std::string what, SourceRange range) : engine_(engine) {
  engine_.contexts_.push_back({range, std::move(what)});
}

DiagnosticEngine::Context::~Context() { engine_.contexts_.pop_back(); }

int exitCode(DiagnosticClass cls) {
  switch (cls) {
  case DiagnosticClass::User: return 1;
  case DiagnosticClass::Limitation: return 2;
  case DiagnosticClass::Bug: return 3;
  }
  return 3;
}

} // namespace tangram
