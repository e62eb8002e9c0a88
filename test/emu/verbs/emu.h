/* SPDX-License-Identifier: Apache-2.0
 * What a test can ask of the emulator besides the verbs. Plain C, so that a harness can look the functions up with
 * dlsym and do without them when another libibverbs is loaded. Every thread may call them. */
#ifndef POLYRAIL_TEST_EMU_VERBS_EMU_H
#define POLYRAIL_TEST_EMU_VERBS_EMU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A receive into this buffer was reported done: from now on a write of any NIC into it is a violation. */
void emu_seal(const void* address, size_t length);
/* The buffer may be written again. */
void emu_unseal(const void* address, size_t length);
/* How many violations there were so far; the last one's description goes to `text` if there is room. */
int emu_violations(char* text, size_t size);
/* How many verbs objects exist; "mr 2, qp 1" goes to `text`. */
int emu_objects(char* text, size_t size);
/* What this process has sent, port by port: "mlx5_0 4096 bytes 2 reads, mlx5_1 ..." (payload; RDMA READs posted). */
int emu_traffic(char* text, size_t size);
/* How often this process has used a verbs call ("ibv_create_qp"; core/calls.h has the names); -1: unknown name. */
int emu_calls(const char* name);

#ifdef __cplusplus
}
#endif
#endif
