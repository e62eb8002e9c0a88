// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/data.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "test/vgpu/kernel/half.h"

namespace polyrail::vgpu {

namespace {

struct TypeRow {
  const char* name;
  size_t size;
  int bits;  // of a number whose sum over 16 ranks is exact
};
constexpr TypeRow kTypes[] = {{"int8", 1, 3},    {"uint8", 1, 3},    {"int32", 4, 24}, {"uint32", 4, 24},
                              {"int64", 8, 40},  {"uint64", 8, 40},  {"half", 2, 6},   {"float", 4, 19},
                              {"double", 8, 40}, {"bfloat16", 2, 4}, {"fp8e4m3", 1, 3}};
constexpr const char* kOperators[] = {"sum", "prod", "max", "min", "avg"};

int64_t number(const Shape& shape, int rank, size_t index) {
  uint64_t mixed = (index + 1) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(rank + 1) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 32;
  if (shape.op == kNcclProd) return 1 + static_cast<int64_t>(mixed % 3 == 0);
  return static_cast<int64_t>(mixed & ((uint64_t{1} << kTypes[shape.type].bits) - 1));
}

int64_t combine(int op, int64_t a, int64_t b) {
  switch (op) {
    case kNcclProd: return a * b;
    case kNcclMax: return a > b ? a : b;
    case kNcclMin: return a < b ? a : b;
    default: return a + b;
  }
}

// The number that element `index` of what `rank` received stands for; averages are not divided yet.
int64_t expected(const Shape& shape, int rank, size_t index) {
  const size_t count = shape.count;
  switch (shape.kind) {
    case Kind::kBroadcast: return number(shape, shape.root, index);
    case Kind::kAllGather: return number(shape, static_cast<int>(index / count), index % count);
    case Kind::kAllToAll:
      return number(shape, static_cast<int>(index / count), static_cast<size_t>(rank) * count + index % count);
    case Kind::kSendRecv: return number(shape, (rank + shape.ranks - 1) % shape.ranks, index);
    default: break;
  }
  const size_t at = shape.kind == Kind::kReduceScatter ? static_cast<size_t>(rank) * count + index : index;
  int64_t sum = number(shape, 0, at);
  for (int other = 1; other < shape.ranks; ++other) sum = combine(shape.op, sum, number(shape, other, at));
  return sum;
}

template <typename T>
void assignNumber(T& to, double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    assign(to, static_cast<float>(value));
  } else {
    to = static_cast<T>(static_cast<int64_t>(value));  // small types wrap, as their sums do
  }
}

template <typename T>
double toDouble(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return toFloat(value);
  } else {
    return static_cast<double>(value);
  }
}

bool isFloating(int type) { return type >= 6; }

template <typename T>
bool isRight(const Shape& shape, T got, int64_t wanted) {
  if (shape.op != kNcclAvg) {
    T exact;
    assignNumber(exact, static_cast<double>(wanted));
    return memcmp(&exact, &got, sizeof got) == 0;
  }
  if (!isFloating(shape.type)) return toDouble(got) == static_cast<double>(wanted / shape.ranks);
  const double mean = static_cast<double>(wanted) / shape.ranks;
  const double unit = shape.type == 8 ? 0x1p-50 : shape.type == 7 ? 0x1p-22 : shape.type == 6 ? 0x1p-9 : 0x1p-6;
  return std::abs(toDouble(got) - mean) <= unit * (mean + 1) * shape.ranks;
}

template <typename F>
auto withType(int type, F body) {
  switch (type) {
    case 10:  // only sent, never reduced
    case 0: return body(int8_t{});
    case 1: return body(uint8_t{});
    case 2: return body(int32_t{});
    case 3: return body(uint32_t{});
    case 4: return body(int64_t{});
    case 5: return body(uint64_t{});
    case 6: return body(Half{});
    case 7: return body(float{});
    case 8: return body(double{});
    default: return body(Bfloat{});
  }
}

template <size_t N, typename F>
int indexOf(F nameAt, const std::string& name) {
  for (size_t i = 0; i < N; ++i) {
    if (name == nameAt(i)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

int typeOf(const std::string& name) {
  return indexOf<std::size(kTypes)>([](size_t i) { return kTypes[i].name; }, name);
}
int operatorOf(const std::string& name) {
  return indexOf<std::size(kOperators)>([](size_t i) { return kOperators[i]; }, name);
}
const char* typeName(int type) { return kTypes[type].name; }
const char* operatorName(int op) { return kOperators[op]; }
size_t elementSize(int type) { return kTypes[type].size; }

void fill(const Shape& shape, int rank, void* out, size_t elements) {
  withType(shape.type, [&]<typename T>(T) {
    T* to = static_cast<T*>(out);
    for (size_t i = 0; i < elements; ++i) assignNumber(to[i], static_cast<double>(number(shape, rank, i)));
  });
}

size_t countWrong(const Shape& shape, int rank, const void* received, size_t elements) {
  return withType(shape.type, [&]<typename T>(T) {
    const T* from = static_cast<const T*>(received);
    size_t wrong = 0;
    for (size_t i = 0; i < elements; ++i) wrong += !isRight(shape, from[i], expected(shape, rank, i));
    return wrong;
  });
}

}  // namespace polyrail::vgpu
