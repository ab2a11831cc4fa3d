#include "tangram/loops/DataWidth.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <set>
#include <string>

namespace tangram::loops {

using namespace ast;

namespace {

constexpr unsigned kAny = 4; // of what this does not look into

class Widest {
public:
  explicit Widest(const std::function<bool(const Expr *)> &varying) : varying_(varying) {}

  unsigned of(const Block *body) {
    std::size_t known;
    do {
      known = data_.size();
      walk(
          body,
          [&](const Declare &d) {
            if (d.init && isData(d.init)) data_.insert(d.name);
          },
          [&](const Assign &a) {
            const auto *v = dyn<VarRef>(a.target);
            if (v && isData(a.value)) data_.insert(v->name);
          });
    } while (data_.size() != known);
    visit(body);
    return widest_;
  }

private:
  /// A place in memory, or made of what is there.
  bool isData(const Expr *e) const {
    return !walk(e, [&](const Expr &part) {
      if (isa<Subscript>(&part)) return WalkResult::Stop;
      const auto *v = dyn<VarRef>(&part);
      return v && data_.count(v->name) ? WalkResult::Stop : WalkResult::Advance;
    });
  }

  void visit(const Node *node) {
    if (const auto *e = dyn<Expr>(node)) {
      if (isa<Atomic>(e) || isa<Shuffle>(e) || isa<MatrixMultiply>(e) || isa<Transfer>(e) || e->type.isStruct() ||
          e->type.isVector())
        widest_ = std::max(widest_, kAny);
      if (e->type.isScalar() && !e->type.isBool() && varying_(e) && isData(e))
        widest_ = std::max(widest_, e->type.bytes());
      if (const auto *element = dyn<Subscript>(e)) return visit(element->base);
    }
    for (const Node *child : children(*node)) visit(child);
  }

  const std::function<bool(const Expr *)> &varying_;
  std::set<std::string> data_; // variables
  unsigned widest_ = 0;
};

} // namespace

unsigned widestData(const Block *body, const std::function<bool(const Expr *)> &varying) {
  return Widest(varying).of(body);
}

} // namespace tangram::loops
