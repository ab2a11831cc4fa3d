// What launches share with what is in front of them.
#include "Splitter.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"

namespace tangram::splitting {

using namespace ast;

namespace {

/// Scalars and local arrays that the device makes: those that one launch uses belong to it; those that several use move
/// into memory.
class Cells final : public Mutator {
public:
  Cells(Arena &arena, const Kernel &kernel, std::string device) : Mutator(arena), device_(std::move(device)) {
    names_.reserveAll(&kernel);
    // In how many launches, and whether the name is declared in one of them at all.
    std::map<std::string, unsigned> users;
    walk(kernel.body, [&](const Launch &launch) {
      std::set<std::string> names = mentioned(&launch);
      for (const Stmt *s : launch.body->stmts)
        if (const auto *d = dyn<Declare>(s)) {
          declared_[d->name] = d;
          names.insert(d->name);
        }
      for (const std::string &name : names) ++users[name];
    });
    for (const auto &[name, d] : declared_)
      if (users[name] > 1) cells_[name] = d->extents.empty() ? names_.fresh(name + "_cell") : name;
  }
  const Kernel *run(const Kernel *kernel) { return cells_.empty() ? kernel : mutateAs(kernel); }

private:
  const Node *mutateLaunch(const Launch *launch) override {
    Build b(arena(), launch->range);
    for (const Stmt *s : launch->body->stmts) {
      const auto *d = dyn<Declare>(s);
      if (!d || !cells_.count(d->name)) continue;
      std::vector<const Expr *> extents;
      for (const Expr *extent : d->extents) extents.push_back(b.cast(Scalar::U64, extent));
      if (extents.empty()) extents.push_back(b.u64(1));
      emitBefore(arena().make<Alloc>(d->range, cells_.at(d->name), d->type, std::move(extents), device_, ""));
    }
    return rebuild(launch);
  }
  const Node *mutateDeclare(const Declare *d) override {
    auto cell = cells_.find(d->name);
    if (cell == cells_.end()) return rebuild(d);
    Build b(arena(), d->range);
    if (d->extents.empty()) return d->init ? b.assign(element(d), mutateAs(d->init)) : nullptr;
    const auto *list = dyn<InitList>(d->init);
    if (!list) return nullptr;
    if (d->extents.size() != 1)
      failBug(d->range, "kernel-splitting", "an initialised array of several dimensions between launches");
    std::optional<Int> count = literal(d->extents[0]);
    for (Int i = 0; count && i < *count; ++i) {
      bool given = static_cast<std::size_t>(i) < list->values.size();
      const Expr *value = given ? mutateAs(list->values[static_cast<std::size_t>(i)]) : b.zero(d->type);
      const Expr *place =
          b.element(b.var(d->name, Type::array(1, d->type)), {b.u64(static_cast<std::uint64_t>(i))}, d->type);
      emitBefore(b.assign(place, value));
    }
    return nullptr;
  }
  const Node *mutateVarRef(const VarRef *v) override {
    auto cell = cells_.find(v->name);
    if (cell == cells_.end()) return v;
    const Declare *d = declared_.at(v->name);
    if (d->extents.empty()) return element(d);
    return arena().derive(v, [&](VarRef &copy) { copy.type = Type::array(rankOf(*d), d->type); });
  }
  const Expr *element(const Declare *d) {
    Build b(arena(), d->range);
    return b.element(b.var(cells_.at(d->name), Type::array(1, d->type)), {b.u64(0)}, d->type);
  }
  static unsigned rankOf(const Declare &d) { return static_cast<unsigned>(d.extents.size()); }

  std::string device_;
  Names names_;
  std::map<std::string, const Declare *> declared_;
  std::map<std::string, std::string> cells_;
};

/// Views of the host's part move into the launches that use them.
class Views final : public Mutator {
public:
  Views(Arena &arena, const Kernel &kernel) : Mutator(arena) {
    walk(
        kernel.body, [&](const Launch &) { return WalkResult::Skip; },
        [&](const View &v) {
          views_[v.name] = &v;
          order_.push_back(&v);
        });
  }
  const Kernel *run(const Kernel *kernel) { return views_.empty() ? kernel : mutateAs(kernel); }

private:
  const Node *mutateView(const View *v) override { return inLaunch_ ? rebuild(v) : nullptr; }
  // Sizes of views are the host's to know where they are asked for there.
  const Node *mutateSize(const Size *e) override {
    const auto *v = dyn<VarRef>(e->container);
    auto view = v && !inLaunch_ ? views_.find(v->name) : views_.end();
    if (view == views_.end()) return rebuild(e);
    const View &of = *view->second;
    Build b(arena(), e->range);
    std::optional<Int> dim = e->dim ? literal(e->dim) : std::nullopt;
    const Expr *size = of.sizes[0];
    if (dim && *dim >= 0 && static_cast<std::size_t>(*dim) < of.sizes.size())
      size = of.sizes[static_cast<std::size_t>(*dim)];
    else
      for (std::size_t d = 1; d < of.sizes.size(); ++d) size = b.mul(size, of.sizes[d]);
    return mutateAs(b.cast(e->type, size));
  }
  const Node *mutateLaunch(const Launch *launch) override {
    std::set<std::string> wanted = mentioned(launch->body);
    std::vector<const Stmt *> body;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      if (!wanted.count((*it)->name)) continue;
      body.insert(body.begin(), *it);
      wanted.merge(mentioned(*it));
    }
    // In front of all of the launch's own statements, or behind those that declare what the view is made of.
    std::vector<const Stmt *> stmts = launch->body->stmts;
    for (const Stmt *view : body) {
      std::set<std::string> needs = mentioned(view);
      std::size_t at = 0;
      for (std::size_t i = 0; i < stmts.size(); ++i) {
        const auto *d = dyn<Declare>(stmts[i]);
        const auto *v = dyn<View>(stmts[i]);
        if ((d && needs.count(d->name)) || (v && needs.count(v->name))) at = i + 1;
      }
      stmts.insert(stmts.begin() + static_cast<std::ptrdiff_t>(at), view);
    }
    Build b(arena(), launch->range);
    inLaunch_ = true;
    const Block *inside = mutateAs(b.block(std::move(stmts)));
    inLaunch_ = false;
    const Expr *groups = mutateAs(launch->groups);
    return arena().derive(launch, [&](Launch &copy) {
      copy.groups = groups;
      copy.body = inside;
    });
  }

  std::map<std::string, const View *> views_;
  std::vector<const View *> order_;
  bool inLaunch_ = false;
};

} // namespace

const Kernel *sink(Arena &arena, const Kernel *kernel, const std::string &device) {
  kernel = Views(arena, *kernel).run(kernel);
  return Cells(arena, *kernel, device).run(kernel);
}

} // namespace tangram::splitting
