// What runs in a session: timed, checked, and told apart from bad input.
#include "Impl.h"

#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace tangram {

void Session::Impl::crashOnPurpose(const std::string &name) const {
  auto colon = options.crashIn.find(':');
  if (options.crashIn.empty() || options.crashIn.substr(0, colon) != name) return;
  std::string how = colon == std::string::npos ? "segv" : options.crashIn.substr(colon + 1);
  if (how == "segv") std::raise(SIGSEGV);
  if (how == "abort") std::abort();
  if (how == "overflow") overflowOnPurpose(1);
  if (how == "throw") throwOnPurpose();
}

// NOLINTNEXTLINE(misc-no-recursion): it is meant to have no end
unsigned Session::Impl::overflowOnPurpose(unsigned depth) {
  volatile unsigned used[256] = {depth};
  // What is read behind the call keeps it from becoming a loop.
  return depth ? used[overflowOnPurpose(depth + 1) % 256] : 0;
}

void Session::Impl::throwOnPurpose() const { failBug({}, step, "was told to fail"); }

void Session::Impl::checkSound(const ast::Module &m, const std::string &who) {
  if (!options.verifyBetweenPasses) return;
  std::vector<ast::Violation> violations = ast::verify(m);
  if (violations.empty()) return;
  std::string text = fmt::format("left a broken AST: {}", violations[0].message);
  for (std::size_t i = 1; i < std::min<std::size_t>(violations.size(), 5); ++i) text += "; " + violations[i].message;
  if (violations.size() > 5) text += fmt::format("; and {} more", violations.size() - 5);
  failBug(violations[0].node ? violations[0].node->range : ast::SourceRange{}, who, text);
}

void Session::Impl::checkProperties(const ast::Module &m, const std::map<std::string, std::string> &hold,
                                    const PassDescriptor &by) {
  for (const auto &[property, establisher] : hold) {
    const PropertyDescriptor *d = registry.properties.find(property);
    if (!d) continue; // of a plugin that is not loaded
    std::vector<ast::Violation> violations = d->violations(m, *target);
    if (violations.empty()) continue;
    std::string what = establisher == by.name
                           ? fmt::format("does not establish the property '{}' as it says", property)
                           : fmt::format("broke the property '{}', which {} has established", property, establisher);
    failBug(violations[0].node ? violations[0].node->range : ast::SourceRange{}, fmt::format("pass '{}'", by.name),
            fmt::format("{}: {}", what, violations[0].message));
  }
}

const ast::Module *Session::Impl::pass(const ast::Module *before, const hardware::Step &s, PassContext &context) {
  const PassDescriptor &d = registry.passes.get(s.name, s.range);
  OptionValues values = checkOptions(d.options, s.options, fmt::format("pass '{}'", d.name), s.range);
  std::ostream &out = options.printTo ? *options.printTo : std::cerr;
  const ast::Module *after = before;
  try {
    after = run("pass", d.name, [&] {
      const ast::Module *result = d.create(values)->run(before, context);
      if (!result) failBug({}, fmt::format("pass '{}'", d.name), "returned no module");
      if (options.crashIn == d.name + ":break") result = breakOnPurpose(*result, context.arena);
      after = result;
      checkSound(*result, fmt::format("pass '{}'", d.name));
      return result;
    });
  } catch (const DiagnosticError &) {
    if (options.printAfter == PrintAfter::Fail) {
      out << fmt::format("; before pass {}, which failed\n{}\n", d.name, ast::print(before));
      if (after != before) out << fmt::format("; after pass {}, which failed\n{}\n", d.name, ast::print(after));
    }
    throw;
  }
  bool wanted = options.printAfter == PrintAfter::All ||
                (options.printAfter == PrintAfter::Change && after != before) ||
                (options.printAfter == PrintAfter::Named && options.printAfterPass == d.name);
  if (wanted)
    out << fmt::format("; after pass {}{}\n{}\n", d.name, after == before ? " (no change)" : "", ast::print(after));
  return after;
}

const ast::Module *Session::Impl::breakOnPurpose(const ast::Module &m, ast::Arena &arena) {
  if (m.kernels.empty()) return &m;
  const ast::Expr *nowhere = arena.make<ast::VarRef>({}, ast::Type(ast::Scalar::I32), std::string("declared nowhere"));
  const ast::Stmt *stmt = arena.make<ast::Evaluate>({}, nowhere);
  const ast::Block *body = arena.derive(m.kernels[0]->body, [&](ast::Block &b) { b.stmts.push_back(stmt); });
  const ast::Kernel *kernel = arena.derive(m.kernels[0], [&](ast::Kernel &k) { k.body = body; });
  return arena.derive(&m, [&](ast::Module &broken) { broken.kernels[0] = kernel; });
}

} // namespace tangram
