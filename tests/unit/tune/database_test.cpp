// The database of timings: what is recorded is there the next time, and what is no such database is refused.
#include "tangram/diag/Diagnostic.h"
#include "tangram/tune/Database.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tangram::tune {
namespace {

const Problem kProblem{"sum", "cpu 01", "in=[16]", "in=iota:16; seed 1"};
const Machine kMachine{"a processor", "g++ 12 -O3", "0.1.0"};

class DatabaseTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("tangram-{}-database", getpid());
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "t.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// What is said of the file where it is opened.
  std::string error(double patience = 0.05) {
    try {
      Database database(file_, patience);
      database.open(kProblem, kMachine);
      database.addTimes("a", {1});
    } catch (const DiagnosticError &e) {
      EXPECT_FALSE(e.diagnostic.advice.empty());
      return fmt::format("{}: {}", e.diagnostic.id, e.diagnostic.message);
    }
    return "";
  }
  void sql(const std::string &text) {
    sqlite3 *db = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  void fill() {
    Database database(file_);
    database.open(kProblem, kMachine);
    for (int i = 0; i < 200; ++i)
      database.addTimes(fmt::format("plan {} {}", i, std::string(300, 'x')), std::vector<double>(20, 0.5));
  }

  std::filesystem::path folder_, file_;
};

TEST_F(DatabaseTest, WhatWasRecordedIsThereTheNextTime) {
  {
    Database database(file_);
    database.open(kProblem, kMachine);
    EXPECT_TRUE(database.records().empty());
    EXPECT_FALSE(database.choice());
    database.addTimes("a", {0.25, 0.5});
    database.judge("b", Verdict::Wrong, "got 1, expected 2");
    database.addTimes("a", {0.125});
    database.choose("a");
  }
  Database database(file_);
  database.open(kProblem, kMachine);
  std::vector<Record> records = database.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].plan, "a");
  EXPECT_EQ(records[0].seconds, (std::vector<double>{0.25, 0.5, 0.125}));
  EXPECT_EQ(records[1].verdict, Verdict::Wrong);
  EXPECT_EQ(records[1].reason, "got 1, expected 2");
  EXPECT_EQ(database.choice(), "a");
}

TEST_F(DatabaseTest, OtherProblemsAndMachinesAreApart) {
  Database database(file_);
  database.open(kProblem, kMachine);
  database.addTimes("a", {1});
  database.choose("a");
  EXPECT_TRUE(database.otherMachines().empty());
  for (auto change : {&Problem::spectrum, &Problem::target, &Problem::sizes, &Problem::data}) {
    Problem other = kProblem;
    other.*change += "!";
    database.open(other, kMachine);
    EXPECT_TRUE(database.records().empty());
    EXPECT_FALSE(database.choice());
    EXPECT_TRUE(database.otherMachines().empty());
  }
  for (auto change : {&Machine::device, &Machine::compiler, &Machine::tangram}) {
    Machine other = kMachine;
    other.*change += "!";
    database.open(kProblem, other);
    EXPECT_TRUE(database.records().empty());
    ASSERT_EQ(database.otherMachines().size(), 1u);
    EXPECT_EQ(database.otherMachines()[0].device, kMachine.device);
  }
}

TEST_F(DatabaseTest, AProcessThatIsKilledLosesNothing) {
  pid_t child = fork();
  if (child == 0) {
    Database database(file_);
    database.open(kProblem, kMachine);
    database.addTimes("a", {1, 2, 3});
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  Database database(file_);
  database.open(kProblem, kMachine);
  ASSERT_EQ(database.records().size(), 1u);
  EXPECT_EQ(database.records()[0].seconds.size(), 3u);
}

TEST_F(DatabaseTest, TwoMayUseOneAtATime) {
  std::vector<pid_t> children;
  for (int c = 0; c < 3; ++c) {
    children.push_back(fork());
    if (children.back()) continue;
    try {
      Database database(file_, 30);
      database.open(kProblem, kMachine);
      for (int i = 0; i < 50; ++i) database.addTimes(i % 2 ? "shared" : fmt::format("own {}", c), {1.0 * c});
      _exit(0);
    } catch (...) {
      _exit(1);
    }
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Database database(file_);
  database.open(kProblem, kMachine);
  std::vector<Record> records = database.records();
  EXPECT_EQ(records.size(), 4u);
  std::size_t times = 0;
  for (const Record &record : records) times += record.seconds.size();
  EXPECT_EQ(times, 100u); // a time of 0 is none, of the first
}

TEST_F(DatabaseTest, SeveralMayMakeItAtOnce) {
  for (int round = 0; round < 30; ++round) {
    file_ = folder_ / fmt::format("{}.db", round);
    std::vector<pid_t> children;
    for (int c = 0; c < 4; ++c) {
      children.push_back(fork());
      if (children.back()) continue;
      try {
        Database database(file_, 30);
        _exit(0);
      } catch (...) {
        _exit(1);
      }
    }
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0) << round;
    }
  }
}

TEST_F(DatabaseTest, WithoutAFileItIsInMemory) {
  Database database("");
  database.open(kProblem, kMachine);
  database.addTimes("a", {1});
  EXPECT_EQ(database.records().size(), 1u);
}

TEST_F(DatabaseTest, AFileOfSomethingElseIsRefused) {
  std::ofstream(file_) << "# a plan, and no database\nplan sum for cpu\n";
  EXPECT_NE(error().find("tune.no-database: '"), std::string::npos) << error();
  std::filesystem::remove(file_);
  sql("create table other (id integer)");
  EXPECT_NE(error().find("it is another program's"), std::string::npos) << error();
}

TEST_F(DatabaseTest, AnotherLayoutIsRefused) {
  fill();
  sql("pragma user_version = 7");
  EXPECT_NE(error().find("has layout 7, and this tangram knows layout 1 alone"), std::string::npos) << error();
}

TEST_F(DatabaseTest, AFileThatWasCutIsDamaged) {
  fill();
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) / 2);
  EXPECT_NE(error().find("tune.damaged-database"), std::string::npos) << error();
}

TEST_F(DatabaseTest, AFileWithOtherBytesIsDamaged) {
  fill();
  {
    std::fstream bytes(file_, std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 1; page < 20; ++page) {
      bytes.seekp(page * 4096);
      for (int i = 0; i < 2000; ++i) bytes.put('\x5a');
    }
  }
  EXPECT_NE(error().find("tune.damaged-database"), std::string::npos) << error();
}

TEST_F(DatabaseTest, ATableThatIsMissingIsDamage) {
  fill();
  sql("drop table timing");
  EXPECT_NE(error().find("tune.damaged-database"), std::string::npos) << error();
}

TEST_F(DatabaseTest, OneThatIsLockedIsWaitedForAndThenRefused) {
  fill();
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "begin exclusive", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_NE(error().find("tune.locked-database"), std::string::npos) << error();
  ASSERT_EQ(sqlite3_exec(other, "rollback", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(error(), "");
}

TEST_F(DatabaseTest, OneThatCannotBeWrittenIsRefused) {
  fill();
  std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  // For root, what others may not do counts.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  std::string said = error();
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_NE(said.find("tune.unwritable-database"), std::string::npos) << said;
  file_ = folder_ / "missing" / "t.db";
  EXPECT_NE(error().find("tune.unwritable-database"), std::string::npos) << error();
  file_ = folder_;
  EXPECT_NE(error().find("tune.unwritable-database"), std::string::npos) << error();
}

} // namespace
} // namespace tangram::tune
