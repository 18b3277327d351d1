/* The decision at the end of an attempt: one table from evidence to decision.
 *
 * Evidence is authenticated if the destination wrote it. Anything else may be the reply or the silence of any
 * node on the route, so it only causes a retry, unless it is corroborated over another route (heard.h). */
#ifndef SC_SRC_NETWORK_ROUTER_DECISION_H
#define SC_SRC_NETWORK_ROUTER_DECISION_H

#include "session-core/network/onion_failure.h"

typedef enum sc_evidence_kind {
  SC_EVIDENCE_SUCCESS,                 /* B1 */
  SC_EVIDENCE_CLOCK,                   /* B2 */
  SC_EVIDENCE_MOVED,                   /* B3 */
  SC_EVIDENCE_UNABLE,                  /* B4: a node cannot serve it now */
  SC_EVIDENCE_OTHER_CODE,              /* B5 */
  SC_EVIDENCE_MALFORMED,               /* B6 */
  SC_EVIDENCE_UNREADABLE,              /* B7, B8: a layer of the request, or bytes that do not decrypt */
  SC_EVIDENCE_HOP_UNREACHABLE,         /* B9, B10: of a hop after the guard */
  SC_EVIDENCE_DESTINATION_UNREACHABLE, /* B9, B10: of the destination */
  SC_EVIDENCE_BUSY,                    /* B11 */
  SC_EVIDENCE_OTHER_TEXT,              /* B12 */
  SC_EVIDENCE_RELAY_TIMEOUT,           /* B12: 504 */
  SC_EVIDENCE_BAD_REQUEST,             /* B13 */
  SC_EVIDENCE_TOO_MANY_HOPS,           /* B13 */
  SC_EVIDENCE_BAD_CIPHERTEXT,          /* B14 */
  SC_EVIDENCE_SERVER_UNREACHABLE,      /* B15 */
  SC_EVIDENCE_SERVER_TIMEOUT,          /* B15 */
  SC_EVIDENCE_SILENCE,                 /* B16 */
  SC_EVIDENCE_STREAM_RESET,            /* B17 */
  SC_EVIDENCE_GUARD_LOST,              /* B18 */
  SC_EVIDENCE_NOT_SENT,                /* B19 */
} sc_evidence_kind;

typedef struct sc_evidence {
  sc_evidence_kind kind;
  int code;         /* of the destination or a hop; 0 for none */
  sc_status reason; /* of SC_EVIDENCE_NOT_SENT, and why a reply is malformed */
  size_t named;     /* of _UNREACHABLE: the index of the hop, the number of hops for the destination */
} sc_evidence;

/* The verdict on the route. */
typedef enum sc_route_result {
  SC_ROUTE_NOTHING,
  SC_ROUTE_WORKED,
  SC_ROUTE_FAILED,
  SC_ROUTE_LOST, /* its guard is no longer connected */
} sc_route_result;

/* The next step of the request. */
typedef enum sc_request_step {
  SC_STEP_DELIVER,  /* the caller gets the destination's reply */
  SC_STEP_AGAIN,    /* another attempt while any are left, then failure */
  SC_STEP_REDIRECT, /* the account is elsewhere */
  SC_STEP_CLOCK,    /* the clock is measured; the request fails if it was wrong */
} sc_request_step;

/* The routes over which the same result must arrive before it is believed. */
typedef enum sc_corroboration {
  SC_CORROBORATION_NONE,   /* never believed */
  SC_CORROBORATION_GUARDS, /* with other guards */
  SC_CORROBORATION_ENDS,   /* with other guards and other last hops */
  SC_CORROBORATION_HOPS,   /* with no node in common */
} sc_corroboration;

/* The consequence once the evidence is corroborated. */
typedef enum sc_consequence {
  SC_CONSEQUENCE_NONE,
  SC_CONSEQUENCE_FAIL,  /* the request fails */
  SC_CONSEQUENCE_AVOID, /* the destination is avoided for some time */
  SC_CONSEQUENCE_DOUBT, /* the list of nodes may be out of date */
  SC_CONSEQUENCE_DELAY, /* the next attempt waits longer */
} sc_consequence;

typedef struct sc_decision {
  sc_route_result route;
  sc_request_step step;
  sc_status status; /* of the request, if this is its end */
  sc_corroboration corroboration;
  sc_consequence consequence;
} sc_decision;

/* The decision on evidence of this kind. */
const sc_decision *sc_decision_for(sc_evidence_kind kind);

/* True if the destination wrote it. */
bool sc_evidence_is_authenticated(sc_evidence_kind kind);

/* The status of a request that ends with this evidence. */
sc_status sc_evidence_status(const sc_evidence *evidence);

/* The evidence in a reply with this code, written by a node or a server. */
sc_evidence sc_evidence_of_code(int code, bool from_node);

/* The evidence in the error of a hop, on a route with this many hops. */
sc_evidence sc_evidence_of_text(const sc_onion_failure *failure, size_t hop_count);

#endif
