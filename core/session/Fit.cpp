// Whether plans fit the device shows when they are lowered: what was lowered is kept for who uses them.
#include "Impl.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Launch.h"
#include "tangram/hardware/Resources.h"

namespace tangram {

namespace {

constexpr std::size_t kMostKept = 32; // modules that nobody may come for

/// Modules of one kernel each as one. Null where names of several clash, or a function is not the same in all.
const ast::Module *together(const std::vector<const ast::Module *> &modules, ast::Arena &arena) {
  if (modules.size() == 1) return modules[0];
  std::set<std::string> entries;
  std::map<std::string, const ast::Node *> shared;
  std::vector<const ast::Struct *> structs;
  std::vector<const ast::Function *> functions;
  std::vector<const ast::Kernel *> kernels;
  bool clash = false;
  auto add = [&](const auto *node, auto &to) {
    const auto [it, isNew] = shared.emplace(node->name, node);
    if (isNew)
      to.push_back(node);
    else
      clash |= !ast::equal(it->second, node);
  };
  for (const ast::Module *module : modules) {
    for (const ast::Struct *s : module->structs) add(s, structs);
    for (const ast::Function *f : module->functions) add(f, functions);
    for (const ast::Kernel *k : module->kernels) {
      kernels.push_back(k);
      clash |= !entries.insert(k->name).second;
      ast::walk(k->body, [&](const ast::Launch &l) { clash |= !l.name.empty() && !entries.insert(l.name).second; });
    }
  }
  for (const std::string &entry : entries) clash |= shared.count(entry) != 0;
  if (clash) return nullptr;
  return arena.derive(modules[0], [&](ast::Module &all) {
    all.structs = structs;
    all.functions = functions;
    all.kernels = kernels;
  });
}

} // namespace

std::string Session::unfit(const Plan &plan) {
  if (!hardware::launchLevels(target().hardware)) return "";
  std::map<std::string, Impl::Lowered> &kept = impl_->kept;
  const std::string text = print(plan);
  if (kept.count(text)) return "";
  // Nothing is seen of it but its answer and its time.
  std::string result, step = impl_->step;
  std::vector<Diagnostic> before = diags().take();
  std::vector<Timing> timings = impl_->timings;
  PrintAfter printAfter = std::exchange(impl_->options.printAfter, PrintAfter::None);
  auto start = Clock::now();
  auto arena = std::make_unique<ast::Arena>();
  const ast::Module *lowered = nullptr;
  try {
    lowered = runPasses(compose({plan}, *arena), target().pipeline.passes, *arena);
  } catch (const DiagnosticError &e) {
    if (hardware::saysThatItDoesNotFit(e.diagnostic)) result = e.diagnostic.message;
  } catch (const ErrorsReported &) {
    result.clear(); // whoever lowers the plan to use it says what is wrong
  }
  impl_->options.printAfter = printAfter;
  std::vector<Timing> steps(impl_->timings.begin() + static_cast<std::ptrdiff_t>(timings.size()), impl_->timings.end());
  impl_->timings = std::move(timings);
  impl_->timings.push_back({"fit " + plan.spectrum, millisecondsSince(start)});
  impl_->step = std::move(step);
  std::vector<Diagnostic> said = diags().take();
  if (lowered) {
    if (kept.size() >= kMostKept) kept.clear();
    kept[text] = {std::move(arena), lowered, std::move(said), std::move(steps)};
  }
  for (Diagnostic &d : before) diags().add(std::move(d));
  return result;
}

const ast::Module *Session::keptOf(const std::vector<Plan> &plans, ast::Arena &arena) {
  std::map<std::string, Impl::Lowered> &kept = impl_->kept;
  std::vector<std::string> texts;
  for (const Plan &plan : plans) texts.push_back(print(plan));
  const bool isKept = std::any_of(texts.begin(), texts.end(), [&](const std::string &t) { return kept.count(t) != 0; });
  if (!isKept || impl_->options.printAfter != PrintAfter::None) return nullptr;
  const std::vector<std::string> names = entryNames(plans);
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (names[i] != entryNames({plans[i]})[0]) return nullptr; // it has a number among others
  for (const Plan &plan : plans) unfit(plan);
  std::vector<const ast::Module *> modules;
  for (const std::string &text : texts) {
    auto found = kept.find(text);
    if (found == kept.end()) return nullptr;
    modules.push_back(found->second.module);
  }
  const ast::Module *module = together(modules, arena);
  if (!module) return nullptr;
  impl_->plans.clear();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Impl::Lowered own = std::move(kept.extract(texts[i]).mapped());
    for (Diagnostic &d : own.said) diags().add(std::move(d));
    auto fit = std::find_if(impl_->timings.begin(), impl_->timings.end(),
                            [&](const Timing &t) { return t.step == "fit " + plans[i].spectrum; });
    if (fit != impl_->timings.end()) impl_->timings.erase(fit); // its steps say more
    impl_->timings.insert(impl_->timings.end(), own.timings.begin(), own.timings.end());
    impl_->lowered.push_back(std::move(own.arena));
    impl_->plans += texts[i] + "\n";
  }
  return module;
}

} // namespace tangram
