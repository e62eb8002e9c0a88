// SPDX-License-Identifier: Apache-2.0
// DMA-BUF regions: any descriptor that can be mapped (a memfd, say) stands for the exporter's memory, so that a test
// sees through its own mapping what a NIC wrote through this one. The descriptor's file position is where the
// exported range begins, since several ranges of one memory may be exported.
#include <sys/mman.h>
#include <unistd.h>

#include "test/emu/verbs/face.h"

using namespace polyrail::emu;

namespace {

constexpr uint64_t kPage = 4096;

int mapDmabuf(int fd, uint64_t offset, size_t length, Mr** out, Pd* pd, uint64_t iova, int access) {
  const off_t exported = lseek(fd, 0, SEEK_CUR);
  if (exported > 0) offset += static_cast<uint64_t>(exported);
  const uint64_t start = offset / kPage * kPage;
  const size_t size = length + (offset - start);
  if (size == 0) return EINVAL;
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(start));
  if (base == MAP_FAILED) return errno == EBADF ? EBADF : EINVAL;
  const uint64_t address = reinterpret_cast<uint64_t>(base) + (offset - start);
  if (const int error = makeMr(pd, {address, length, iova, static_cast<unsigned>(access)}, out)) {
    munmap(base, size);
    return error;
  }
  (*out)->mapping = base;
  (*out)->mappingSize = size;
  return 0;
}

}  // namespace

EMU_EXPORT ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  Entry entry(sessionOf(pd->context), Call::kRegDmabufMr, hostOf(pd->context));
  if (entry.error()) return fail(entry.error());
  if (!entry.world().profile().dmabuf) return fail(EOPNOTSUPP);
  if (fd < 0) return fail(EBADF);
  Mr* mr = nullptr;
  if (const int error = mapDmabuf(fd, offset, length, &mr, coreOf(pd), iova, access)) return fail(error);
  mr->face.context = pd->context;
  mr->face.pd = pd;
  return &mr->face;
}
