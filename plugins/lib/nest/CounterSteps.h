// Statements as steps of a counter: what they add to it, and where they bring it back.
#pragma once

#include "LinearForms.h"

#include "tangram/ast/Node.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram::nest {

/// The counter's value before a statement, as a term.
inline const std::string kSelf = "self";

/// What a statement does to a counter.
struct CounterStep {
  enum class Kind { Add, Wrap, Both } kind = Kind::Add;
  enum class Back { Once, Reset, Repeated, Remainder } back = Back::Once;
  int direction = 0;                  // that it is brought back from: 1 above, -1 below, 0 at one value
  LinearForm by;                      // added, where it is not brought back
  LinearForm edge;                    // brought back from here on
  LinearForm amount;                  // added where it is brought back, or the value that it is set to; the divisor
  const ast::Block *region = nullptr; // carried out where it is brought back
  /// What the source computes it with does not wrap around: always, where it is not brought back, or where it is.
  struct Need {
    LinearNeed need;
    enum class Where { All, Same, Back } where = Where::All;
  };
  std::vector<Need> needs;
};

/// The statement as a step of the counter of this name and type, such as `x += s;`, `if (++x == n) { x = 0; ... }` and
/// `while (x < 0) x += n;`; nothing where it changes it in another way. What `forms` took variables for is forgotten.
std::optional<CounterStep> counterStep(const ast::Stmt *s, const std::string &name, const ast::Type &type,
                                       LinearForms &forms);

} // namespace tangram::nest
