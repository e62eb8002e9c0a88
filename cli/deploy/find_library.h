// SPDX-License-Identifier: Apache-2.0
// Where a library lies that a job would load by name, found by looking, without loading it: NCCL's and CUDA's
// constructors have no business in a check. Stateless.
#pragma once

#include <string>
#include <vector>

namespace polyrail::cli {

// The folders of LD_LIBRARY_PATH, then those that distributions, CUDA and `make install` use. What ld.so.cache adds
// is not known here.
std::vector<std::string> libraryFolders();

// The first that is there, as a path; empty when none is.
std::string findLibrary(const std::vector<std::string>& folders, const std::string& fileName);

// NCCL's version as the library's own text says it ("2.27.3+cuda12.9"), else as its file name says it
// (libnccl.so.2.27.3), else "unknown"; "unreadable" when it cannot be read.
std::string ncclVersionOf(const std::string& library);

}  // namespace polyrail::cli
