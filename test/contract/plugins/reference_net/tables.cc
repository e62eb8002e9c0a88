// SPDX-License-Identifier: Apache-2.0
// The reference net plugin's tables, v6 to v12.
#include "test/contract/plugins/reference_net/functions.h"

#define REFERENCE_EXPORT extern "C" __attribute__((visibility("default")))

using namespace reference;

REFERENCE_EXPORT const NetV6 ncclNetPlugin_v6 = {
    "reference", initV6,  devices, getProperties, listenV6, connectV6, acceptV6,  regMrV6,    regMrDmaBuf,
    deregMr,     isendV6, irecvV6, iflush,        test,     closeSend, closeRecv, closeListen};
REFERENCE_EXPORT const NetV7 ncclNetPlugin_v7 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV6, regMrDmaBuf, deregMr,
    isendV6,     irecvV6, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr};
REFERENCE_EXPORT const NetV8 ncclNetPlugin_v8 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV6,     irecvV6, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr};
REFERENCE_EXPORT const NetV9 ncclNetPlugin_v9 = {
    "reference", initV6,  devices, getProperties, listenV6,  connectV7, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV9,     irecvV9, iflush,  test,          closeSend, closeRecv, closeListen, nullptr, nullptr,     fuseV9};
REFERENCE_EXPORT const NetV10 ncclNetPlugin_v10 = {
    "reference", initV10,  devices, getProperties, listenV6,  connectV10, acceptV7,    regMrV8, regMrDmaBuf, deregMr,
    isendV10,    irecvV10, iflush,  test,          closeSend, closeRecv,  closeListen, nullptr, nullptr,     fuseV9};
REFERENCE_EXPORT const NetV11 ncclNetPlugin_v11 = {
    "reference", initV11, devices,  getProperties, listenV11, connectV11, acceptV7,  regMrV8,
    regMrDmaBuf, deregMr, isendV10, irecvV10,      iflush,    test,       closeSend, closeRecv,
    closeListen, nullptr, nullptr,  fuseV9,        finalize,  setNetAttr};
REFERENCE_EXPORT const NetV12 ncclNetPlugin_v12 = {
    "reference", initV11, devices,  getProperties, listenV11, connectV11, acceptV7,  regMrV8,
    regMrDmaBuf, deregMr, isendV10, irecvV10,      iflush,    test,       closeSend, closeRecv,
    closeListen, nullptr, nullptr,  fuseV12,       finalize,  setNetAttr};
