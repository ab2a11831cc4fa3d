// Caches as Linux describes them.
#include "tangram/c-family/Caches.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tangram::c_family {
namespace {

class Caches : public testing::Test {
protected:
  void SetUp() override {
    core_ = std::filesystem::path(testing::TempDir()) / ("caches-" + std::to_string(::getpid()));
    std::filesystem::create_directories(core_);
  }
  void TearDown() override { std::filesystem::remove_all(core_); }
  void add(unsigned index, const std::string &level, const std::string &type, const std::string &size) {
    const std::filesystem::path folder = core_ / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "size") << size << "\n";
    std::ofstream(folder / "coherency_line_size") << "64\n";
  }
  std::filesystem::path core_;
};

TEST_F(Caches, OfDataByLevel) {
  add(0, "1", "Instruction", "64K");
  add(1, "1", "Data", "32K");
  add(2, "2", "Unified", "1024K");
  add(3, "3", "Unified", "32M");
  EXPECT_EQ(cacheOf(core_, 1).bytes, 32u << 10);
  EXPECT_EQ(cacheOf(core_, 2).bytes, 1u << 20);
  EXPECT_EQ(cacheOf(core_, 3).bytes, 32u << 20);
  EXPECT_EQ(cacheOf(core_, 3).line, 64u);
  EXPECT_EQ(cacheOf(core_, 4).bytes, 0u);
}

TEST_F(Caches, NothingWhereNothingIsSaid) {
  EXPECT_EQ(cacheOf(core_, 1).bytes, 0u);
  add(0, "1", "Data", "");
  EXPECT_EQ(cacheOf(core_, 1).bytes, 0u);
}

} // namespace
} // namespace tangram::c_family
