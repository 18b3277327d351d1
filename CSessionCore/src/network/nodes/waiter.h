/* Waiters for the end of a refresh. */
#ifndef SC_SRC_NETWORK_NODES_WAITER_H
#define SC_SRC_NETWORK_NODES_WAITER_H

#include <stdbool.h>
#include <stddef.h>

/* The caller owns a waiter, zeroes it first, and keeps it in place until it is called or removed. It is
 * called exactly once. Its callback may wait again at once, for the next refresh. */
typedef struct sc_refresh_waiter {
  void (*done)(void *user, bool refreshed);
  void *user;
  struct sc_refresh_waiter *next;
  struct sc_refresh_waiter **link; /* the pointer to this waiter; NULL if it is not waiting */
} sc_refresh_waiter;

/* Adds a waiter, unless it is waiting. */
void sc_refresh_waiter_add(sc_refresh_waiter **list, sc_refresh_waiter *waiter);

/* Removes a waiter, if it is waiting. */
void sc_refresh_waiter_remove(sc_refresh_waiter *waiter);

/* Calls all current waiters; the list is empty before the first call. */
void sc_refresh_waiters_tell(sc_refresh_waiter **list, bool refreshed);

#endif
