// Arguments of random programs, for code that was made of them and for the interpreter alike.
#pragma once

#include "Bytes.h"
#include "RandomProgram.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <random>

namespace tangram::test {

/// For each type three numbers to read, and room for what the program stores.
struct RandomArguments {
  Ps params;               // pointers, inputs first
  std::vector<Value> args; // the interpreter's
  std::vector<std::vector<char>> memory;

  /// `program` was made already: what it stores is known then.
  RandomArguments(RandomProgram &program, unsigned seed) {
    std::mt19937 random(seed);
    for (const Type &t : kTypes) {
      std::vector<Scalar> values;
      std::vector<char> bytes;
      for (int i = 0; i < 3; ++i) {
        int v = static_cast<int>(random() % 400) - 200;
        values.push_back(t.isFloating() ? real(t, v * 0.37) : integer(t, t.isBool() ? v & 1 : v));
        std::vector<char> one = bytesOf(values.back());
        bytes.insert(bytes.end(), one.begin(), one.end());
      }
      params.push_back(in("in_" + t.text(), Type::pointer(t)));
      args.push_back(arrayValue(values, {3}));
      memory.push_back(bytes);
    }
    for (const Type &t : kTypes) {
      int n = program.stored(t);
      Scalar zero = t.isFloating() ? real(t, 0) : integer(t, 0);
      params.push_back(inOut("out_" + t.text(), Type::pointer(t)));
      args.push_back(arrayValue(std::vector<Scalar>(static_cast<std::size_t>(n), zero), {n}));
      memory.emplace_back(static_cast<std::size_t>(n) * t.bytes());
    }
  }

  /// The interpreter knows no pointers as parameters, but arrays as variables of that name.
  Ps asArrays() const {
    Ps result;
    for (const ast::Param *p : params)
      result.push_back(make<ast::Param>(p->name, Type::array(1, p->type.element()), p->access));
    return result;
  }

  std::vector<void *> pointers() {
    std::vector<void *> result;
    for (auto &m : memory) result.push_back(m.data());
    return result;
  }

  /// The first element that the code has stored and the interpreter has not so, in words; what was stored is forgotten.
  std::string difference() {
    std::string result;
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const std::vector<Scalar> &expected = *args[kTypes.size() + i].array.cells;
      std::vector<char> &out = memory[kTypes.size() + i];
      for (std::size_t k = 0; k < expected.size(); ++k) {
        Scalar got = scalarAt(out.data() + k * kTypes[i].bytes(), kTypes[i]);
        if (bytesOf(got) == bytesOf(expected[k]) || (std::isnan(got.d) && std::isnan(expected[k].d))) continue;
        if (result.empty())
          result = fmt::format("{} {}: {} {} instead of {} {}", kTypes[i].text(), k, got.i, got.d, expected[k].i,
                               expected[k].d);
      }
      std::fill(out.begin(), out.end(), 0);
    }
    return result;
  }
};

/// TANGRAM_FUZZ=N tries as many.
inline unsigned seeds(unsigned usual) {
  const char *count = std::getenv("TANGRAM_FUZZ");
  return count ? static_cast<unsigned>(std::atoi(count)) : usual;
}

} // namespace tangram::test
