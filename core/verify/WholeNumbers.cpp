#include "tangram/verify/WholeNumbers.h"

#include <algorithm>
#include <cmath>

namespace tangram::runtime {
namespace {

/// What SplitMix64 makes of a number.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;

/// How large sums may become, with a bit to spare.
std::uint64_t held(tangram_element element) { return 1ull << (mantissaBits(element) - 1); }

/// Of f16 and bf16, too, as many elements are other numbers than zero as a float can add up.
std::uint64_t parts(std::uint64_t elements, tangram_element element) {
  const std::uint64_t most = std::max(held(element), held(TANGRAM_F32));
  return elements / most + (elements % most != 0);
}

/// Whether sums of numbers up to 2, and of their products, fit.
bool isFew(std::uint64_t elements, tangram_element element) { return elements <= held(element) / 4; }

bool isZero(const Value &field, std::uint64_t i) {
  return field.isFloating() ? field.real(i) == 0 : field.integer(i) == 0;
}

} // namespace

std::uint64_t Random::next() { return mixed(state_ += kStep); }

std::int64_t Random::between(std::int64_t lo, std::int64_t hi) {
  std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  std::uint64_t offset =
      range ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * range) >> 64) : next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + offset);
}

double Random::unit() { return static_cast<double>(static_cast<std::int64_t>(next()) >> 11) * 0x1p-52; }

WholeNumbers::WholeNumbers(std::uint64_t seed, std::uint64_t elements, tangram_element element, std::uint64_t pass)
    : random_(seed + pass * kStep), elements_(elements), pass_(pass), parts_(parts(elements, element)),
      few_(isFew(elements, element)) {}

std::uint64_t WholeNumbers::passes(std::uint64_t elements, tangram_element element) {
  // Where all are 1 or -1, one in place of another is as likely as not the same.
  const bool chance = !isFew(elements, element) && !isFew(elements, TANGRAM_F32);
  return chance ? kMostPasses : std::clamp<std::uint64_t>(parts(elements, element), 1, kMostPasses);
}

std::int64_t WholeNumbers::next(bool zeros) {
  const std::uint64_t i = index_++;
  const bool outermost = elements_ > 1 && (i == 0 || i + 1 == elements_);
  // The index alone says which part it is in: else products of two arguments were zero in every pass.
  if (parts_ > 1 && !outermost && mixed((i + 1) * kStep) % parts_ != pass_ % parts_) {
    random_.next();
    return 0;
  }
  if (few_ && zeros && !outermost) return random_.between(-2, 2);
  const std::int64_t size = few_ ? 2 : 1, drawn = random_.between(-size, size - 1);
  return drawn < 0 ? drawn : drawn + 1;
}

std::uint64_t wholePasses(const std::vector<Value> &values) {
  std::uint64_t most = 0;
  for (const Value &value : values)
    for (const Element::Field &field : value.type().fields)
      if (isFloating(field.kind)) most = std::max(most, WholeNumbers::passes(value.count(), field.kind));
  return most;
}

void makeWhole(Value &value, std::uint64_t seed, std::uint64_t pass, bool fillZeros) {
  for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
    Value field = value.field(f);
    if (!field.isFloating()) continue;
    WholeNumbers numbers(seed + f, field.count(), field.element(), pass);
    for (std::uint64_t i = 0; i < field.count(); ++i) {
      const std::int64_t number = numbers.next(false);
      const double x = field.real(i);
      if (std::isfinite(x) && (x != 0 || fillZeros)) field.setInteger(i, number);
    }
  }
}

void replaceZeros(Value &value) {
  for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
    Value field = value.field(f);
    for (std::uint64_t i = 0; i < field.count(); ++i)
      if (isZero(field, i)) field.setInteger(i, 1);
  }
}

bool hasZero(const Value &value) {
  for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
    const Value field = value.field(f);
    for (std::uint64_t i = 0; i < field.count(); ++i)
      if (isZero(field, i)) return true;
  }
  return false;
}

bool allZero(const std::vector<Value> &values) {
  bool any = false;
  for (const Value &value : values)
    for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
      const Value field = value.field(f);
      for (std::uint64_t i = 0; i < field.count(); ++i)
        if (!isZero(field, i)) return false;
      any |= field.count() > 0;
    }
  return any;
}

} // namespace tangram::runtime
