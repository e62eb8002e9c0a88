/* SPDX-License-Identifier: Apache-2.0 */
/* docs/wire-protocol.md, chapters 4 to 6, in Promela: one comm, PATHS queue pairs, MESSAGES messages of CHUNKS chunks
 * each that reuse one slot, and a network in which up to FAILURES paths break at any moment. A broken path may lose,
 * delay or still deliver what is under way, and may report an error for what arrived. Build with:
 *   -DNO_FENCE      the receiver answers without moving its queue pairs to ERR      (must be found wrong)
 *   -DSTALE_ANSWER  the sender takes an answer of an older epoch                    (must be found wrong)
 *   -DREPLAY_LIVE   what the answer lacks is sent again even if it is on a live path (must be found wrong)
 *   -DLYING_ACK     a broken path may acknowledge what it never placed: errors allowed, wrong data never
 */
#ifndef PATHS
#define PATHS 3
#endif
#ifndef FAILURES
#define FAILURES 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define CHUNKS 2
#define NONE 255

/* A packet is message * CHUNKS + chunk. One queue a direction: RC keeps order on a queue pair. */
chan wire0 = [CHUNKS] of { byte };
chan wire1 = [CHUNKS] of { byte };
chan wire2 = [CHUNKS] of { byte };
chan ack0 = [CHUNKS] of { byte };
chan ack1 = [CHUNKS] of { byte };
chan ack2 = [CHUNKS] of { byte };
/* Control: the epoch and the set of fenced paths; the answer's epoch and, packed, its bits. */
chan fence = [3] of { byte, byte };
chan fenced = [3] of { byte, byte };

bool broken[PATHS];   /* the network's truth */
bool senderErr[PATHS], receiverErr[PATHS];
byte failures = 0;

byte granted = 0;     /* messages granted so far: message granted - 1 owns the slot */
byte bits = 0;        /* the receiver's bits of the current message */
byte received = 0;    /* messages reported done to the receiving NCCL */
byte sent = 0;        /* messages reported done to the sending NCCL */
byte bound[CHUNKS];   /* path of each chunk of the message being sent, NONE when unbound */
byte okBits = 0;      /* chunks whose send completed with success */
byte epoch = 0, waiting = 0;   /* waiting: an answer is due */
byte suspect = 0;     /* set of paths in the running repair */
bool lied = false, aborted = false;

#ifdef REPLAY_LIVE
#define ON_FENCED(path) true
#else
#define ON_FENCED(path) (suspect & BIT(path))
#endif
#define BIT(i) (1 << (i))
#define ALL (BIT(CHUNKS) - 1)
#define MESSAGE(p) ((p) / CHUNKS)
#define CHUNK(p) ((p) % CHUNKS)

inline put(path, packet) {
  if
  :: path == 0 -> wire0 ! packet
  :: path == 1 -> wire1 ! packet
  :: path == 2 -> wire2 ! packet
  fi
}

/* What an arrival does at the receiver's NIC and then in the receiver. */
inline arrive(packet) {
  assert(MESSAGE(packet) == received);        /* no write lands after its receive was reported done */
  bits = bits | BIT(CHUNK(packet));
  if
  :: bits == ALL -> received++; bits = 0
  :: else
  fi
}

/* One path of the network. */
proctype Network(byte path; chan wire; chan ack) {
  byte packet;
end:
  do
  :: atomic { !broken[path] && failures < FAILURES -> broken[path] = true; failures++ }
  :: d_step { wire ? [packet] && !receiverErr[path] && nfull(ack) ->
       wire ? packet; arrive(packet); ack ! packet }
  :: d_step { wire ? [packet] && !receiverErr[path] && broken[path] ->   /* placed, the ack is lost */
       wire ? packet; arrive(packet) }
  :: d_step { wire ? [packet] && (receiverErr[path] || broken[path]) -> wire ? packet }
#ifdef LYING_ACK
  :: d_step { wire ? [packet] && broken[path] && nfull(ack) -> wire ? packet; ack ! packet; lied = true }
#endif
  od
}

inline complete(ack) {
  ack ? packet;
  okBits = okBits | BIT(CHUNK(packet))
}

