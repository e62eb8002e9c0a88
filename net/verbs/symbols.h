// SPDX-License-Identifier: Apache-2.0
// Fills a table of function pointers from a library that was opened by dlopen, one row a function. Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace polyrail::net {

struct Symbol {
  const char* name;
  const char* version;
  size_t offset;  // of the pointer in the table
  bool required;
};

// What is not there becomes null. Returns the first required symbol that is missing, or nullptr.
const char* resolve(void* handle, std::span<const Symbol> symbols, void* table);

// Why the last dlopen or dlvsym failed.
std::string loaderReason();

}  // namespace polyrail::net
