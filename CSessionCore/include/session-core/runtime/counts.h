/* What a runtime has done so far, for people who operate it and for tests.
 *
 * A plain value: sc_runtime_counts() copies it out at any time, from any thread. */
#ifndef SC_RUNTIME_COUNTS_H
#define SC_RUNTIME_COUNTS_H

#include <stdint.h>

#include "../base/api.h"

SC_API_BEGIN

/* X(name): the counters, in the order of the struct. */
#define SC_RUNTIME_COUNT_MAP(X)                                                                              \
  X(turns)            /* of the loop */                                                                      \
  X(wakes)            /* turns that found something to do after waiting for it */                            \
  X(idle_wakes)       /* turns that waited, woke, and found nothing to do */                                 \
  X(commands)         /* run */                                                                              \
  X(received)         /* datagrams that were passed on */                                                    \
  X(received_bytes)   /* in them */                                                                          \
  X(receive_calls)    /* of the system that brought them */                                                  \
  X(truncated)        /* datagrams dropped because they are longer than any that is awaited */               \
  X(sent)             /* datagrams the system took */                                                        \
  X(sent_bytes)       /* in them */                                                                          \
  X(send_calls)       /* of the system that took them */                                                     \
  X(send_blocked)     /* times a socket was full and the rest was kept for later */                          \
  X(send_lost)        /* datagrams dropped because the system refused them or had no memory */               \
  X(send_too_large)   /* datagrams dropped because they are larger than the way out allows */                \
  X(unreachable)      /* "unreachable" reports, by the system or by a peer's host */                         \
  X(segmentation_off) /* sockets that stopped using segmented sends, because they do not work */

typedef struct sc_runtime_counts {
#define SC_RUNTIME_COUNT_FIELD(name) uint64_t name;
  SC_RUNTIME_COUNT_MAP(SC_RUNTIME_COUNT_FIELD)
#undef SC_RUNTIME_COUNT_FIELD
} sc_runtime_counts;

SC_API_END

#endif
