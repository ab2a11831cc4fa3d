// Vectors of generated code (tangram/runtime/vec.h).
#include "vec/accuracy.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace {

TEST(Vec, AgreesWithLoopsOnTheBaselineMachine) { EXPECT_EQ(vec_checks::run(), 0); }

TEST(Vec, MathIsAccurateOnTheBaselineMachine) {
  vec_checks::failures = 0;
  EXPECT_EQ(vec_checks::runAccuracy(), 0);
}

TEST(Vec, AgreesWithLoopsOnTheMachineAtHand) {
  std::string source = std::string(TANGRAM_SOURCE_DIR) + "/tests/unit/vec/native.cpp";
  std::string include = std::string(TANGRAM_SOURCE_DIR) + "/core/include";
  std::string program = (std::filesystem::temp_directory_path() / "tangram-vec-native-XXXXXX").string();
  int file = mkstemp(program.data());
  ASSERT_GE(file, 0);
  close(file);
  std::string command = "g++ -std=c++17 -O0 -march=native -Wall -Wextra -Werror -I'" + include + "' '" + source +
                        "' -o '" + program + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(std::system(("'" + program + "'").c_str()), 0);
  std::filesystem::remove(program);
}

} // namespace
