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

/// How many of `range` a number of 64 bits stands for, without a division.
std::uint64_t scaled(std::uint64_t bits, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
}

constexpr std::uint64_t kWhole = 1ull << 32;
constexpr double kLeastSize = 1.3; // of wide numbers in the mean, which are 1 and 2 in size then
constexpr double kPlaces = 3;      // of peaks, each in a wide pass

// Wide numbers have two peaks, one up and one down, at either end and anywhere by turns: what looks for the greatest or
// least element, or takes it away from all before exp(), shows nothing where another one is missing. So far above
// others that exp() overflows, where it can be.
constexpr std::int64_t kPeak = 256, kMostPeak = 1024;
constexpr double kPeaks = 4.0 * kMostPeak * kMostPeak; // more than products of them add to a sum

/// 1 or -1 where the element i of a pass is a peak, else 0: at the same places in all arguments of a length.
int peakAt(std::uint64_t i, std::uint64_t elements, std::uint64_t pass) {
  if (elements < 3) return 0;
  const std::uint64_t drawn = mixed((elements + 1) * kStep + pass), last = elements - 1;
  std::uint64_t above = 0, below = last;
  if (pass % 3 == 2) std::swap(above, below);
  if (pass % 3 == 0) {
    above = scaled(drawn, elements);
    below = scaled(mixed(drawn + kStep), elements);
  }
  return i == above ? 1 : i == below ? -1 : 0;
}

/// How large sums may become where addends of either sign are as large: no partial sum is then more than half of all.
double room(tangram_element element) {
  return std::ldexp(2, std::max(mantissaBits(element), mantissaBits(TANGRAM_F32)));
}

/// The mean size of wide numbers: sums of products of two fit, and what chance adds to them.
double meanSize(const WholePass &pass, tangram_element element) {
  const auto n = static_cast<double>(pass.among);
  const double product = (room(element) / (pass.negative ? 2 : 1) - kPeaks) / (n * (1 + 9 / std::sqrt(n)));
  // Products of two stay exact in the element's own type, and functions in their range.
  const double most = std::ldexp(1, std::min(10, (mantissaBits(element) - 1) / 2)) / 2;
  return std::clamp(std::sqrt(product), pass.negative ? 1 : kLeastSize, most);
}

/// A share or a tolerance means nothing as a whole number: what is computed of a power of two, no larger, is exact as
/// well.
double powerBelow(double fraction) { return std::copysign(std::exp2(std::ilogb(fraction)), fraction); }

} // namespace

std::uint64_t Random::next() { return mixed(state_ += kStep); }

std::int64_t Random::between(std::int64_t lo, std::int64_t hi) {
  std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  std::uint64_t offset =
      range ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * range) >> 64) : next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + offset);
}

double Random::unit() { return static_cast<double>(static_cast<std::int64_t>(next()) >> 11) * 0x1p-52; }

WholeNumbers::WholeNumbers(std::uint64_t seed, std::uint64_t elements, tangram_element element, WholePass pass)
    : random_(seed ^ mixed(pass.number)), elements_(elements), pass_(pass), parts_(parts(elements, element)),
      few_(isFew(elements, element)) {
  if (!pass.among) return;
  const double size = meanSize(pass, element);
  width_ = static_cast<std::uint64_t>(2 * size - 1);
  more_ = static_cast<std::uint64_t>((2 * size - 1 - static_cast<double>(width_)) * static_cast<double>(kWhole));
  const double kept =
      (room(element) - kPeaks) / (kLeastSize * kLeastSize * static_cast<double>(std::max<std::uint64_t>(1, elements)));
  // All below zero add up: there may be room for nothing else.
  hasPeaks_ = !pass.negative || static_cast<double>(elements) + kPeaks <= room(element) / 2;
  kept_ = static_cast<std::uint64_t>(std::min(1.0, kept) * static_cast<double>(kWhole));
}

bool WholeNumbers::isZero(std::uint64_t i) const {
  if (elements_ > 1 && (i == 0 || i + 1 == elements_)) return false;
  // The index alone says which part it is in: else products of two arguments were zero in every pass.
  const std::uint64_t place = (i + 1) * kStep;
  if (pass_.among) return kept_ < kWhole && scaled(mixed(place + pass_.number), kWhole) >= kept_;
  return parts_ > 1 && scaled(mixed(place), parts_) != pass_.number % parts_;
}

