// Diagnostics: a place, what was written, what is wrong, what to do. Three classes: the user's input is
// wrong, a known limitation of ours, a bug of ours.
//
// A kind is declared once, beside the code that reports it:
//   inline constexpr DiagnosticKind kUnknownLevel{"hardware.unknown-level", DiagnosticClass::User,
//       "level '{}' names '{}' below it, which is not a level", "known levels: {}"};
// and reported with its arguments: diags.report(kUnknownLevel, range, level, below, known).note(...);
// Wording: lower case, no full stop, describe the situation in the words the user wrote.
#pragma once

#include "tangram/ast/Node.h"

#include <exception>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <vector>

namespace tangram {

using ast::SourceRange;

enum class DiagnosticClass : std::uint8_t { User, Limitation, Bug };
enum class Severity : std::uint8_t { Error, Warning };

struct DiagnosticKind {
  std::string_view id; // "component.what-is-wrong", stable
  DiagnosticClass cls = DiagnosticClass::User;
  std::string_view message; // fmt format; takes the first arguments
  std::string_view advice;  // fmt format; takes the same arguments (use {0}, {1}, ... in either)
  Severity severity = Severity::Error;
};

struct Note {
  SourceRange range;
  std::string message;
};

struct Diagnostic {
  std::string id;
  DiagnosticClass cls = DiagnosticClass::User;
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  std::string advice;
  std::vector<Note> notes;
};

template <class... Args> Diagnostic makeDiagnostic(const DiagnosticKind &kind, SourceRange range, const Args &...args) {
  return {std::string(kind.id),
          kind.cls,
          kind.severity,
          range,
          fmt::format(fmt::runtime(kind.message), args...),
          fmt::format(fmt::runtime(kind.advice), args...),
          {}};
}

/// Ends the current piece of work. What catches it prints the diagnostic and maps its class to an exit code.
class DiagnosticError : public std::exception {
public:
  explicit DiagnosticError(Diagnostic d) : diagnostic(std::move(d)) {}
  const char *what() const noexcept override { return diagnostic.message.c_str(); }
  Diagnostic diagnostic;
};

template <class... Args> [[noreturn]] void fail(const DiagnosticKind &kind, SourceRange range, const Args &...args) {
  throw DiagnosticError(makeDiagnostic(kind, range, args...));
}

/// Where something broke in our own code: class Bug. `what` says which invariant.
[[noreturn]] void failBug(SourceRange range, std::string_view component, std::string what);

/// Collects diagnostics; contexts ("while composing 'sum' for cpu-simple") become notes of each.
class DiagnosticEngine {
public:
  class Handle {
  public:
    Handle &note(SourceRange range, std::string message);

  private:
    friend DiagnosticEngine;
    Handle(DiagnosticEngine &engine, std::size_t index) : engine_(engine), index_(index) {}
    DiagnosticEngine &engine_;
    std::size_t index_;
  };

  template <class... Args> Handle report(const DiagnosticKind &kind, SourceRange range, const Args &...args) {
    return add(makeDiagnostic(kind, range, args...));
  }
  Handle add(Diagnostic diagnostic);

  bool hasErrors() const;
  const std::vector<Diagnostic> &all() const { return diagnostics_; }
  std::vector<Diagnostic> take();

  /// RAII: names what is being done for every diagnostic reported meanwhile.
  class Context {
  public:
    Context(DiagnosticEngine &engine, std::string what, SourceRange range = {});
    ~Context();
    Context(const Context &) = delete;

  private:
    DiagnosticEngine &engine_;
  };

private:
  friend Context;
  std::vector<Diagnostic> diagnostics_;
  std::vector<Note> contexts_;
};

/// "file:3:5: error: ...", the source line with a caret, advice and notes. `color`: ANSI escapes.
std::string render(const Diagnostic &diagnostic, bool color);
/// 1, 2 or 3: the driver's exit code for the class.
int exitCode(DiagnosticClass cls);

/// The candidates nearest to a misspelt word, best first, at most three; empty where none is near.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string> &candidates);
/// "'sum' or 'dot'" from the nearest, else "one of a, b, c" from all.
std::string suggest(std::string_view word, const std::vector<std::string> &candidates);
/// Text of the user's as a message may quote it: control characters escaped, cut where it is long.
std::string shown(std::string_view text);

} // namespace tangram
