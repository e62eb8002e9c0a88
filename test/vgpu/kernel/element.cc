// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/element.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "test/vgpu/kernel/half.h"

namespace polyrail::vgpu {

namespace {

template <typename T>
constexpr bool kSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

template <typename T>
T fromArgument(uint64_t argument) {
  T value;
  memcpy(&value, &argument, sizeof value);
  return value;
}

template <typename T>
T add(T a, T b) {
  if constexpr (kSmallFloat<T>) {
    assign(a, toFloat(a) + toFloat(b));
    return a;
  } else {
    return static_cast<T>(a + b);
  }
}

template <typename T>
T multiply(T a, T b) {
  if constexpr (kSmallFloat<T>) {
    assign(a, toFloat(a) * toFloat(b));
    return a;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// Integers are compared as unsigned after the exclusive or; floating point looks at its lowest bit only.
template <typename T>
T choose(T a, T b, uint64_t mask) {
  const bool smaller = (mask & 1) == 0;
  if constexpr (kSmallFloat<T>) {
    return (toFloat(a) < toFloat(b)) == smaller ? a : b;
  } else if constexpr (std::is_floating_point_v<T>) {
    return (a < b) == smaller ? a : b;
  } else {
    using U = std::make_unsigned_t<T>;
    const U flip = static_cast<U>(mask);
    return (static_cast<U>(a) ^ flip) < (static_cast<U>(b) ^ flip) ? a : b;
  }
}

template <typename T>
T divide(T value, const Reduction& reduction) {
  if constexpr (std::is_integral_v<T>) {
    if (!reduction.signedDivisor) return static_cast<T>(value / static_cast<T>(reduction.argument));
    const auto divisor = static_cast<int64_t>(reduction.argument >> 1);
    using S = std::make_signed_t<T>;
    if (reduction.argument & 1) return static_cast<T>(static_cast<S>(value) / divisor);
    return static_cast<T>(static_cast<uint64_t>(static_cast<std::make_unsigned_t<T>>(value)) /
                          static_cast<uint64_t>(divisor));
  } else {
    return value;
  }
}

template <typename T>
void reduceAll(const Reduction& reduction, T* to, const T* from, size_t count) {
  switch (reduction.op) {
    case Operator::kProduct:
      for (size_t i = 0; i < count; ++i) to[i] = multiply(to[i], from[i]);
      return;
    case Operator::kMinMax:
      for (size_t i = 0; i < count; ++i) to[i] = choose(to[i], from[i], reduction.argument);
      return;
    default:
      for (size_t i = 0; i < count; ++i) to[i] = add(to[i], from[i]);
  }
}

// Calls `body` with a pointer of the element's type.
template <typename F>
void withType(Type type, void* data, F body) {
  switch (type) {
    case Type::kI8: return body(static_cast<int8_t*>(data));
    case Type::kU8: return body(static_cast<uint8_t*>(data));
    case Type::kI32: return body(static_cast<int32_t*>(data));
    case Type::kU32: return body(static_cast<uint32_t*>(data));
    case Type::kI64: return body(static_cast<int64_t*>(data));
    case Type::kU64: return body(static_cast<uint64_t*>(data));
    case Type::kF16: return body(static_cast<Half*>(data));
    case Type::kF32: return body(static_cast<float*>(data));
    case Type::kF64: return body(static_cast<double*>(data));
    case Type::kBf16: return body(static_cast<Bfloat*>(data));
    default: return;  // refused at launch
  }
}

}  // namespace

size_t sizeOf(Type type) {
  constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kSizes[static_cast<int>(type)];
}

bool canReduce(Type type) { return type <= Type::kBf16; }

void reduce(const Reduction& reduction, void* accumulator, const void* input, size_t count) {
  withType(reduction.type, accumulator,
           [&](auto* to) { reduceAll(reduction, to, static_cast<decltype(to)>(const_cast<void*>(input)), count); });
}

void applyBefore(const Reduction& reduction, void* data, size_t count) {
  if (reduction.op != Operator::kPreMulSum) return;
  withType(reduction.type, data, [&]<typename T>(T* to) {
    const T factor = fromArgument<T>(reduction.argument);
    for (size_t i = 0; i < count; ++i) to[i] = multiply(to[i], factor);
  });
}

void applyAfter(const Reduction& reduction, void* data, size_t count) {
  if (reduction.op != Operator::kSumPostDiv) return;
  withType(reduction.type, data, [&](auto* to) {
    for (size_t i = 0; i < count; ++i) to[i] = divide(to[i], reduction);
  });
}

}  // namespace polyrail::vgpu
