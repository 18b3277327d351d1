#include "waiter.h"

void sc_refresh_waiter_add(sc_refresh_waiter **list, sc_refresh_waiter *waiter) {
  if (waiter->link != NULL)
    return;
  waiter->next = *list;
  waiter->link = list;
  if (waiter->next != NULL)
    waiter->next->link = &waiter->next;
  *list = waiter;
}

void sc_refresh_waiter_remove(sc_refresh_waiter *waiter) {
  if (waiter->link == NULL)
    return;
  *waiter->link = waiter->next;
  if (waiter->next != NULL)
    waiter->next->link = waiter->link;
  waiter->next = NULL;
  waiter->link = NULL;
}

/* A callback may wait again or remove other waiters, so move those to call to a list of their own. */
void sc_refresh_waiters_tell(sc_refresh_waiter **list, bool refreshed) {
  sc_refresh_waiter *told = *list;
  *list = NULL;
  if (told != NULL)
    told->link = &told;
  while (told != NULL) {
    sc_refresh_waiter *waiter = told;
    sc_refresh_waiter_remove(waiter);
    waiter->done(waiter->user, refreshed);
  }
}
