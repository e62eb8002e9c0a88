/* SPDX-License-Identifier: Apache-2.0
 * What a test can ask of the null libibverbs besides the verbs: plain C, looked up with dlsym. */
#ifndef POLYRAIL_TEST_NULL_VERBS_NULL_H
#define POLYRAIL_TEST_NULL_VERBS_NULL_H

#ifdef __cplusplus
extern "C" {
#endif

/* Control verbs that the calling thread has made: all but posting, polling and names. */
long null_control_calls(void);
/* Every open context of NIC number `device` gets this asynchronous event (an ibv_event_type) of port 1, or, where
 * events of that type are of a queue, of the queue pair that was made last. */
void null_raise(int device, int event);
/* How many raised events nobody has fetched. */
int null_pending_events(void);
/* Whether ports have no GID for now; raises no event. */
void null_hide_gids(int hide);
/* Queue pairs that exist. */
int null_queue_pairs(void);
/* How many queue pairs were ever brought to RTR with this traffic class. */
int null_joined(int traffic_class);

#ifdef __cplusplus
}
#endif
#endif
