/* When local accounts begin after an event that all of them waited for: the start, resuming, or the return of
 * a guard. Each begins after a time of its own, drawn by chance, so that no observer of two destinations can
 * tell by the time that one client has both accounts. */
#ifndef SC_SRC_NETWORK_ROUTER_STARTS_H
#define SC_SRC_NETWORK_ROUTER_STARTS_H

#include "session-core/base/env.h"

enum { sc_starts_most = 64 /* accounts; the oldest goes */ };

typedef struct sc_start {
  uint64_t local_account;
  uint64_t at;
} sc_start;

/* Zeroed, nothing has happened yet, and accounts begin at once. */
typedef struct sc_starts {
  uint64_t began_at; /* the last event */
  sc_start list[sc_starts_most];
  size_t count;
  size_t next; /* to be replaced */
} sc_starts;

/* Such an event: each account has a new time. */
void sc_starts_begin(sc_starts *starts, uint64_t now);

/* When the account begins, within `spread` of the event. */
uint64_t sc_starts_of(sc_starts *starts, const sc_env *env, uint64_t local_account, uint64_t spread);

/* The same if it was drawn already; 0 otherwise. */
uint64_t sc_starts_known(const sc_starts *starts, uint64_t local_account);

#endif
