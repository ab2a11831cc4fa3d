#include "tangram/tune/Database.h"

#include "tangram/diag/Diagnostic.h"

#include <array>
#include <chrono>
#include <sqlite3.h>
#include <thread>

namespace tangram::tune {
namespace {

constexpr DiagnosticKind kNone{"tune.no-database", DiagnosticClass::User, "'{0}' is no database of timings: {1}",
                               "name another file with --db; one that is not there is made"};
constexpr DiagnosticKind kDamaged{"tune.damaged-database", DiagnosticClass::User, "database '{0}' is damaged: {1}",
                                  "put a copy of it back, or name another file with --db"};
constexpr DiagnosticKind kVersion{"tune.database-version", DiagnosticClass::User,
                                  "database '{0}' has layout {1}, and this tangram knows layout {2} alone",
                                  "name another file with --db, or use the tangram that has made it"};
constexpr DiagnosticKind kLocked{"tune.locked-database", DiagnosticClass::User,
                                 "database '{0}' is locked by another program", "wait until that ends, and try again"};
constexpr DiagnosticKind kUnwritable{"tune.unwritable-database", DiagnosticClass::User,
                                     "database '{0}' cannot be written: {1}",
                                     "check the file and its folder, or name another file with --db"};

constexpr int kApplication = 0x5467546e; // "TgTn": whose file it is, as file(1) and SQLite say it
constexpr int kLayout = 1;

constexpr const char *kSchema = R"(
create table problem (id integer primary key, spectrum text not null, target text not null, sizes text not null,
  data text not null, unique (spectrum, target, sizes, data));
create table machine (id integer primary key, device text not null, compiler text not null, tangram text not null,
  unique (device, compiler, tangram));
create table candidate (id integer primary key, problem integer not null references problem,
  machine integer not null references machine, plan text not null, verdict integer not null, reason text not null,
  unique (problem, machine, plan));
create table timing (id integer primary key, candidate integer not null references candidate, seconds real not null,
  taken text not null default current_timestamp);
create index timing_of on timing (candidate);
create table choice (problem integer not null references problem, machine integer not null references machine,
  candidate integer not null references candidate, primary key (problem, machine));
)";

/// Beside what the first version of the layout had.
constexpr const char *kMore = R"(
create table if not exists share (candidate integer not null references candidate, model text not null,
  part text not null, seconds real not null, primary key (candidate, model, part));
)";

constexpr std::array<std::string_view, 8> kVerdicts{"right", "unfit",  "refused", "uncompiled",
                                                    "wrong", "failed", "crashed", "endless"};

} // namespace

std::string_view name(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

struct Database::Impl {
  std::string file; // as it is called in messages
  double patience = 0;
  sqlite3 *db = nullptr;
  std::int64_t problem = 0, machine = 0;

  ~Impl() { sqlite3_close(db); }

  [[noreturn]] void wrong(int code) const {
    const std::string said = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    switch (code & 0xff) {
    case SQLITE_NOTADB: fail(kNone, {}, file, "it is no file of SQLite");
    case SQLITE_CORRUPT: fail(kDamaged, {}, file, said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: fail(kLocked, {}, file);
    case SQLITE_ERROR: fail(kDamaged, {}, file, said); // a table or column is missing
    default: fail(kUnwritable, {}, file, said);
    }
  }
  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) wrong(code);
  }
  /// Again while others have it locked. SQLite's own way to wait does not where a file becomes one with a log (WAL).
  void patiently(const std::function<int()> &step) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    int code = step();
    while (((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) &&
           std::chrono::duration<double>(Clock::now() - start).count() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      code = step();
    }
    check(code);
  }
  void run(const char *sql) const {
    patiently([&] { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr); });
  }
};

