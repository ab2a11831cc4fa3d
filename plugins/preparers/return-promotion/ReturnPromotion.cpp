// Return promotion (Table 7.1): a result becomes a last parameter that is assigned, and what stood behind a return on
// its path is skipped by structure: else branches, breaks, and a flag only where something follows that could run.
#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/plugin/Plugin.h"

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kContainerResult{"return-promotion.container-result", DiagnosticClass::Limitation,
                                          "'{}' returns a container ({})",
                                          "make it an in/out parameter and return void"};

/// Whether control can come to the end of the statements: every path that does not is a return.
bool alwaysReturns(const Stmt *stmt);
bool alwaysReturns(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : stmts)
    if (alwaysReturns(stmt)) return true;
  return false;
}
bool alwaysReturns(const Stmt *stmt) {
  if (isa<Return>(stmt)) return true;
  if (const auto *block = dyn<Block>(stmt)) return alwaysReturns(block->stmts);
  if (const auto *branch = dyn<If>(stmt))
    return branch->otherwise && alwaysReturns(branch->then) && alwaysReturns(branch->otherwise);
  return false;
}

/// One body. A return inside a loop or switch leaves it by break; whoever stands around it asks the flag.
class Body {
public:
  Body(Arena &arena, Names &names, const Param *result) : build_(arena), names_(names), result_(result) {}

  const Block *run(const Block *body) {
    std::vector<const Stmt *> stmts = list(body->stmts, {false, false});
    if (!flag_.empty())
      stmts.insert(stmts.begin(), build_.at(body->range).declare(flag_, Scalar::Bool, build_.boolean(false), false));
    return build_.at(body->range).block(std::move(stmts));
  }

private:
  /// What stands around the statements.
  struct Around {
    bool breakable; // a loop or switch of this body
    bool follows;   // something behind them would run after a return
  };
  using Stmts = std::vector<const Stmt *>;

  static bool returns(const Node *node) { return contains<Return>(node); }
  static Stmts rest(const Stmts &stmts, std::size_t from) { return {stmts.begin() + from, stmts.end()}; }
  static Stmts joined(const Block *first, const Stmts &second) {
    Stmts all = first ? first->stmts : Stmts{};
    all.insert(all.end(), second.begin(), second.end());
    return all;
  }

  const Expr *flag() {
    if (flag_.empty()) flag_ = names_.fresh("returned");
    return build_.var(flag_, Scalar::Bool);
  }
  const Block *block(const Stmt *like, Stmts stmts, Around around) {
    return build_.at(like->range).block(list(stmts, around));
  }

  Stmts list(const Stmts &stmts, Around around) {
    Stmts out;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const Stmt *stmt = stmts[i];
      if (!returns(stmt)) {
        out.push_back(stmt);
        continue;
      }
      Stmts after = rest(stmts, i + 1);
      if (const auto *ret = dyn<Return>(stmt)) {
        leave(*ret, around, out);
        return out;
      }
      if (const auto *inner = dyn<Block>(stmt)) {
        // Names are unique in a body, so that a block's statements may join those behind it.
        Stmts all = list(joined(inner, alwaysReturns(inner) ? Stmts{} : after), around);
        out.insert(out.end(), all.begin(), all.end());
        return out;
      }
      if (const auto *branch = dyn<If>(stmt)) {
        if (branches(*branch, after, around, out)) return out;
        continue;
      }
      out.push_back(breakable(stmt, {true, around.follows || around.breakable || !after.empty()}));
      if (skip(after, around, out)) return out;
    }
    return out;
  }

  void leave(const Return &ret, Around around, Stmts &out) {
    Build here = build_.at(ret.range);
    if (ret.value && result_)
      out.push_back(here.assign(here.var(result_->name, result_->type), ret.value));
    else if (ret.value)
      out.push_back(build_.arena().make<Evaluate>(ret.range, ret.value));
    if (around.follows) out.push_back(here.assign(flag(), here.boolean(true)));
    if (around.breakable) out.push_back(build_.arena().make<Break>(ret.range));
  }

  /// True where everything behind the branch has been taken care of.
  bool branches(const If &branch, const Stmts &after, Around around, Stmts &out) {
    bool thenLeaves = alwaysReturns(branch.then), otherLeaves = branch.otherwise && alwaysReturns(branch.otherwise);
    auto put = [&](Stmts then, Stmts otherwise, Around inner) {
      const Block *thenBlock = block(branch.then, std::move(then), inner);
      Stmts other = list(otherwise, inner);
      const Block *otherBlock = other.empty() ? nullptr : build_.at(branch.range).block(std::move(other));
      const Expr *cond = branch.cond;
      if (thenBlock->stmts.empty() && otherBlock) { // `if (c) return;` in front of the rest
        cond = build_.at(branch.range).logicalNot(cond);
        std::swap(thenBlock, otherBlock);
        otherBlock = nullptr;
      }
      out.push_back(build_.arena().make<If>(branch.range, cond, thenBlock, otherBlock));
    };
    // Inside a loop or switch a return breaks out, and what is behind the branch needs no else.
    if (around.breakable) {
      put(branch.then->stmts, joined(branch.otherwise, {}), around);
      return thenLeaves && otherLeaves;
    }
    if (thenLeaves || otherLeaves || after.empty()) {
      put(thenLeaves ? branch.then->stmts : joined(branch.then, otherLeaves ? after : Stmts{}),
          otherLeaves ? branch.otherwise->stmts : joined(branch.otherwise, thenLeaves ? after : Stmts{}), around);
      return true;
    }
    put(branch.then->stmts, joined(branch.otherwise, {}), {false, true});
    return skip(after, around, out);
  }

  /// Behind a statement that may have returned. True where `after` was dealt with.
  bool skip(const Stmts &after, Around around, Stmts &out) {
    if (around.breakable) {
      const SourceRange range = out.back()->range;
      out.push_back(build_.at(range).when(flag(), {build_.arena().make<Break>(range)}));
      return false;
    }
    if (after.empty()) return true;
    Build here = build_.at(after.front()->range);
    out.push_back(here.when(here.logicalNot(flag()), list(after, around)));
    return true;
  }

  const Stmt *breakable(const Stmt *stmt, Around inner) {
    auto body = [&](const auto *loop) {
      return build_.arena().derive(loop, [&](auto &copy) { copy.body = block(loop->body, loop->body->stmts, inner); });
    };
    if (const auto *loop = dyn<For>(stmt)) return body(loop);
    if (const auto *loop = dyn<While>(stmt)) return body(loop);
    if (const auto *loop = dyn<DoWhile>(stmt)) return body(loop);
    const auto *choice = dyn<Switch>(stmt);
    if (!choice) failBug(stmt->range, "return-promotion", fmt::format("a return inside a {}", name(stmt->kind())));
    return build_.arena().derive(choice, [&](Switch &copy) {
      for (const Case *&c : copy.cases) c = body(c);
    });
  }

  Build build_;
  Names &names_;
  const Param *result_;
  std::string flag_;
};

