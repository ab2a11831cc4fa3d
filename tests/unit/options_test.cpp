// Options of components: types, ranges, defaults.
#include "tangram/diag/Diagnostic.h"
#include "tangram/pass/Options.h"

#include <gtest/gtest.h>

using namespace tangram;

namespace {

const std::vector<OptionSpec> kSpecs = {
    {"fast", "be fast", true, {}, {}, {}},
    {"factor", "by how much", std::int64_t{4}, 1, 16, {}},
    {"share", "of the whole", 0.5, 0, 1, {}},
    {"style", "how it looks", std::string("plain"), {}, {}, {"plain", "fancy"}},
    {"flags", "for the tool", std::vector<std::string>{"-O2"}, {}, {}, {}},
};

OptionValues one(const std::string &name, OptionValue value) {
  OptionValues values;
  values.set(name, std::move(value));
  return values;
}

std::string error(const OptionValues &given, const std::vector<OptionSpec> &specs = kSpecs) {
  try {
    checkOptions(specs, given, "unroll");
  } catch (const DiagnosticError &failure) {
    EXPECT_EQ(failure.diagnostic.cls, DiagnosticClass::User);
    return failure.diagnostic.message + " | " + failure.diagnostic.advice;
  }
  return "";
}

TEST(Options, DefaultsAreFilledIn) {
  OptionValues values = checkOptions(kSpecs, {}, "unroll");
  EXPECT_TRUE(values.flag("fast"));
  EXPECT_EQ(values.integer("factor"), 4);
  EXPECT_EQ(values.real("share"), 0.5);
  EXPECT_EQ(values.text("style"), "plain");
  EXPECT_EQ(values.texts("flags"), std::vector<std::string>{"-O2"});
}

TEST(Options, GivenValuesReplaceThem) {
  OptionValues given;
  given.set("fast", false);
  given.set("factor", std::int64_t{16});
  given.set("share", std::int64_t{1}); // an integer where a real is asked for
  given.set("style", std::string("fancy"));
  given.set("flags", std::string("-O3")); // one where a list is asked for
  OptionValues values = checkOptions(kSpecs, given, "unroll");
  EXPECT_FALSE(values.flag("fast"));
  EXPECT_EQ(values.integer("factor"), 16);
  EXPECT_EQ(values.real("share"), 1.0);
  EXPECT_EQ(values.text("style"), "fancy");
  EXPECT_EQ(values.texts("flags"), std::vector<std::string>{"-O3"});
}

TEST(Options, Mistakes) {
  EXPECT_EQ(error(one("factr", std::int64_t{2})), "'unroll' has no option 'factr' | use 'factor'");
  EXPECT_EQ(error(one("factor", std::int64_t{2}), {}),
            "'unroll' has no option 'factor' | leave it out: 'unroll' takes no options");
  EXPECT_EQ(error(one("factor", std::int64_t{17})),
            "option 'factor' of 'unroll' is 17, which is out of its range | use a value from 1 to 16");
  EXPECT_EQ(error(one("factor", 2.5)),
            "option 'factor' of 'unroll' is the number 2.5, but takes an integer | write an integer such as 4");
  EXPECT_EQ(error(one("fast", std::int64_t{1})),
            "option 'fast' of 'unroll' is the integer 1, but takes a flag | write true or false");
  EXPECT_EQ(error(one("style", std::string("fncy"))), "option 'style' of 'unroll' has no value 'fncy' | use 'fancy'");
  EXPECT_NE(error(one("share", std::numeric_limits<double>::quiet_NaN())), "");
  EXPECT_NE(error(one("share", -0.1)), "");
  EXPECT_NE(error(one("style", std::vector<std::string>{"plain"})), "");
}

TEST(Options, PlaceIsTheOptionsOwnElseTheSteps) {
  std::string file = "t.yaml";
  OptionValues given;
  given.set("factor", std::int64_t{99}, {&file, 7, 3, 7, 5});
  try {
    checkOptions(kSpecs, given, "unroll", {&file, 2, 1, 0, 0});
    FAIL();
  } catch (const DiagnosticError &failure) {
    EXPECT_EQ(failure.diagnostic.range.line, 7u);
  }
  try {
    checkOptions(kSpecs, one("nope", true), "unroll", {&file, 2, 1, 0, 0});
    FAIL();
  } catch (const DiagnosticError &failure) {
    EXPECT_EQ(failure.diagnostic.range.line, 2u);
  }
}

TEST(Options, ReadingWhatNobodyDeclaredIsOurBug) {
  OptionValues values;
  try {
    values.flag("never");
    FAIL();
  } catch (const DiagnosticError &failure) {
    EXPECT_EQ(failure.diagnostic.cls, DiagnosticClass::Bug);
  }
}

} // namespace