/* Steps 1 and 2: the queue pair to ERR, its work flushed, a higher epoch over the union of the suspects. */
inline repair(path) {
  senderErr[path] = true;
  suspect = suspect | BIT(path);
  epoch++;
  waiting = 1;
  fence ! epoch, suspect
}

/* Step 5: chunks bound to a fenced path and absent from the answer are unbound; those of a send that was reported done
 * cannot be sent again. `answer` holds the bits of message `answered`, both as the receiver packed them. */
inline replay(answer, answered) {
  i = 0;
  do
  :: i < CHUNKS ->
     if
     :: bound[i] != NONE && ON_FENCED(bound[i]) && answered == sent && !(answer & BIT(i)) ->
        bound[i] = NONE; okBits = okBits & ~BIT(i)
     :: bound[i] != NONE && ON_FENCED(bound[i]) && (answered != sent || (answer & BIT(i))) ->
        okBits = okBits | BIT(i)
     :: else
     fi;
     i++
  :: else -> break
  od;
  /* The last message was reported done, yet the receiver has not all of it. */
  if
  :: answered < sent -> assert(lied); aborted = true   /* an error only if an acknowledgement was untrue */
  :: else
  fi;
  waiting = 0; suspect = 0
}

active proctype Sender() {
  byte i = 0, packet, e, a;
  bound[0] = NONE; bound[1] = NONE;
  do
  /* An isend that matches the grant; its chunks are bound late, one at a time, never while an answer is due. */
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[0] == NONE && !senderErr[0] -> bound[0] = 0; put(0, sent * CHUNKS) }
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[0] == NONE && !senderErr[1] -> bound[0] = 1; put(1, sent * CHUNKS) }
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[0] == NONE && !senderErr[2] -> bound[0] = 2; put(2, sent * CHUNKS) }
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[1] == NONE && !senderErr[0] -> bound[1] = 0; put(0, sent * CHUNKS + 1) }
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[1] == NONE && !senderErr[1] -> bound[1] = 1; put(1, sent * CHUNKS + 1) }
  :: atomic { !aborted && waiting == 0 && sent < granted && bound[1] == NONE && !senderErr[2] -> bound[1] = 2; put(2, sent * CHUNKS + 1) }
  :: d_step { !senderErr[0] && nempty(ack0) -> complete(ack0) }
  :: d_step { !senderErr[1] && nempty(ack1) -> complete(ack1) }
  :: d_step { !senderErr[2] && nempty(ack2) -> complete(ack2) }
  /* A send is done. */
  :: d_step { !aborted && waiting == 0 && okBits == ALL -> sent++; okBits = 0; bound[0] = NONE; bound[1] = NONE }
  /* An error, an event or the watchdog stops a path; acknowledgements of it that come later are flushed. */
  :: atomic { !aborted && broken[0] && !senderErr[0] -> repair(0) }
  :: atomic { !aborted && broken[1] && !senderErr[1] -> repair(1) }
  :: atomic { !aborted && broken[2] && !senderErr[2] -> repair(2) }
  :: atomic { fenced ? e, a ->
       if
#ifdef STALE_ANSWER
       :: true -> replay((a & ALL), (a >> CHUNKS))
#else
       :: e == epoch && waiting -> replay((a & ALL), (a >> CHUNKS))
       :: else                       /* an older epoch, or the second copy */
#endif
       fi }
  :: sent == MESSAGES && received == MESSAGES -> break
  :: aborted -> break
  od;
endDrain:
  do
  :: fenced ? e, a
  od
}

active proctype Receiver() {
  byte e, set, seen = 0;
end:
  do
  :: d_step { !aborted && granted < MESSAGES && granted == received -> granted++ }
  :: atomic { fence ? e, set ->
       if
       :: e < seen
       :: else ->
          seen = e;
#ifndef NO_FENCE
          receiverErr[0] = receiverErr[0] || (set & 1);
          receiverErr[1] = receiverErr[1] || (set & 2);
          receiverErr[2] = receiverErr[2] || (set & 4);
#endif
          fenced ! e, (received << CHUNKS) | bits
       fi }
  od
}

init {
  atomic {
    run Network(0, wire0, ack0);
    run Network(1, wire1, ack1);
    run Network(2, wire2, ack2)
  }
}
