// SPDX-License-Identifier: Apache-2.0
// A type as one short word, from which names are gone and what the calling convention sees is left, so that our
// types and NCCL's compare equal exactly when a call or a load through them does the same. An integer or enum is i
// and its size, a float f and its size, a struct {size}, a pointer *, an array [n], a function result(parameters):
// "i4(*v,*i8,...)". Signedness and const do not change where a value lies and are left out.
#pragma once

#include <string>
#include <type_traits>

namespace polyrail::abi {

template <typename T>
struct Shape {
  static std::string text() {
    const std::string size = std::to_string(sizeof(T));
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      return "i" + size;
    else if constexpr (std::is_floating_point_v<T>)
      return "f" + size;
    else
      return "{" + size + "}";
  }
};

template <>
struct Shape<void> {
  static std::string text() { return "v"; }
};

template <typename T>
struct Shape<const T> : Shape<T> {};

template <typename T>
struct Shape<T*> {
  static std::string text() {
    const std::string target = Shape<T>::text();
    return std::is_function_v<T> ? target : "*" + target;
  }
};

template <typename T, size_t N>
struct Shape<T[N]> {
  static std::string text() { return "[" + std::to_string(N) + "]" + Shape<T>::text(); }
};

template <typename... Parameters>
std::string parameterList() {
  std::string list;
  ((list += (list.empty() ? "" : ",") + Shape<Parameters>::text()), ...);
  return list;
}

template <typename R, typename... Parameters>
struct Shape<R(Parameters...)> {
  static std::string text() { return Shape<R>::text() + "(" + parameterList<Parameters...>() + ")"; }
};

template <typename R, typename... Parameters>
struct Shape<R(Parameters..., ...)> {
  static std::string text() { return Shape<R>::text() + "(" + parameterList<Parameters...>() + ",...)"; }
};

}  // namespace polyrail::abi
