// Address alignment (Table 7.1): where each temporary of the device begins in the one workspace of a call.
#include "tangram/ast/Build.h"
#include "tangram/ast/KnownValues.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Storage.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/Pass.h"
#include "tangram/pass/Property.h"
#include "tangram/plugin/Plugin.h"

#include <map>

namespace {
using namespace tangram;
using namespace tangram::ast;

constexpr DiagnosticKind kExtent{
    "address-alignment.extent", DiagnosticClass::Limitation,
    "how long the temporary '{}' is, cannot be said before the kernel runs",
    "make its length depend on sizes and scalar arguments of the spectrum only, or a constant"};

class Workspace final : public Mutator {
public:
  Workspace(PassContext &context, const Kernel &kernel, std::uint64_t alignment)
      : Mutator(context.arena), kernel_(kernel), known_(context.analyses.of<KnownValues>(kernel)),
        alignment_(alignment) {
    names_.reserveAll(&kernel);
    workspace_ = names_.fresh("workspace");
  }

  const Kernel *run() {
    Build b(arena(), kernel_.range);
    std::vector<const Stmt *> offsets;
    const Expr *end = b.u64(0);
    std::string level;
    walk(
        kernel_.body, [](const Launch &) { return WalkResult::Skip; },
        [&](const Alloc &a) {
          level = a.level;
          const Expr *bytes = b.u64(std::max(1u, a.element.bytes()));
          for (const Expr *extent : a.extents) {
            const Expr *over = known_.overParameters(extent, arena());
            if (!over) fail(kExtent, a.range, a.name);
            bytes = b.mul(bytes, over);
          }
          Slice slice{a.element, names_.fresh(a.name + "_offset")};
          offsets.push_back(b.declare(slice.offset, Scalar::U64, end));
          slices_[a.name] = std::move(slice);
          end = b.add(end, aligned(bytes));
        });
    if (slices_.empty()) return &kernel_;
    std::vector<const Stmt *> stmts{arena().make<Alloc>(kernel_.range, workspace_, Type(Scalar::U8),
                                                        std::vector<const Expr *>{end}, level, "global")};
    stmts.insert(stmts.end(), offsets.begin(), offsets.end());
    const Block *body = mutateAs(kernel_.body);
    stmts.insert(stmts.end(), body->stmts.begin(), body->stmts.end());
    return arena().derive(&kernel_, [&](Kernel &copy) { copy.body = b.block(std::move(stmts)); });
  }

private:
  struct Slice {
    Type element;
    std::string offset;
  };

  const Expr *aligned(const Expr *bytes) {
    Build b(arena(), kernel_.range);
    const Expr *a = b.u64(alignment_);
    return b.mul(b.div(b.add(bytes, b.u64(alignment_ - 1)), a), a);
  }
  const Expr *pointer(const Slice &slice, SourceRange range) {
    Build b(arena(), range);
    const Expr *base = b.var(workspace_, Type::pointer(Scalar::U8));
    const Expr *at = arena().make<Binary>(range, base->type, BinaryOp::Add, base, b.var(slice.offset, Scalar::U64));
    Type type = Type::pointer(slice.element);
    return type == base->type ? at : arena().make<Cast>(range, type, at);
  }
  // Launches are not entered: what they have of their own stays. Elsewhere, the host fetches an element.
  const Node *mutateVarRef(const VarRef *v) override {
    auto slice = slices_.find(v->name);
    return slice == slices_.end() ? v : pointer(slice->second, v->range);
  }
  const Node *mutateAlloc(const Alloc *) override { return nullptr; }
  const Node *mutateLaunch(const Launch *launch) override {
    Build b(arena(), launch->range);
    std::set<std::string> used = mentioned(launch->body);
    std::vector<const Stmt *> stmts;
    for (const auto &[name, slice] : slices_)
      if (used.count(name))
        stmts.push_back(b.declare(name, Type::pointer(slice.element), pointer(slice, launch->range)));
    stmts.insert(stmts.end(), launch->body->stmts.begin(), launch->body->stmts.end());
    return arena().derive(launch, [&](Launch &copy) { copy.body = b.block(std::move(stmts)); });
  }

  const Kernel &kernel_;
  const KnownValues &known_;
  std::uint64_t alignment_;
  Names names_;
  std::string workspace_;
  std::map<std::string, Slice> slices_;
};

class AddressAlignment final : public Pass {
public:
  explicit AddressAlignment(std::uint64_t alignment) : alignment_(alignment) {}
  const Module *run(const Module *module, PassContext &context) override {
    return context.arena.derive(module, [&](Module &copy) {
      for (const Kernel *&kernel : copy.kernels) kernel = Workspace(context, *kernel, alignment_).run();
    });
  }

private:
  std::uint64_t alignment_;
};

} // namespace

TANGRAM_PLUGIN("address-alignment", "1.0", "lays out the workspace of a call") {
  PassDescriptor pass;
  pass.name = "address-alignment";
  pass.summary = "Gives each temporary of the device an aligned place in the workspace of a call";
  pass.kind = PassKind::Preparer;
  pass.before = "alloc r: i32[p]; alloc t: f64[q]; launch { r[j] = ... }";
  pass.after = "alloc workspace: u8[align(4 p) + align(8 q)]; r_offset = 0; t_offset = align(4 p); "
               "launch { r = (i32 *)(workspace + r_offset); r[j] = ... }";
  pass.requires_ = {"launches", "linear", "spmd"};
  pass.establishes = {"workspace"};
  pass.options = {{"alignment", "Bytes; each temporary begins at a multiple.", std::int64_t{256}, 1.0, 65536.0, {}}};
  pass.create = [](const OptionValues &options) {
    return std::make_unique<AddressAlignment>(static_cast<std::uint64_t>(options.integer("alignment")));
  };
  registry.passes.add(std::move(pass));
  registry.properties.add(property("workspace", "the kernel has one array outside of launches",
                                   [](const ast::Module &module, const hardware::Target &) {
                                     Violations found;
                                     for (const ast::Kernel *kernel : module.kernels) {
                                       Violations all;
                                       ast::walk(
                                           kernel, [](const ast::Launch &) { return ast::WalkResult::Skip; },
                                           [&](const ast::Alloc &a) {
                                             all.push_back({&a, fmt::format("there is an Alloc of '{}', too", a.name)});
                                           });
                                       if (all.size() > 1) found.insert(found.end(), all.begin() + 1, all.end());
                                     }
                                     return found;
                                   }));
}
