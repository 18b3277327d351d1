/* Responsibility for a failed request: from the failure to those it counts against. Nothing here changes
 * anything; the paths act on it.
 *
 * Whether a report is believed is decided elsewhere: any hop can forge a reply that the destination did not
 * write (accusations.h). */
#ifndef SC_SRC_NETWORK_PATHS_BLAME_H
#define SC_SRC_NETWORK_PATHS_BLAME_H

#include "session-core/network/onion_failure.h"

typedef enum sc_fault_kind {
  SC_FAULT_NONE,      /* it was answered with success */
  SC_FAULT_LOCAL,     /* it never left */
  SC_FAULT_TIMEOUT,   /* no reply came, though the first hop is connected */
  SC_FAULT_EDGE_LOST, /* the connection to the first hop closed */
  SC_FAULT_STREAM,    /* the first hop closed the stream of the request */
  SC_FAULT_HOP,       /* a hop reports a failure */
  SC_FAULT_FORGED,    /* a reply of success that the destination did not write */
  SC_FAULT_ANSWER,    /* the destination answered with another code than one of success */
} sc_fault_kind;

typedef struct sc_fault {
  sc_fault_kind kind;
  sc_status reason;     /* of SC_FAULT_EDGE_LOST */
  sc_onion_failure hop; /* of SC_FAULT_HOP */
  int code;             /* of SC_FAULT_ANSWER … */
  sc_bytes text;        /* … and its body */
  bool from_node;       /* the destination is a node */
} sc_fault;

typedef enum sc_blame_weight {
  SC_BLAME_NOBODY,
  SC_BLAME_ONCE,
  SC_BLAME_PERMANENT, /* the node is to be left alone */
} sc_blame_weight;

typedef enum sc_blame_path {
  SC_BLAME_PATH_NOT,
  SC_BLAME_PATH_ONCE,
  SC_BLAME_PATH_GONE, /* the path cannot be used any more */
} sc_blame_path;

typedef struct sc_blame {
  sc_blame_weight weight;
  size_t node; /* index of the hop; the number of hops for the destination; unused without blame */
  sc_blame_path path;
  bool is_proved; /* the destination itself says it, or this side saw it */
} sc_blame;

/* `hop_count` is the length of the path. */
sc_blame sc_blame_for(const sc_fault *fault, size_t hop_count);

#endif
