// SPDX-License-Identifier: Apache-2.0
// SHA-256, FIPS 180-4. Not for secrets: it only has to be the same everywhere and unlikely to collide by accident.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

using State = std::array<uint32_t, 8>;
constexpr size_t kBlock = 64;

// First 32 bits of the fractional parts of the square roots of the first 8 primes (5.3.3).
constexpr State kInitial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
// The same of the cube roots of the first 64 primes (4.2.2).
constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const unsigned char* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}

void schedule(const unsigned char* block, uint32_t (&w)[64]) {
  for (size_t t = 0; t < 16; t++) w[t] = bigEndian(block + 4 * t);
  for (size_t t = 16; t < 64; t++) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

void absorb(State& h, const unsigned char* block) {
  uint32_t w[64];
  schedule(block, w);
  auto [a, b, c, d, e, f, g, z] = h;
  for (size_t t = 0; t < 64; t++) {
    const uint32_t mix1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t mix0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t1 = z + mix1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const uint32_t t2 = mix0 + ((a & b) ^ (a & c) ^ (b & c));
    z = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State add = {a, b, c, d, e, f, g, z};
  for (size_t i = 0; i < h.size(); i++) h[i] += add[i];
}

// The rest, a 1 bit, zeros, and the length in bits; one block or two.
void absorbEnd(State& h, const unsigned char* rest, size_t size, uint64_t totalBytes) {
  unsigned char tail[2 * kBlock] = {};
  if (size) std::memcpy(tail, rest, size);
  tail[size] = 0x80;
  const size_t length = size + 9 <= kBlock ? kBlock : 2 * kBlock;
  for (size_t i = 0; i < 8; i++) tail[length - 1 - i] = static_cast<unsigned char>(totalBytes * 8 >> (8 * i));
  for (size_t at = 0; at < length; at += kBlock) absorb(h, tail + at);
}

}  // namespace

std::string policyDigest(std::string_view bytes) {
  State h = kInitial;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const size_t whole = bytes.size() / kBlock * kBlock;
  for (size_t at = 0; at < whole; at += kBlock) absorb(h, data + at);
  absorbEnd(h, data + whole, bytes.size() - whole, bytes.size());

  std::string hex;
  for (uint32_t word : h)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  return hex;
}

}  // namespace polyrail
