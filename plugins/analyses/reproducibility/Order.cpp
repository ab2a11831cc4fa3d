#include "Order.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tangram::reproducibility {

using namespace ast;

namespace {

bool isArithmetic(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul || op == BinaryOp::Div;
}
bool isArithmetic(AssignOp op) {
  return op == AssignOp::Add || op == AssignOp::Sub || op == AssignOp::Mul || op == AssignOp::Div;
}

/// Whether it is a floating-point number, or a struct, which may have one.
bool mayFloat(const Type &type) { return type.leaf().isFloating() || type.leaf().isStruct(); }

/// Calls `visit` with each floating-point operation and its operands.
template <class F> void arithmetic(const Node *tree, F &&visit) {
  walk(
      tree,
      [&](const Binary &b) {
        if (isArithmetic(b.op) && b.type.element().isFloating()) visit(b, std::vector<const Expr *>{b.lhs, b.rhs});
      },
      [&](const Assign &a) {
        if (isArithmetic(a.op) && a.target->type.element().isFloating())
          visit(a, std::vector<const Expr *>{a.target, a.value});
      },
      [&](const Call &c) {
        // Functions of the program may add, fields too; of the math library those with several operands.
        bool several = c.args.size() > 1 || (c.args.size() == 1 && c.args[0]->type.isStruct());
        if (mayFloat(c.type) && several && !c.callee.starts_with("fmin") && !c.callee.starts_with("fmax"))
          visit(c, c.args);
      });
}

std::string at(const Node &node) { return node.range.valid() ? fmt::format(" in line {}", node.range.line) : ""; }

/// What flows from parts, or from other lanes, into what.
class Flow {
public:
  Flow(const Module &module, const Codelet &codelet, const std::set<std::string> &withArithmetic)
      : withArithmetic_(withArithmetic), codelet_(codelet) {
    for (const Spectrum *s : module.spectrums) spectrums_[s->name] = s;
  }

  std::string run() {
    findSources();
    std::size_t before = 0;
    do {
      before = mixed_.size();
      spread();
    } while (mixed_.size() != before);
    std::string found;
    auto say = [&](std::string text) {
      if (found.empty()) found = std::move(text);
    };
    const char *what = codelet_.coop ? "lanes" : "parts";
    arithmetic(codelet_.body, [&](const Node &operation, const std::vector<const Expr *> &operands) {
      if (std::any_of(operands.begin(), operands.end(), [&](const Expr *e) { return mixes(e); }))
        say(fmt::format("it does arithmetic with the results of several {}{}", what, at(operation)));
    });
    auto called = [&](const Expr &call, const std::string &spectrum, const std::vector<const Expr *> &args) {
      if (!withArithmetic_.count(spectrum)) return;
      if (std::any_of(args.begin(), args.end(), [&](const Expr *e) { return mixes(e); }))
        say(fmt::format("'{}' combines the results of several {}{}", spectrum, what, at(call)));
    };
    walk(
        codelet_.body, [&](const SpectrumCall &c) { called(c, c.spectrum, c.args); },
        [&](const Map &m) { called(m, m.spectrum, m.args); },
        [&](const Atomic &a) {
          if (a.type.isFloating() && (a.op == AtomicOp::Add || a.op == AtomicOp::Sub))
            say(fmt::format("the atomic addition{} is done in the order in which workers come", at(a)));
        });
    return found;
  }

private:
  /// Of several parts: one part is what it is.
  const Partition *partition(const Expr *e) const {
    if (const auto *v = dyn<VarRef>(e))
      if (auto known = partitions_.find(v->name); known != partitions_.end()) return known->second;
    const auto *p = dyn<Partition>(e);
    auto one = [](const Expr *count) {
      count = withoutCasts(count);
      return isa<IntLit>(count) && as<IntLit>(count)->value == 1;
    };
    return p && !std::all_of(p->counts.begin(), p->counts.end(), one) ? p : nullptr;
  }
  bool overParts(const Map &m) const {
    return std::any_of(m.args.begin(), m.args.end(), [&](const Expr *e) { return partition(e); });
  }

