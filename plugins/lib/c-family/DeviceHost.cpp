#include "tangram/c-family/DeviceHost.h"

#include "tangram/ast/Functions.h"

namespace tangram::c_family {

using namespace ast;

namespace {

/// What belongs to one entry.
void inNamespace(Writer &w, const Signature &s, const std::function<void()> &inside) {
  w.line(fmt::format("namespace {}_kernel {{", s.entry));
  w.blank();
  inside();
  w.line(fmt::format("}} // namespace {}_kernel", s.entry));
  w.blank();
}

} // namespace

OutputFile DeviceHost::source() {
  Expressions expressions;
  for (const Function *f : module_.functions) expressions.functions.insert(f->name);
  Writer entries(context_.stem + ".cpp");
  for (const Function *f : hostFunctions(module_)) function(entries, expressions, *f);
  for (const Signature &s : signatures_) kernel(entries, expressions, s);

  Writer w(context_.stem + ".cpp");
  std::vector<std::string> headers = includes();
  if (expressions.usesChecks) headers.emplace_back("<tangram/runtime/checked.h>");
  if (expressions.usesHalf) headers.emplace_back("<tangram/runtime/float16.h>");
  openDeviceSource(w, context_, headers, expressions.usesLimits);
  for (const Struct *s : structuresWithin(module_, signatures_)) defineStructure(w, *s, expressions);
  for (const Signature &s : signatures_)
    inNamespace(w, s, [&] {
      w.line("thread_local char last_error[4096];");
      w.blank();
      constants(w, s);
    });
  program(w);
  w.verbatim(entries.take());
  closeDeviceSource(w, signatures_, style_, context_.target.name);
  return {context_.stem + ".cpp", OutputFile::Role::Source, w.take()};
}

void DeviceHost::kernel(Writer &w, Expressions &expressions, const Signature &s) const {
  w.comment(fmt::format("The plan: {}", s.kernel->plan));
  inNamespace(w, s, [&] {
    describe(w, expressions, s);
    w.blank();
    defineCheck(w, s, style_);
    w.blank();
    const DeviceNames extra = deviceNames(s);
    const auto [memory, stream] = handles();
    std::string params;
    for (const Param *p : s.kernel->params) params += fmt::format("[[maybe_unused]] {}, ", parameter(*p, expressions));
    w.open(fmt::format("int run({}[[maybe_unused]] {}{}, [[maybe_unused]] {}{})", params, memory, extra.workspace,
                       stream, extra.stream));
    body(w, expressions, s, extra);
    w.close();
    w.blank();
  });
  expressions.spelling.clear();
}

} // namespace tangram::c_family
