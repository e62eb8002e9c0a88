// SPDX-License-Identifier: Apache-2.0
// 16-bit floating point as values: IEEE binary16 and bfloat16, rounded to nearest even. Pure functions.
#pragma once

#include <bit>
#include <cstdint>

namespace polyrail::vgpu {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};

inline float toFloat(Bfloat value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float toFloat(Half value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  const uint32_t exponent = (value.bits >> 10) & 0x1f, mantissa = value.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent == 0) {  // subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline void assign(Bfloat& to, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) {
    to.bits = 0x7fff;
    return;
  }
  to.bits = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline void assign(Half& to, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    to.bits = 0x7fff;
  } else if (magnitude >= 0x477ff000) {  // rounds past 65504
    to.bits = sign | 0x7c00;
  } else if (magnitude < 0x38800000) {  // below the smallest normal: let the FPU round to a multiple of 2^-24
    const float scaled = std::bit_cast<float>(magnitude) + 0.5f;
    to.bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - 0x3f000000));
  } else {
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    to.bits = static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
  }
}

}  // namespace polyrail::vgpu