  void findSources() {
    walk(codelet_.body, [&](const Declare &d) {
      if (const auto *p = dyn<Partition>(d.init)) partitions_[d.name] = p;
    });
    walk(
        codelet_.body,
        [&](const Map &m) {
          if (!overParts(m)) return;
          auto spectrum = spectrums_.find(m.spectrum);
          for (std::size_t i = 0; spectrum != spectrums_.end() && i < m.args.size(); ++i) {
            const Partition *p = partition(m.args[i]);
            bool written = i < spectrum->second->params.size() && spectrum->second->params[i]->access != Access::In;
            if (p && written) mix(p->container);
          }
        },
        [&](const Declare &d) {
          if (codelet_.coop && d.shared && mayFloat(d.type)) mixed_.insert(d.name);
        });
    if (!codelet_.coop) return;
    // What lanes write into a container others may read.
    std::set<std::string> written;
    walk(codelet_.body, [&](const Assign &a) {
      const Expr *place = a.target;
      while (const auto *member = dyn<Member>(place)) place = member->base;
      if (const VarRef *v = rootVariable(place); v && isa<Subscript>(place)) written.insert(v->name);
    });
    for (const Param *p : codelet_.params)
      if (p->type.isArray() && mayFloat(p->type) && written.count(p->name)) mixed_.insert(p->name);
  }

  void mix(const Expr *place) {
    const VarRef *v = rootVariable(place);
    if (v && mayFloat(v->type)) mixed_.insert(v->name);
  }
  void spread() {
    walk(
        codelet_.body,
        [&](const Declare &d) {
          if (d.init && mayFloat(d.type) && mixes(d.init)) mixed_.insert(d.name);
        },
        [&](const Assign &a) {
          if (mixes(a.value)) mix(a.target);
        },
        [&](const SpectrumCall &c) { through(c.spectrum, c.args); },
        [&](const Map &m) { through(m.spectrum, m.args); });
  }
  /// What a spectrum is given comes out of the containers that it writes.
  void through(const std::string &name, const std::vector<const Expr *> &args) {
    auto spectrum = spectrums_.find(name);
    if (spectrum == spectrums_.end() || std::none_of(args.begin(), args.end(), [&](const Expr *e) { return mixes(e); }))
      return;
    for (std::size_t i = 0; i < args.size() && i < spectrum->second->params.size(); ++i)
      if (spectrum->second->params[i]->access != Access::In)
        mix(isa<Partition>(args[i]) ? as<Partition>(args[i])->container : args[i]);
  }
  /// Whether its value comes from several parts. What a container's size is does not count.
  bool mixes(const Expr *e) const {
    bool result = false;
    walk(
        e, [](const Size &) { return WalkResult::Skip; },
        [&](const Map &m) {
          result |= mayFloat(m.type) && overParts(m);
          return WalkResult::Advance;
        },
        [&](const VarRef &v) {
          result |= mixed_.count(v.name) != 0;
          return WalkResult::Advance;
        });
    return result;
  }

  const std::set<std::string> &withArithmetic_;
  const Codelet &codelet_;
  std::map<std::string, const Spectrum *> spectrums_;
  std::map<std::string, const Partition *> partitions_;
  std::set<std::string> mixed_;
};

} // namespace

std::set<std::string> spectrumsWithArithmetic(const Module &module) {
  std::set<std::string> result;
  std::size_t before = 0;
  do {
    before = result.size();
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        bool has = false;
        arithmetic(codelet->body, [&](const Node &, const std::vector<const Expr *> &) { has = true; });
        walk(
            codelet->body, [&](const SpectrumCall &c) { has |= result.count(c.spectrum) != 0; },
            [&](const Map &m) { has |= result.count(m.spectrum) != 0; });
        if (has) result.insert(spectrum->name);
      }
  } while (result.size() != before);
  return result;
}

std::string otherOrder(const Module &module, const Codelet &codelet, const std::set<std::string> &arithmetic) {
  return Flow(module, codelet, arithmetic).run();
}

} // namespace tangram::reproducibility
