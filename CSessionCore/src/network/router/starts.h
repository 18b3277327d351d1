/* When local accounts begin after an event that all of them waited for: the start, resuming, or the return of
 * a guard. Each begins after its own random delay, so that an observer of two destinations cannot tell from
 * the timing that one client has both accounts. */
#ifndef SC_SRC_NETWORK_ROUTER_STARTS_H
#define SC_SRC_NETWORK_ROUTER_STARTS_H

#include <stdbool.h>

#include "session-core/base/env.h"

/* The start times of any number of accounts follow from one secret that is drawn at the event. All zeros: no
 * event yet; accounts begin at once. */
typedef struct sc_starts {
  uint64_t began_at; /* the last event */
  uint8_t secret[32];
} sc_starts;

/* Records such an event: each account gets a new start time. */
void sc_starts_begin(sc_starts *starts, const sc_env *env, uint64_t now);

/* Returns when the account begins, within `spread` of the event. */
uint64_t sc_starts_of(const sc_starts *starts, uint64_t local_account, uint64_t spread);

/* True if all accounts have begun. */
bool sc_starts_are_over(const sc_starts *starts, uint64_t spread, uint64_t now);

#endif
