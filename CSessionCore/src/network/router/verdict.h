/* The decision after an attempt: a table from failures to actions. */
#ifndef SC_SRC_NETWORK_ROUTER_VERDICT_H
#define SC_SRC_NETWORK_ROUTER_VERDICT_H

#include "../paths/blame.h"

typedef enum sc_verdict_action {
  SC_VERDICT_DELIVER,  /* the caller gets the destination's reply */
  SC_VERDICT_FAIL,     /* the request fails; another attempt would do no better */
  SC_VERDICT_RETRY,    /* another attempt while any are left, then fail */
  SC_VERDICT_REDIRECT, /* the account is elsewhere */
  SC_VERDICT_CLOCK,    /* the clock is measured, and the request fails: it was wrong */
} sc_verdict_action;

typedef struct sc_verdict {
  sc_verdict_action action;
  sc_status status; /* for the caller, if it fails now */
  int code;
  bool doubts_list; /* a key was wrong: the list of nodes may be out of date */
} sc_verdict;

/* `hop_count` is the length of the path. */
sc_verdict sc_verdict_for(const sc_fault *fault, size_t hop_count);

#endif