std::int64_t WholeNumbers::drawn(bool zeros) {
  if (pass_.among) {
    const std::uint64_t bits = random_.next();
    const bool more = (mixed(bits) >> 32) < more_;
    const auto size = static_cast<std::int64_t>(1 + scaled(bits << 1, width_ + more));
    return pass_.negative || bits >> 63 ? -size : size;
  }
  if (few_ && zeros) return random_.between(-2, 2);
  const std::int64_t size = few_ ? 2 : 1, drawn = random_.between(-size, size - 1);
  return drawn < 0 ? drawn : drawn + 1;
}

std::int64_t WholeNumbers::next(bool zeros) {
  const std::uint64_t i = index_++;
  const bool outermost = elements_ > 1 && (i == 0 || i + 1 == elements_);
  const std::int64_t number = drawn(zeros && !outermost);
  if (hasPeaks_)
    if (int peak = peakAt(i, elements_, pass_.number))
      return (pass_.negative ? -1 : peak) * std::clamp(static_cast<std::int64_t>(2 * width_), kPeak, kMostPeak);
  return isZero(i) ? 0 : number;
}

double WholeNumbers::alike() const {
  if (!pass_.among) return few_ ? 0.25 : 0.5;
  const double width = static_cast<double>(width_), more = static_cast<double>(more_) / static_cast<double>(kWhole);
  const double last = more / (2 * (width + 1)), each = (1 - more) / (2 * width) + last;
  const double kept = static_cast<double>(kept_) / static_cast<double>(kWhole);
  return kept * (2 * width * each * each + 2 * last * last) + (1 - kept);
}

void WholePasses::add(std::uint64_t elements, tangram_element element) { arguments_.emplace_back(elements, element); }

std::vector<WholePass> WholePasses::all() const {
  std::vector<WholePass> passes;
  if (arguments_.empty()) return passes;
  std::uint64_t least = 1, plain = 1, among = 0;
  for (const auto &[elements, element] : arguments_) {
    least = std::max(least, std::min(parts(elements, element), kMostPlain));
    // Where all are 1 or -1, one in place of another is as likely as not the same.
    if (!isFew(elements, element) && !isFew(elements, TANGRAM_F32)) plain = kMostPlain;
    among = std::max(among, elements);
  }
  plain = std::max(plain, least);
  double wide = 0; // as many as the argument needs that needs the most
  for (const auto &[elements, element] : arguments_) {
    if (elements < 2) continue;
    const std::uint64_t telling = plain / std::min(std::max<std::uint64_t>(1, parts(elements, element)), plain);
    const double told = -std::log2(WholeNumbers(0, elements, element).alike()) * static_cast<double>(telling);
    const double more = -std::log2(WholeNumbers(0, elements, element, {0, among}).alike());
    wide = std::max(wide, std::max(kPlaces, std::ceil((kBits - told) / more)));
  }
  for (std::uint64_t i = 0; i < least; ++i) passes.push_back({i});
  const auto wanted = static_cast<std::uint64_t>(std::min(wide, static_cast<double>(kMostWide)));
  for (std::uint64_t i = 0; i < wanted; ++i) {
    passes.push_back({plain + i, among});
    if (i == 0) passes.push_back({plain + wanted, among, true});
  }
  for (std::uint64_t i = least; i < plain; ++i) passes.push_back({i});
  return passes;
}

std::vector<WholePass> wholePasses(const std::vector<Value> &values) {
  WholePasses passes;
  for (const Value &value : values)
    for (const Element::Field &field : value.type().fields)
      if (isFloating(field.kind)) passes.add(value.count(), field.kind);
  return passes.all();
}

void makeWhole(Value &value, std::uint64_t seed, WholePass pass, bool fillZeros) {
  for (std::size_t f = 0; f < value.type().fields.size(); ++f) {
    Value field = value.field(f);
    if (!field.isFloating()) continue;
    const Signs signs = value.signs();
    // All of one sign add up to more.
    if (pass.among && signs != Signs::Any) pass.negative = true;
    WholeNumbers numbers(seed + f, field.count(), field.element(), pass);
    field.changeReals([&](double x) {
      const std::int64_t number = withSigns(numbers.next(false), signs);
      if (value.rank() == 0 && std::isfinite(x) && x != std::trunc(x)) return powerBelow(x);
      return std::isfinite(x) && (x != 0 || fillZeros) ? static_cast<double>(number) : x;
    });
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
