#include "network/nodes/waiter.h"

#include "support/test.h"

typedef struct told {
  sc_refresh_waiter waiter;
  size_t times;
  bool refreshed;
  sc_refresh_waiter **again;      /* the list to wait on again when notified */
  sc_refresh_waiter *takes_along; /* the waiter to remove */
} told;

static void done(void *user, bool refreshed) {
  told *self = user;
  self->times++;
  self->refreshed = refreshed;
  if (self->again != NULL)
    sc_refresh_waiter_add(self->again, &self->waiter);
  if (self->takes_along != NULL)
    sc_refresh_waiter_remove(self->takes_along);
}

static told make(void) {
  return (told){.waiter.done = done};
}

static void every_waiter_is_notified_once(sc_test *t) {
  told all[5];
  sc_refresh_waiter *list = NULL;
  for (size_t i = 0; i < 5; i++) {
    all[i] = make();
    all[i].waiter.user = &all[i];
    sc_refresh_waiter_add(&list, &all[i].waiter);
    sc_refresh_waiter_add(&list, &all[i].waiter); /* already waits */
  }
  sc_refresh_waiters_tell(&list, true);
  CHECK(list == NULL);
  sc_refresh_waiters_tell(&list, false);
  for (size_t i = 0; i < 5; i++)
    CHECK(all[i].times == 1 && all[i].refreshed);
done:;
}

static void a_removed_waiter_is_not_notified(sc_test *t) {
  told all[3];
  sc_refresh_waiter *list = NULL;
  for (size_t gone = 0; gone < 3; gone++) {
    for (size_t i = 0; i < 3; i++) {
      all[i] = make();
      all[i].waiter.user = &all[i];
      sc_refresh_waiter_add(&list, &all[i].waiter);
    }
    sc_refresh_waiter_remove(&all[gone].waiter);
    sc_refresh_waiter_remove(&all[gone].waiter);
    sc_refresh_waiters_tell(&list, false);
    for (size_t i = 0; i < 3; i++)
      CHECK(all[i].times == (i == gone ? 0 : 1) && !all[i].refreshed);
  }
done:;
}

static void a_waiter_that_waits_again_is_notified_the_next_time(sc_test *t) {
  told again = make(), other = make();
  sc_refresh_waiter *list = NULL;
  again.waiter.user = &again;
  again.again = &list;
  other.waiter.user = &other;
  sc_refresh_waiter_add(&list, &again.waiter);
  sc_refresh_waiter_add(&list, &other.waiter);
  sc_refresh_waiters_tell(&list, true);
  CHECK(again.times == 1 && other.times == 1 && list == &again.waiter);
  sc_refresh_waiters_tell(&list, false);
  CHECK(again.times == 2 && !again.refreshed && other.times == 1);
done:;
}

static void a_waiter_may_remove_others_from_its_callback(sc_test *t) {
  told first = make(), second = make(), third = make();
  sc_refresh_waiter *list = NULL;
  first.waiter.user = &first;
  second.waiter.user = &second;
  third.waiter.user = &third;
  third.takes_along = &second.waiter; /* the newest waiter is notified first */
  sc_refresh_waiter_add(&list, &first.waiter);
  sc_refresh_waiter_add(&list, &second.waiter);
  sc_refresh_waiter_add(&list, &third.waiter);
  sc_refresh_waiters_tell(&list, true);
  CHECK(third.times == 1 && second.times == 0 && first.times == 1);
done:;
}

SUITE(network_nodes_waiter, "network/nodes/waiter",
      {"every waiter is notified once", every_waiter_is_notified_once},
      {"a removed waiter is not notified", a_removed_waiter_is_not_notified},
      {"a waiter that waits again is notified the next time",
       a_waiter_that_waits_again_is_notified_the_next_time},
      {"a waiter may remove others from its callback", a_waiter_may_remove_others_from_its_callback});
