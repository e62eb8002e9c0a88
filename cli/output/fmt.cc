// SPDX-License-Identifier: Apache-2.0
// fmt's compiled part, once: Debian ships fmt as headers and a shared library only, the command links it statically,
// and FMT_HEADER_ONLY would compile it again in every file. The plugins do not use fmt; --gc-sections drops it there.
// mk/config.mk sets FMT_HEADER_ONLY for every fmt but this one.
#ifndef FMT_HEADER_ONLY
#include <fmt/format-inl.h>

// What the headers declare and leave to a compiled library.
template auto fmt::detail::decimal_point_impl<char>(locale_ref) -> char;
template auto fmt::detail::thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::dragonbox::to_decimal<float>(float) noexcept -> dragonbox::decimal_fp<float>;
template auto fmt::detail::dragonbox::to_decimal<double>(double) noexcept -> dragonbox::decimal_fp<double>;
template void fmt::detail::buffer<char>::append<char>(const char*, const char*);
#endif
