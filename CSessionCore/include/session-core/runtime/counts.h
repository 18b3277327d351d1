/* Counters of a runtime, for operators and tests.
 *
 * A plain value: sc_runtime_read_counts copies it at any time, on any thread. */
#ifndef SC_RUNTIME_COUNTS_H
#define SC_RUNTIME_COUNTS_H

#include <stdint.h>

#include "../base/api.h"

SC_API_BEGIN

/* X(name): the counters, in the order of the structure. */
#define SC_RUNTIME_COUNT_MAP(X)                                                                              \
  X(turns)            /* of the loop */                                                                      \
  X(wakes)            /* turns that waited and then found work */                                            \
  X(idle_wakes)       /* turns that waited, woke up and found no work */                                     \
  X(commands)         /* run */                                                                              \
  X(received)         /* datagrams passed on */                                                              \
  X(received_bytes)   /* bytes of these */                                                                   \
  X(receive_calls)    /* system calls for these */                                                           \
  X(truncated)        /* datagrams dropped because they are longer than any expected one */                  \
  X(sent)             /* datagrams accepted by the system */                                                 \
  X(sent_bytes)       /* bytes of these */                                                                   \
  X(send_calls)       /* system calls for these */                                                           \
  X(send_blocked)     /* times that a socket was full and the rest was kept */                               \
  X(send_lost)        /* datagrams dropped because the system refused them or had no memory */               \
  X(send_too_large)   /* datagrams dropped because they are larger than the path allows */                   \
  X(unreachable)      /* "unreachable" reports of the system or a peer's host */                             \
  X(segmentation_off) /* sockets that stopped segmented sends because they do not work */

typedef struct sc_runtime_counts {
#define SC_RUNTIME_COUNT_FIELD(name) uint64_t name;
  SC_RUNTIME_COUNT_MAP(SC_RUNTIME_COUNT_FIELD)
#undef SC_RUNTIME_COUNT_FIELD
} sc_runtime_counts;

SC_API_END

#endif