class Promoter final : public Mutator {
public:
  Promoter(Arena &arena, const Module &module) : Mutator(arena) {
    if (!module.kernels.empty()) inlined_ = functionsOfStructs(module);
  }

private:
  const Param *resultParam(Names &names, const Type &type, const Node &owner, const std::string &called) {
    if (type.isVoid()) return nullptr;
    if (type.isArray()) fail(kContainerResult, owner.range, called, type.text());
    return arena().make<Param>(owner.range, names.fresh("result"), type, Access::Out);
  }

  template <class Owner> const Owner *promote(const Owner *owner, const Type &type) {
    Names names;
    for (const Param *param : owner->params) names.reserve(param->name);
    names.reserveAll(owner->body);
    const Param *result = resultParam(names, type, *owner, owner->name);
    const Block *body = owner->body;
    if (contains<Return>(body)) body = Body(arena(), names, result).run(body);
    return arena().derive(owner, [&](Owner &copy) {
      copy.body = body;
      if (result) copy.params.push_back(result);
    });
  }

  const Node *mutateSpectrumCall(const SpectrumCall *call) override {
    const SpectrumCall *result = rebuild(call); // inner calls first: their codelets are bodies of their own
    if (!result->codelet) return result;
    return arena().derive(result, [&](SpectrumCall &copy) { copy.codelet = promote(result->codelet, result->type); });
  }
  const Node *mutateKernel(const Kernel *kernel) override {
    // A composed kernel with a result returns it; one that does not was here before.
    if (!contains<Return>(kernel->body) && !kernel->result.isVoid()) return kernel;
    const Kernel *result = rebuild(kernel);
    return promote(result, result->result);
  }
  // Codelets of the program and functions keep their returns: only what hangs below a kernel is composed, and what
  // flatten inlines there.
  const Node *mutateSpectrum(const Spectrum *spectrum) override { return spectrum; }
  const Node *mutateFunction(const Function *function) override {
    if (!inlined_.count(function->name)) return function;
    return arena().derive(promote(function, function->result), [](Function &copy) { copy.result = Scalar::Void; });
  }

  std::set<std::string> inlined_;
};

class ReturnPromotion final : public Pass {
  const Module *run(const Module *module, PassContext &context) override {
    return as<Module>(Promoter(context.arena, *module).mutate(module));
  }
};

} // namespace

TANGRAM_PLUGIN("return-promotion", "0.1", "turns results into out-parameters") {
  PassDescriptor pass;
  pass.name = "return-promotion";
  pass.summary = "turns results into out-parameters and removes returns from any control flow";
  pass.kind = PassKind::Preparer;
  pass.before = "for (i = 0; i < n; ++i)\n  if (a[i] == x) return i;\nreturn -1;";
  pass.after = "bool returned = false;\nfor (i = 0; i < n; ++i)\n"
               "  if (a[i] == x) { result = i; returned = true; break; }\nif (!returned) result = -1;";
  pass.requires_ = {"composed"};
  pass.establishes = {"no-returns"};
  pass.create = [](const OptionValues &) { return std::make_unique<ReturnPromotion>(); };
  registry.passes.add(std::move(pass));
}
