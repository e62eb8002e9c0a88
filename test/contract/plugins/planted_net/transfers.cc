// SPDX-License-Identifier: Apache-2.0
#include "test/contract/plugins/planted_net/transfers.h"

#include <algorithm>
#include <mutex>

namespace planted {
namespace {

std::mutex mutex;
std::vector<Transfer*> living;
std::vector<void*> abandoned;

void turnAbandoned() {
  std::erase_if(abandoned, [](void* inner) {
    int done = 0, sizes[reference::kMaxRecvs];
    return reference::test(inner, &done, sizes) != Result::kSuccess || done;
  });
}

void end(Transfer* transfer) {
  transfer->inner = nullptr;
  if (--transfer->uses > 0) return;
  std::erase(living, transfer);
  delete transfer;
}

bool isAlive(const Transfer* transfer) { return std::find(living.begin(), living.end(), transfer) != living.end(); }

Result finish(Transfer* t, int* done, int* sizes) {
  *done = 1;
  for (int i = 0; sizes && i < t->n; i++) sizes[i] = static_cast<int>(t->sizes[static_cast<size_t>(i)]);
  end(t);
  return Result::kSuccess;
}

// t->sizes become the real ones.
Result testInner(Transfer* t) {
  int done = 0, sizes[reference::kMaxRecvs] = {};
  const Result result = reference::test(t->inner, &done, sizes);
  t->arrived = done;
  for (int i = 0; done && !t->send && i < t->n; i++) t->sizes[static_cast<size_t>(i)] = static_cast<size_t>(sizes[i]);
  return result;
}

}  // namespace

std::vector<Transfer*>& alive() { return living; }

void abandon(Transfer& transfer) {
  if (transfer.inner) abandoned.push_back(transfer.inner);
  transfer.inner = nullptr;
}

Result isend(void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request) {
  std::lock_guard lock(mutex);
  *request = nullptr;
  void* inner = nullptr;
  const Result result = reference::isendV9(comm, data, size, tag, mhandle, &inner);
  if (result != Result::kSuccess || inner == nullptr) return result;
  auto* t = new Transfer{true, comm, 1, {static_cast<char*>(data)}, {size}, {mhandle}, inner};
  living.push_back(t);
  *request = hooks.accepted ? hooks.accepted(t) : t;
  return result;
}

Result irecv(void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void**, void** request) {
  std::lock_guard lock(mutex);
  *request = nullptr;
  auto* t = new Transfer{
      false, comm, n, {}, std::vector<size_t>(sizes, sizes + n), std::vector<void*>(mhandles, mhandles + n)};
  for (int i = 0; i < n; i++) t->data.push_back(static_cast<char*>(data[i]));
  std::vector<int> wanted(tags, tags + n);
  if (hooks.posting) hooks.posting(*t, wanted.data());
  std::vector<void*> to(t->data.begin(), t->data.end()), mrs = t->mhandles;
  for (size_t i = 0; i < t->bounce.size(); i++) to[i] = t->bounce[i].data(), mrs[i] = &t->bounceMrs[i];
  const Result result = reference::irecvV9(comm, n, to.data(), t->sizes.data(), wanted.data(), mrs.data(), &t->inner);
  if (t->inner == nullptr) return delete t, result;
  living.push_back(t);
  *request = t;
  return result;
}

Result test(void* request, int* done, int* sizes) {
  std::lock_guard lock(mutex);
  turnAbandoned();
  auto* t = static_cast<Transfer*>(request);
  *done = 0;
  if (!isAlive(t)) return *done = 1, Result::kSuccess;
  if (t->inner == nullptr) return finish(t, done, sizes);
  if (hooks.ready && !hooks.ready(*t)) return Result::kSuccess;
  if (!t->arrived)
    if (const Result result = testInner(t); result != Result::kSuccess || !t->arrived) return result;
  if (!t->send && hooks.received) {
    int told[reference::kMaxRecvs + 1] = {};
    for (int i = 0; i < t->n; i++) told[i] = static_cast<int>(t->sizes[static_cast<size_t>(i)]);
    if (!hooks.received(*t, told)) return Result::kSuccess;
    for (int i = 0; i < t->n; i++) t->sizes[static_cast<size_t>(i)] = static_cast<size_t>(told[i]);
    if (sizes && told[t->n]) sizes[t->n] = told[t->n];
  }
  return finish(t, done, sizes);
}

}  // namespace planted