namespace {

/// One statement, run to its end unless rows are asked for.
template <class Impl> class Statement {
public:
  template <class... Values> Statement(const Impl &impl, const char *sql, const Values &...values) : impl_(impl) {
    impl.patiently([&] { return sqlite3_prepare_v2(impl.db, sql, -1, &statement_, nullptr); });
    int at = 0;
    (bind(++at, values), ...);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  bool row() {
    int code = SQLITE_DONE;
    impl_.patiently([&] { return code = sqlite3_step(statement_); });
    return code == SQLITE_ROW;
  }
  void run() {
    while (row()) {
    }
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  double real(int column) { return sqlite3_column_double(statement_, column); }
  std::string text(int column) {
    const unsigned char *text = sqlite3_column_text(statement_, column);
    return text ? std::string(reinterpret_cast<const char *>(text)) : std::string();
  }

private:
  void bind(int at, const std::string &value) {
    impl_.check(sqlite3_bind_text(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void bind(int at, std::int64_t value) { impl_.check(sqlite3_bind_int64(statement_, at, value)); }
  void bind(int at, double value) { impl_.check(sqlite3_bind_double(statement_, at, value)); }

  const Impl &impl_;
  sqlite3_stmt *statement_ = nullptr;
};

/// All or nothing, and nobody else writes meanwhile; "begin": all that is read is of one moment.
template <class Impl>
void transaction(const Impl &impl, const std::function<void()> &work, const char *begin = "begin immediate") {
  impl.run(begin);
  try {
    work();
    impl.run("commit");
  } catch (...) {
    sqlite3_exec(impl.db, "rollback", nullptr, nullptr, nullptr);
    throw;
  }
}

template <class Impl> std::int64_t number(const Impl &impl, const char *sql) {
  Statement statement(impl, sql);
  return statement.row() ? statement.integer(0) : 0;
}

} // namespace

Database::Database(const std::filesystem::path &file, double patience) : impl_(std::make_unique<Impl>()) {
  Impl &impl = *impl_;
  impl.file = file.string();
  impl.patience = patience;
  const std::string path = file.empty() ? ":memory:" : std::filesystem::absolute(file).string();
  impl.check(sqlite3_open_v2(path.c_str(), &impl.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr));
  sqlite3_extended_result_codes(impl.db, 1);
  // SQLite opens what cannot be written all the same.
  if (sqlite3_db_readonly(impl.db, "main") == 1) fail(kUnwritable, {}, impl.file, "it is read-only");
  auto empty = [&] { return number(impl, "select count(*) from sqlite_master") == 0; };
  auto isOurs = [&] {
    const std::int64_t application = number(impl, "pragma application_id");
    if (application != kApplication && !(application == 0 && empty()))
      fail(kNone, {}, impl.file, "it is another program's");
    return application == kApplication;
  };
  bool ours = false; // while another tuner may be about to make it
  transaction(impl, [&] { ours = isOurs(); }, "begin");
  // What was committed outlives this process; it need not outlive the machine's loss of power.
  if (!ours) impl.run("pragma journal_mode = wal");
  impl.run("pragma synchronous = normal; pragma foreign_keys = on");
  transaction(impl, [&] {
    if (isOurs()) return; // as of now: another tuner may have been first
    impl.run(kSchema);
    impl.run(fmt::format("pragma application_id = {}; pragma user_version = {}", kApplication, kLayout).c_str());
  });
  if (std::int64_t layout = number(impl, "pragma user_version"); layout != kLayout)
    fail(kVersion, {}, impl.file, layout, kLayout);
  if (number(impl, "select count(*) from sqlite_master where name = 'share'") == 0) impl.run(kMore);
  Statement check(impl, "pragma quick_check(1)");
  if (check.row() && check.text(0) != "ok") fail(kDamaged, {}, impl.file, check.text(0));
}

Database::~Database() = default;

void Database::open(const Problem &problem, const Machine &machine) {
  Impl &impl = *impl_;
  transaction(impl, [&] {
    Statement(impl, "insert or ignore into problem (spectrum, target, sizes, data) values (?, ?, ?, ?)",
              problem.spectrum, problem.target, problem.sizes, problem.data)
        .run();
    Statement(impl, "insert or ignore into machine (device, compiler, tangram) values (?, ?, ?)", machine.device,
              machine.compiler, machine.tangram)
        .run();
    Statement p(impl, "select id from problem where spectrum = ? and target = ? and sizes = ? and data = ?",
                problem.spectrum, problem.target, problem.sizes, problem.data);
    Statement m(impl, "select id from machine where device = ? and compiler = ? and tangram = ?", machine.device,
                machine.compiler, machine.tangram);
    if (p.row()) impl.problem = p.integer(0);
    if (m.row()) impl.machine = m.integer(0);
  });
}

std::vector<Record> Database::records() const {
  const Impl &impl = *impl_;
  std::vector<Record> result;
  Statement rows(
      impl,
      "select candidate.id, plan, verdict, reason, seconds from candidate left join timing "
      "on timing.candidate = candidate.id where problem = ? and machine = ? order by candidate.id, timing.id",
      impl.problem, impl.machine);
  std::int64_t last = 0;
  while (rows.row()) {
    if (rows.integer(0) != last) {
      const std::int64_t verdict = rows.integer(2);
      if (verdict < 0 || verdict >= static_cast<std::int64_t>(kVerdicts.size()))
        fail(kDamaged, {}, impl.file, fmt::format("there is no verdict {}", verdict));
      result.push_back({rows.text(1), static_cast<Verdict>(verdict), rows.text(3), {}});
    }
    last = rows.integer(0);
    if (double seconds = rows.real(4); seconds > 0) result.back().seconds.push_back(seconds);
  }
  return result;
}

void Database::judge(const std::string &plan, Verdict verdict, const std::string &reason) {
  const Impl &impl = *impl_;
  Statement(impl,
            "insert into candidate (problem, machine, plan, verdict, reason) values (?1, ?2, ?3, ?4, ?5) "
            "on conflict (problem, machine, plan) do update set verdict = ?4, reason = ?5",
            impl.problem, impl.machine, plan, static_cast<std::int64_t>(verdict), reason)
      .run();
}

void Database::addTimes(const std::string &plan, const std::vector<double> &seconds) {
  const Impl &impl = *impl_;
  transaction(impl, [&] {
    Statement(impl, "insert or ignore into candidate (problem, machine, plan, verdict, reason) values (?, ?, ?, 0, '')",
              impl.problem, impl.machine, plan)
        .run();
    for (double s : seconds)
      Statement(impl,
                "insert into timing (candidate, seconds) select id, ?1 from candidate "
                "where problem = ?2 and machine = ?3 and plan = ?4",
                s, impl.problem, impl.machine, plan)
          .run();
  });
}

void Database::predict(const std::string &plan, const std::string &model, const std::map<std::string, double> &shares) {
  const Impl &impl = *impl_;
  transaction(impl, [&] {
    for (const auto &[part, seconds] : shares)
      Statement(impl,
                "insert or replace into share (candidate, model, part, seconds) select id, ?1, ?2, ?3 from candidate "
                "where problem = ?4 and machine = ?5 and plan = ?6",
                model, part, seconds, impl.problem, impl.machine, plan)
          .run();
  });
}

std::vector<Sample> Database::samples(const std::string &target, const std::string &model) const {
  const Impl &impl = *impl_;
  // Behind its name stands a hash of what a target says.
  Statement last(impl,
                 "select machine from timing join candidate on candidate.id = timing.candidate join problem on "
                 "problem.id = problem where substr(problem.target, 1, length(?1) + 1) = ?1 || ' ' "
                 "order by timing.id desc limit 1",
                 target);
  std::vector<Sample> result;
  if (!last.row()) return result;
  Statement rows(impl,
                 "select candidate.id, problem, seconds from candidate join timing on timing.candidate = candidate.id "
                 "join problem on problem.id = problem where substr(problem.target, 1, length(?1) + 1) = ?1 || ' ' and "
                 "machine = ?2 and verdict = 0 order by candidate.id, seconds",
                 target, last.integer(0));
  std::map<std::int64_t, std::pair<std::int64_t, std::vector<double>>> times;
  while (rows.row()) {
    times[rows.integer(0)].first = rows.integer(1);
    if (double seconds = rows.real(2); seconds > 0) times[rows.integer(0)].second.push_back(seconds);
  }
  for (const auto &[candidate, of] : times) {
    if (of.second.empty()) continue;
    Sample sample;
    sample.problem = of.first;
    sample.seconds = of.second[of.second.size() / 2];
    Statement parts(impl, "select part, seconds from share where candidate = ? and model = ? order by part", candidate,
                    model);
    while (parts.row()) sample.shares[parts.text(0)] = parts.real(1);
    if (!sample.shares.empty()) result.push_back(std::move(sample));
  }
  return result;
}

std::optional<std::string> Database::choice() const {
  const Impl &impl = *impl_;
  Statement row(impl,
                "select plan from choice join candidate on candidate.id = choice.candidate "
                "where choice.problem = ? and choice.machine = ?",
                impl.problem, impl.machine);
  if (!row.row()) return {};
  return row.text(0);
}

void Database::choose(const std::string &plan) {
  const Impl &impl = *impl_;
  Statement(impl,
            "insert or replace into choice (problem, machine, candidate) select ?1, ?2, id from candidate "
            "where problem = ?1 and machine = ?2 and plan = ?3",
            impl.problem, impl.machine, plan)
      .run();
}

std::vector<Machine> Database::otherMachines() const {
  const Impl &impl = *impl_;
  Statement rows(impl,
                 "select device, compiler, tangram from machine where id <> ?2 and id in "
                 "(select machine from candidate join timing on timing.candidate = candidate.id where problem = ?1) "
                 "order by id",
                 impl.problem, impl.machine);
  std::vector<Machine> result;
  while (rows.row()) result.push_back({rows.text(0), rows.text(1), rows.text(2)});
  return result;
}

} // namespace tangram::tune
