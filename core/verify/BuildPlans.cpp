#include "BuildPlans.h"

#include "DiagnosticMessage.h"

#include <algorithm>
#include <cstdlib>

namespace tangram::runtime {
namespace {

/// Whether it says that there is no code for what a codelet does; a bug of ours is a failure.
bool isRefusal(const Diagnostic &d) { return d.cls != DiagnosticClass::Bug; }

/// Null where one of them cannot be.
const ast::Module *lower(Session &session, const std::vector<std::pair<std::size_t, const Plan *>> &plans,
                         ast::Arena &arena) {
  std::vector<Plan> all;
  for (const auto &[_, plan] : plans) all.push_back(*plan);
  if (all.empty()) return nullptr;
  try {
    return session.lower(all, arena);
  } catch (const DiagnosticError &) {
    return nullptr;
  } catch (const ErrorsReported &) {
    session.diags().take();
    return nullptr;
  }
}

void buildInChild(const BuildRequest &request, const Send &send) {
  temporaryFilesIn(request.folder);
  Session &session = *request.session;
  std::vector<std::pair<std::size_t, const Plan *>> fitting;
  for (const auto &[number, plan] : request.plans)
    if (std::string why = session.unfit(plan); why.empty())
      fitting.emplace_back(number, &plan);
    else
      send({"unfit", std::to_string(number), why});
  ast::Arena arena;
  const ast::Module *lowered = lower(session, fitting, arena);
  if (!lowered) {
    // One by one: which of them cannot be lowered?
    std::vector<std::pair<std::size_t, const Plan *>> good;
    for (const auto &[number, plan] : fitting) {
      ast::Arena own;
      auto refused = [&](const Diagnostic &d) { send(joined({"refused", std::to_string(number)}, d)); };
      try {
        session.lower({*plan}, own);
        good.emplace_back(number, plan);
      } catch (const DiagnosticError &e) {
        if (!isRefusal(e.diagnostic)) return send({"error", e.diagnostic.message});
        refused(e.diagnostic);
      } catch (const ErrorsReported &) {
        std::vector<Diagnostic> all = session.diags().take();
        auto error = std::find_if(all.begin(), all.end(), [](auto &d) { return d.severity == Severity::Error; });
        if (error == all.end() || !isRefusal(*error)) return send({"error", "errors were reported"});
        refused(*error);
      }
    }
    fitting = std::move(good);
    lowered = lower(session, fitting, arena);
  }
  if (fitting.empty()) return;
  if (!lowered) return send({"error", "plans cannot be lowered together"});
  std::string stem = fmt::format("{}_{}_{}", request.stem, request.plans.front().first, request.plans.back().first);
  std::filesystem::path folder = request.folder / stem;
  try {
    std::filesystem::create_directories(folder);
    Message m{"built", session.build(session.emit(*lowered, stem), folder, stem).string()};
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      m.push_back(std::to_string(fitting[i].first));
      m.push_back(lowered->kernels[i]->name);
    }
    send(m);
  } catch (const DiagnosticError &e) {
    send({"error", e.diagnostic.message});
  } catch (const ErrorsReported &) {
    send({"error", errorsOf(session)});
  }
}

} // namespace

std::string errorsOf(Session &session) {
  std::string text;
  for (const Diagnostic &d : session.diags().take())
    if (d.severity == Severity::Error) text += (text.empty() ? "" : "; ") + d.message;
  return text.empty() ? "errors were reported" : text;
}

Message joined(Message front, const Diagnostic &diagnostic) {
  for (std::string &field : encode(diagnostic)) front.push_back(std::move(field));
  return front;
}

void temporaryFilesIn(const std::filesystem::path &folder) {
  std::error_code ec;
  std::filesystem::path own = std::filesystem::absolute(folder / kTemporary, ec);
  if (std::filesystem::create_directories(own, ec); !ec) setenv("TMPDIR", own.c_str(), 1);
}

std::filesystem::path buildHere(Session &session, const std::vector<Plan> &plans, const std::filesystem::path &folder,
                                const std::string &stem, std::vector<std::string> &names) {
  ast::Arena arena;
  const ast::Module *lowered = session.lower(plans, arena);
  names.clear();
  for (const ast::Kernel *kernel : lowered->kernels) names.push_back(kernel->name);
  std::filesystem::create_directories(folder);
  return session.build(session.emit(*lowered, stem), folder, stem);
}

void addBuild(Children &children, BuildRequest request, const std::function<void(BuildOutcome)> &ended) {
  struct State {
    BuildRequest request;
    BuildOutcome outcome;
    std::string error;
  };
  auto state = std::make_shared<State>();
  state->request = std::move(request);
  for (const auto &[number, _] : state->request.plans) state->outcome.plans.push_back(number);
  ChildJob job;
  job.work = [state](const Send &send) { buildInChild(state->request, send); };
  job.receive = [state](const Message &m) {
    BuildOutcome &outcome = state->outcome;
    if (m[0] == "error") state->error = m[1];
    if (m[0] == "unfit") outcome.unfit[std::stoull(m[1])] = m[2];
    if (m[0] == "refused") outcome.refused.emplace(std::stoull(m[1]), decodeDiagnostic(m, 2, *state->request.arena));
    if (m[0] != "built") return;
    for (std::size_t i = 2; i + 1 < m.size(); i += 2) outcome.built.push_back({std::stoull(m[i]), m[1], m[i + 1]});
  };
  job.ended = [&children, state, ended](const ChildEnd &end) {
    BuildRequest &whole = state->request;
    BuildOutcome &outcome = state->outcome;
    outcome.late = end.how == ChildEnd::How::Late;
    const bool wrong = !outcome.late && (!end.done() || !state->error.empty());
    if (wrong && whole.plans.size() > 1) {
      auto middle = whole.plans.begin() + static_cast<std::ptrdiff_t>(whole.plans.size() / 2);
      BuildRequest one = whole, other = whole;
      one.plans.assign(whole.plans.begin(), middle);
      other.plans.assign(middle, whole.plans.end());
      one.first = other.first = true;
      addBuild(children, std::move(other), ended);
      addBuild(children, std::move(one), ended);
      return;
    }
    if (wrong)
      outcome.failed[outcome.plans[0]] =
          "does not compile: " + (state->error.empty() ? "the compiler " + end.text() : state->error);
    ended(std::move(outcome));
  };
  job.silence = kEndlessCompiler;
  job.deadline = state->request.deadline;
  if (state->request.first)
    children.addFirst(std::move(job));
  else
    children.add(std::move(job));
}

} // namespace tangram::runtime
