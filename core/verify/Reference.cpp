#include "tangram/verify/Reference.h"

#include "tangram/ast/Storage.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kNoPlainest{"reference.no-plainest", DiagnosticClass::User,
                                     "'{0}' has no plan that serialises every map and uses autonomous codelets only: "
                                     "there is nothing to compare with",
                                     "give it a __codelet without __coop that calls no spectrum"};
constexpr DiagnosticKind kNone{"reference.none", DiagnosticClass::User,
                               "'{0}' is no reference: it does not say how far results may be from its own",
                               "make one: tangram verify PROGRAM --target T -o FOLDER; it lies below 'plainest'"};
constexpr const char *kTarget = "reference";

/// In what other ways undecided questions are answered: all turned, then some.
constexpr std::uint64_t kFlips[] = {1, 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03};

/// Opens `plain` for the target `reference`, and composes the plainest plan there.
Plan plainestPlan(Session &session, const std::string &spectrum, Session &plain) {
  const ast::Module &module = session.module();
  hardware::Target target = hardware::loadTarget(kTarget, plain.arena());
  const hardware::Hardware &own = session.target().hardware;
  target.hardware.env = own.env;
  target.hardware.env.push_back(own.name);
  plain.open(&module, std::move(target));
  const Forest forest(module, plain.target().hardware, plain.facts(), spectrum, plain.target().depth);
  std::optional<Plan> plan = forest.plainest();
  if (!plan) {
    for (const ast::Spectrum *s : module.spectrums)
      if (s->name == spectrum) fail(kNoPlainest, s->range, spectrum);
    fail(kNoPlainest, {}, spectrum);
  }
  plan->target = plain.target().name;
  return *plan;
}

/// By the target's own backend, which follows numbers in wider types, where `backend` is empty.
ReferenceLibrary buildBy(const std::string &backend, Session &session, const std::string &spectrum,
                         const std::filesystem::path &folder) {
  SessionOptions options = session.options();
  options.backend = backend;
  Session plain(std::move(options));
  const Plan plan = plainestPlan(session, spectrum, plain);
  ast::Arena arena;
  const ast::Module *lowered = plain.lower({plan}, arena);
  std::filesystem::create_directories(folder);
  return {plain.build(plain.emit(*lowered, "reference"), folder, "reference"), key(plan)};
}

} // namespace

ReferenceLibrary buildReference(Session &session, const std::string &spectrum, const std::filesystem::path &folder) {
  try {
    return buildBy("", session, spectrum, folder);
  } catch (const DiagnosticError &e) {
    // The one that was asked for may do without a compiler. It has its say only then: a reference is to be made by
    // others than what is compared with it.
    const BackendDescriptor *other = session.registry().backends.find(session.options().backend);
    const bool can = other && std::any_of(other->options.begin(), other->options.end(),
                                          [](const OptionSpec &o) { return o.name == "reference"; });
    if (!can || !e.diagnostic.id.ends_with(".no-compiler")) throw;
    try {
      return buildBy(other->name, session, spectrum, folder);
    } catch (const DiagnosticError &) {
      throw e;
    }
  }
}

std::vector<bool> neverRead(Session &session, const std::string &spectrum) {
  SessionOptions options = session.options();
  options.backend = "";
  Session plain(std::move(options));
  const Plan plan = plainestPlan(session, spectrum, plain);
  ast::Arena arena;
  std::set<std::string> written, read;
  for (const ast::Kernel *kernel : plain.lower({plan}, arena)->kernels)
    for (const ast::Storage::Access &access : ast::Storage(*kernel).accesses(kernel->body))
      (access.writes ? written : read).insert(access.buffer);
  std::vector<bool> result;
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == spectrum)
      for (const ast::Param *p : s->params)
        result.push_back(p->type.isArray() && p->access != ast::Access::In && written.contains(p->name) &&
                         !read.contains(p->name));
  return result;
}

Reference::Reference(const std::filesystem::path &library) : library_(library) {
  begin_ = reinterpret_cast<decltype(begin_)>(library_.symbol("tangram_reference_begin"));
  end_ = reinterpret_cast<decltype(end_)>(library_.symbol("tangram_reference_end"));
  find_ = reinterpret_cast<decltype(find_)>(library_.symbol("tangram_reference_number"));
  if (!begin_ || !end_ || !find_ || library_.kernels().empty()) fail(kNone, {}, library.string());
}

Reference::Outcome Reference::call(const std::vector<Value> &arguments) const {
  Outcome outcome = callOnce(arguments, 0);
  if (!outcome.result.ok() || !outcome.undecided) return outcome;
  for (std::uint64_t flips : kFlips) {
    Outcome other = callOnce(arguments, flips);
    if (!other.result.ok()) continue;
    for (std::size_t i = 0; i < outcome.expected.size(); ++i) outcome.expected[i].alsoAccept(other.expected[i]);
  }
  return outcome;
}

Reference::Outcome Reference::callOnce(const std::vector<Value> &arguments, std::uint64_t flips) const {
  Outcome outcome;
  std::vector<Value> values;
  for (const Value &v : arguments) values.push_back(v.copy());
  begin_(flips);
  auto start = std::chrono::steady_clock::now();
  outcome.result = runtime::call(kernel(), values);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.undecided = end_();
  if (!outcome.result.ok()) return outcome;
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::vector<std::vector<Expected::Number>> numbers;
    bool written = kernel().params[p].access != TANGRAM_IN;
    std::size_t fields = written ? std::max<std::size_t>(1, values[p].type().fields.size()) : 0;
    for (std::size_t f = 0; f < fields; ++f) {
      Value field = values[p].field(f);
      numbers.emplace_back();
      if (!field.isFloating()) continue;
      numbers.back().resize(field.count());
      for (std::uint64_t i = 0; i < field.count(); ++i) {
        tangram_reference_element element;
        bool known = find_(field.address(i), field.element(), &element);
        numbers.back()[i] = known ? Expected::Number{element.value, element.bound} : Expected::Number{field.real(i), 0};
      }
    }
    outcome.expected.emplace_back(std::move(values[p]), std::move(numbers));
  }
  return outcome;
}

} // namespace tangram::runtime
