// The loops that code stands in, and how what it computes moves with their counters.
#pragma once

#include "CodeletContainers.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tangram {

class LoopsAround {
public:
  struct Loop {
    std::string counter;
    double turns = 1;
    bool stores = false; // to memory that what is loaded in it might be of
    const ast::Block *body = nullptr;
    bool byOne = false; // is how its counter grows
    bool fixed = false; // its turns are the same in all calls
    bool writtenOut = false;
  };

  LoopsAround(const CodeletSource &source, const CodeletContainers &containers, Numbers &numbers, std::uint64_t lanes)
      : source_(source), containers_(containers), numbers_(numbers), lanes_(lanes) {}

  /// The innermost last.
  const std::vector<Loop> &all() const { return loops_; }
  void enter(Loop loop) { loops_.push_back(std::move(loop)); }
  void leave() { loops_.pop_back(); }

  /// How far the counters of loops around go; to be put back behind a loop.
  using Spans = std::unordered_map<std::string, double>;
  const Spans &spans() const { return spans_; }
  void setSpan(const std::string &counter, double span);
  void setSpans(Spans spans);

  /// How far apart the least and the greatest value are that an index has in a call; nothing where data says.
  std::optional<double> span(const ast::Expr *e);
  /// Whether a place is another one in each turn of a loop that counts `counter`.
  bool dependsOn(const ast::Expr *e, const std::string &counter) const;
  /// Whether an index is computed of a counter, not found by it.
  bool follows(const ast::Expr *index, const std::string &counter) const;
  /// Whether it is known when code is made.
  bool isConstant(const ast::Expr *e);
  /// Whether it is a constant in each turn of loops that are unrolled.
  bool isUnrolled(const ast::Expr *e);
  /// Whether a place is an element of a small array of the codelet's own whose indices unrolled loops count.
  bool isRegister(const std::string &name, const ast::Expr *place);

private:
  const CodeletSource &source_;
  const CodeletContainers &containers_;
  Numbers &numbers_;
  std::uint64_t lanes_;
  std::vector<Loop> loops_;
  Spans spans_;
  std::unordered_map<std::string, std::optional<double>> variableSpans_; // of other variables, in these loops
  std::unordered_map<std::string, bool> constants_;                      // variables that are
};

} // namespace tangram
