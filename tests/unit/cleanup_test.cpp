// What a process leaves behind when it is killed.
#include "tangram/process/Children.h"
#include "tangram/process/Cleanup.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tangram::runtime;
using namespace std::chrono_literals;

namespace {

bool within(std::chrono::seconds time, const std::function<bool()> &holds) {
  for (auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return holds();
}

/// The process of a file that holds its number; 0: none yet.
pid_t pidIn(const std::filesystem::path &file) {
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  return pid;
}

} // namespace

TEST(Cleanup, AProcessThatIsKilledLeavesNoFolderAndNoProcess) {
  for (int how : {SIGKILL, SIGINT, SIGTERM}) {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("tangram-{}-cleanup-{}", getpid(), how);
    std::filesystem::path pids = folder;
    pids += ".pid";
    std::filesystem::create_directories(folder);
    pid_t driver = fork();
    if (driver == 0) {
      // A driver, whose child has started a compiler that takes long.
      std::signal(how, SIG_DFL);
      removeAtEnd(folder);
      runChild(
          [&](const Send &) {
            std::ofstream(folder / "source.cpp") << "int main() {}";
            std::string command =
                fmt::format("sleep 600 & echo $! > '{0}.new'; mv '{0}.new' '{0}'; wait", pids.string());
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
          },
          [](const Message &) {}, 600);
      _exit(0);
    }
    ASSERT_TRUE(within(20s, [&] { return pidIn(pids) != 0; }));
    pid_t compiler = pidIn(pids);
    EXPECT_EQ(kill(compiler, 0), 0);
    kill(driver, how);
    waitpid(driver, nullptr, 0);
    EXPECT_TRUE(within(20s, [&] { return !std::filesystem::exists(folder); })) << how;
    // Gone, or a zombie that nobody has waited for.
    EXPECT_TRUE(within(20s, [&] {
      std::string line, state;
      std::ifstream stat(fmt::format("/proc/{}/stat", compiler));
      return !std::getline(stat, line) || line.find(") Z ") != std::string::npos;
    })) << how;
    std::filesystem::remove(pids);
  }
}

TEST(Cleanup, WhatIsDroppedStays) {
  std::filesystem::path base = std::filesystem::temp_directory_path() / fmt::format("tangram-{}-kept", getpid());
  std::filesystem::create_directories(base / "kept");
  std::filesystem::create_directories(base / "removed");
  pid_t driver = fork();
  if (driver == 0) {
    removeAtEnd(base / "kept");
    removeAtEnd(base / "removed");
    dropFolder(base / "kept");
    _exit(0);
  }
  waitpid(driver, nullptr, 0);
  EXPECT_TRUE(within(20s, [&] { return !std::filesystem::exists(base / "removed"); }));
  EXPECT_TRUE(std::filesystem::exists(base / "kept"));
  std::filesystem::remove_all(base);
}

TEST(Children, ADeadlineEndsWhatRunsAndWhatWaits) {
  Children children(1);
  std::vector<ChildEnd::How> ends;
  auto job = [&](int seconds, std::chrono::steady_clock::time_point deadline) {
    ChildJob made;
    made.work = [seconds](const Send &) { std::this_thread::sleep_for(std::chrono::seconds(seconds)); };
    made.ended = [&](const ChildEnd &end) { ends.push_back(end.how); };
    made.deadline = deadline;
    return made;
  };
  auto soon = std::chrono::steady_clock::now() + 200ms;
  children.add(job(600, soon));
  children.add(job(600, soon));
  children.add(job(0, std::chrono::steady_clock::time_point::max()));
  children.run();
  using How = ChildEnd::How;
  EXPECT_EQ(ends, (std::vector<How>{How::Late, How::Late, How::Done}));
}

TEST(Children, WhatIsAddedFirstRunsFirst) {
  Children children(1);
  std::string order;
  auto job = [&](char name) {
    ChildJob made;
    made.work = [](const Send &) {};
    made.ended = [&order, name](const ChildEnd &) { order += name; };
    return made;
  };
  children.add(job('b'));
  children.add(job('c'));
  children.addFirst(job('a'));
  children.run();
  EXPECT_EQ(order, "abc");
}
