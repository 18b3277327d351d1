/* Requests between hosts, as messages: what a reliable transport makes of the links below it. Each call ends
 * once, with an answer, or with how none came.
 *
 * A host that dies forgets the calls it received and made; its own calls end with WIRE_GONE, so that their
 * owners can free them. */
#ifndef SC_SIM_WIRE_H
#define SC_SIM_WIRE_H

#include "blob.h"
#include "link.h"

enum { wire_command_chars = 24 };

typedef uint32_t wire_host;
typedef uint64_t wire_call; /* 0 is none */

/* A request that arrived. `from` may be gone by the time it is answered. */
typedef struct wire_request {
  wire_call call; /* to answer, once, or never */
  wire_host from;
  uint64_t tag;        /* as the caller set it: known to the simulator and not to hosts */
  const char *command; /* until the handler returns */
  blob *body;          /* until the handler returns; share it to keep it */
} wire_request;

typedef void (*wire_handler)(void *user, const wire_request *request);

typedef enum wire_outcome {
  WIRE_ANSWERED,
  WIRE_FAILED,      /* answered with an error */
  WIRE_UNREACHABLE, /* the request did not arrive */
  WIRE_TIMED_OUT,   /* it did */
  WIRE_RESET,       /* the host has died since, or for the first time, by what the caller expects */
  WIRE_GONE,        /* the caller died */
} wire_outcome;

typedef struct wire_reply {
  wire_call call;
  wire_outcome outcome;
  blob *body; /* NULL for none; until the function returns */
} wire_reply;

typedef void (*wire_done)(void *user, const wire_reply *reply);

typedef struct wire_call_options {
  wire_host from, to;
  uint64_t tag;
  uint32_t life; /* of the host that is meant; 0 for whichever it has now */
  const char *command;
  blob *body;               /* borrowed; may be NULL */
  uint64_t connect_timeout; /* for the request to arrive; 0 for the usual one */
  uint64_t timeout;
  wire_done done;
  void *user;
} wire_call_options;

typedef struct wire_end {
  link_end link;
  bool alive;
  uint32_t life;     /* counts from 1 */
  uint64_t slowness; /* until it does anything with what arrives */
  wire_handler handle;
  void *user;
} wire_end;

typedef struct wire_slot wire_slot;

typedef struct wire {
  agenda *agenda;
  draws chance;
  wire_end *ends;
  size_t end_count;
  size_t end_capacity;
  wire_slot *slots;
  size_t slot_count;
  size_t slot_capacity;
  uint32_t free_slot; /* a list of them; its end is UINT32_MAX */
  size_t open;        /* calls that have not ended */
  size_t most_open;
  uint64_t calls;
  uint64_t bytes;
} wire;

void wire_init(wire *w, agenda *agenda, uint64_t seed);

/* Every host dies: all calls end with WIRE_GONE, for the sake of those who have something to free. */
void wire_kill_all(wire *w);
void wire_free(wire *w);

/* A new host, alive. */
wire_host wire_add(wire *w, wire_handler handle, void *user);

void wire_kill(wire *w, wire_host host);
void wire_revive(wire *w, wire_host host);

wire_call wire_begin_call(wire *w, const wire_call_options *options);

/* Ends a call at once, without telling any host. */
void wire_forget(wire *w, wire_call call);

/* Answers a request; does nothing when the call has ended. */
void wire_answer(wire *w, wire_call call, bool is_error, sc_bytes body);
void wire_answer_blob(wire *w, wire_call call, bool is_error, blob *body);

#endif
