// What results are compared with: the plainest plan of a spectrum, in order, in wider types, with a bound for each
// number on what roundings may change (bounded_real.h). docs/verification.md says why.
#pragma once

#include "tangram/session/Session.h"
#include "tangram/verify/Compare.h"
#include "tangram/verify/KernelLibrary.h"

namespace tangram::runtime {

/// A reference kernel that was built: where it lies, and the plan that it follows.
struct ReferenceLibrary {
  std::filesystem::path library;
  std::string plan; // its key
};

/// Light: with no bound for each number, but what the plainest order rounds by, of which one for all is made. A twelfth
/// of the time (light_real.h).
enum class ReferenceKind : std::uint8_t { Full, Light };

/// Composes the plainest plan of `spectrum` for the target `reference` and builds it in `folder`. Codelets for the
/// session's own target are candidates there. Throws DiagnosticError (user error) where the spectrum has no plain plan.
ReferenceLibrary buildReference(Session &session, const std::string &spectrum, const std::filesystem::path &folder,
                                ReferenceKind kind = ReferenceKind::Full);

/// Of each parameter of `spectrum`, whether it is a container that its plainest plan writes and never reads: what it
/// holds before the call stays where nothing is written, and is of no account elsewhere. Throws as buildReference()
/// does.
std::vector<bool> neverRead(Session &session, const std::string &spectrum);

class Reference {
public:
  /// Throws DiagnosticError where the library is none of buildReference(), of the same kind.
  explicit Reference(const std::filesystem::path &library, ReferenceKind kind = ReferenceKind::Full);

  const tangram_kernel &kernel() const { return *library_.kernels()[0]; }

  struct Outcome {
    CallResult result;              // of the first call
    double seconds = 0;             // of the first call
    std::vector<Expected> expected; // of each parameter, where the result is ok()
    Undecided undecided;            // where roundings may turn a question, several answers are accepted
    /// Whether nothing was rounded, as far as a light reference can tell: of few numbers that may be by chance.
    bool isExact() const;
  };
  /// Calls it; where roundings decide comparisons, several times more, with other decisions.
  Outcome call(const std::vector<Value> &arguments) const;

private:
  Outcome callOnce(const std::vector<Value> &arguments, std::uint64_t answers) const;

  /// From what numbers of a light reference differ by in the plainest order to a bound for any.
  static void widen(std::vector<Expected::Number> &numbers, tangram_element element, std::uint64_t most);

  KernelLibrary library_;
  ReferenceKind kind_;
  void (*begin_)(std::uint64_t);
  std::uint64_t (*end_)();
  bool (*find_)(const void *, int element, void *);
};

} // namespace tangram::runtime
