#include "IntegerNarrowing.h"

#include "tangram/plugin/Plugin.h"

TANGRAM_PLUGIN("integer-narrowing", "1.0", "computes with bytes as with bytes where lanes are vectors") {
  tangram::PassDescriptor pass;
  pass.name = "integer-narrowing";
  pass.summary = "What lanes of a vector compute of numbers of one or two bytes, in C in four, is computed in the "
                 "narrowest type that holds it, so that a register has more of them";
  pass.kind = tangram::PassKind::Optimizer;
  pass.before = "i32 sum = 0; sum += i32(in[i - 1]); sum += i32(in[i]); out[i] = u8(sum / 2)";
  pass.after = "i16 sum = 0; sum += i16(in[i - 1]); sum += i16(in[i]); out[i] = u8(sum / 2)";
  pass.requires_ = {"flat"};
  pass.create = [](const tangram::OptionValues &) {
    return std::make_unique<tangram::integer_narrowing::IntegerNarrowing>();
  };
  registry.passes.add(std::move(pass));
}
