// f16 and bf16 wherever numbers are: elements, scalars, fields, variables, temporaries, shared arrays, constants.
#include <limits>
#include <tangram/tangram.h>

// ---- sums that are kept in float -----------------------------------------------------------------------------------

__spectrum float added(const Array<1, float> in);
__codelet __tag(serial) float added(const Array<1, float> in) {
  float sum = 0;
  for (unsigned i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

template <class T> __spectrum float total(const Array<1, T> in);

template <class T> __codelet __tag(serial) float total(const Array<1, T> in) {
  float sum = 0;
  for (unsigned i = 0; i < in.size(); ++i) sum += in[i];
  return sum;
}

template <class T> __codelet __coop __tag(tree) float total(const Array<1, T> in) {
  __shared float tmp[coopDim()];
  unsigned id = coopIdx();
  float sum = 0;
  for (unsigned i = id; i < in.size(); i += coopDim()) sum += in[i];
  tmp[id] = sum;
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (id >= s) tmp[id] += tmp[id - s];
  return tmp[coopDim() - 1];
}

template <class T> __codelet __tag(tiled) float total(const Array<1, T> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return added(map(total<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

template <class T> __codelet __tag(strided) float total(const Array<1, T> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  return added(map(total<T>, partition(in, p, sequence(0, 1, p), sequence(p), sequence(len))));
}

__instance(total<f16>);
__instance(total<bf16>);

// ---- arithmetic of their own: each operation is rounded --------------------------------------------------------------

constexpr f16 kTable[] = {f16(0.1f), f16(-2), f16(1e-7f)};

template <class T> __spectrum void axpy(T a, const Array<1, T> x, Array<1, T> y) __requires(x.size() == y.size());

template <class T> __codelet __tag(serial) void axpy(T a, const Array<1, T> x, Array<1, T> y) {
  for (unsigned i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

template <class T> __codelet __coop __tag(lanes) void axpy(T a, const Array<1, T> x, Array<1, T> y) {
  for (unsigned i = coopIdx(); i < x.size(); i += coopDim()) y[i] = y[i] + a * x[i];
}

template <class T> __codelet __tag(tiled) void axpy(T a, const Array<1, T> x, Array<1, T> y) {
  __tunable unsigned p;
  unsigned len = x.size(), tile = (len + p - 1) / p;
  map(axpy<T>, a, partition(x, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)),
      partition(y, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));
}

__instance(axpy<f16>);
__instance(axpy<bf16>);

template <class T> T mixed(T x, int i, double d) {
  T y = x * T(3) - T(i % 7) / T(3);
  y -= x;
  ++y;
  y++;
  y *= -x;
  if (y > T(2) && !(x == y)) y = 2;
  T chosen = i % 2 ? y : T(d);
  chosen += kTable[unsigned(i) % 3];
  return std::numeric_limits<T>::epsilon() * T(i) + chosen;
}

template <class T>
__spectrum void converted(const Array<1, float> in, const Array<1, double> wide, const Array<1, int> whole,
                          Array<1, T> out) __requires(in.size() == out.size() && wide.size() == out.size() &&
                                                      whole.size() == out.size());

template <class T>
__codelet __tag(serial) void converted(const Array<1, float> in, const Array<1, double> wide,
                                       const Array<1, int> whole, Array<1, T> out) {
  for (unsigned i = 0; i < in.size(); ++i) out[i] = mixed(T(in[i]), whole[i], wide[i]);
}

template <class T>
__codelet __coop __tag(lanes) void converted(const Array<1, float> in, const Array<1, double> wide,
                                             const Array<1, int> whole, Array<1, T> out) {
  for (unsigned i = coopIdx(); i < in.size(); i += coopDim()) out[i] = mixed(T(in[i]), whole[i], wide[i]);
}

__instance(converted<f16>);
__instance(converted<bf16>);

// ---- variables and shared arrays of them; results ----------------------------------------------------------------------

template <class T> __spectrum T largest(const Array<1, T> in);

template <class T> __codelet __tag(serial) T largest(const Array<1, T> in) {
  T most = std::numeric_limits<T>::lowest();
  for (unsigned i = 0; i < in.size(); ++i)
    if (most < in[i]) most = in[i];
  return most;
}

template <class T> __codelet __coop __tag(tree) T largest(const Array<1, T> in) {
  __shared T tmp[coopDim()];
  unsigned id = coopIdx();
  T own = std::numeric_limits<T>::lowest();
  for (unsigned i = id; i < in.size(); i += coopDim()) own = own < in[i] ? in[i] : own;
  tmp[id] = own;
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (id >= s) tmp[id] = tmp[id] < tmp[id - s] ? tmp[id - s] : tmp[id];
  return tmp[coopDim() - 1];
}

template <class T> __codelet __tag(tiled) T largest(const Array<1, T> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return largest<T>(map(largest<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

__instance(largest<f16>);
__instance(largest<bf16>);

// ---- fields ----------------------------------------------------------------------------------------------------------

struct Weighted {
  f16 weight;
  unsigned char kind;
  bf16 scale;
  float value;
};

__spectrum Weighted heaviest(const Array<1, Weighted> in);

__codelet __tag(serial) Weighted heaviest(const Array<1, Weighted> in) {
  Weighted most{std::numeric_limits<f16>::lowest(), 0, bf16(1), 0};
  for (unsigned i = 0; i < in.size(); ++i)
    if (float(in[i].weight) * 2 > float(most.weight) * 2) most = in[i];
  return most;
}

__codelet __tag(tiled) Weighted heaviest(const Array<1, Weighted> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return heaviest(map(heaviest, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

__spectrum void rescale(Array<1, Weighted> in, f16 by);

__codelet __tag(serial) void rescale(Array<1, Weighted> in, f16 by) {
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i].scale = bf16(float(in[i].weight) * in[i].value);
    in[i].weight *= by;
  }
}

__codelet __tag(tiled) void rescale(Array<1, Weighted> in, f16 by) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  map(rescale, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), by);
}
