#include "network/slots.h"

#include "support/test.h"

typedef struct thing {
  sc_slot slot;
  uint64_t value;
} thing;

static void a_number_finds_its_object(sc_test *t) {
  enum { count = 200 };
  sc_slots slots;
  thing *things[count];
  sc_slots_init(&slots, t->env, sizeof(thing), count);
  for (uint64_t i = 0; i < count; i++) {
    void *taken;
    OK(sc_slots_take(&taken, &slots));
    things[i] = taken;
    CHECK(things[i]->value == 0);
    things[i]->value = i;
  }
  for (size_t i = 0; i < count; i++)
    CHECK(sc_slots_find(&slots, sc_slot_number(&things[i]->slot)) == things[i]);
  void *more;
  FAILS(SC_ERR_QUIC_BUSY, sc_slots_take(&more, &slots));
done:
  sc_slots_free(&slots);
}

static void a_number_is_never_used_twice(sc_test *t) {
  sc_slots slots;
  uint64_t last = 0;
  sc_slots_init(&slots, t->env, sizeof(thing), 1);
  for (size_t i = 0; i < 100; i++) {
    void *taken;
    OK(sc_slots_take(&taken, &slots));
    thing *one = taken;
    CHECK(one->value == 0);
    uint64_t number = sc_slot_number(&one->slot);
    CHECK(number > last);
    CHECK(sc_slots_find(&slots, last) == NULL);
    one->value = 7;
    sc_slots_give_back(&slots, one);
    CHECK(sc_slots_find(&slots, number) == NULL);
    last = number;
  }
done:
  sc_slots_free(&slots);
}

static void unknown_numbers_find_nothing(sc_test *t) {
  sc_slots slots;
  void *taken;
  sc_slots_init(&slots, t->env, sizeof(thing), 10);
  CHECK(sc_slots_find(&slots, 1) == NULL);
  OK(sc_slots_take(&taken, &slots));
  CHECK(sc_slots_find(&slots, 0) == NULL);
  CHECK(sc_slots_find(&slots, 2) == NULL); /* reserved, but not used */
  CHECK(sc_slots_find(&slots, 65) == NULL);
  CHECK(sc_slots_find(&slots, UINT64_MAX) == NULL);
  sc_slot_forget(taken);
  CHECK(sc_slots_find(&slots, 1) == NULL);
done:
  sc_slots_free(&slots);
}

SUITE(network_slots, "network/slots", {"a number finds its object", a_number_finds_its_object},
      {"a number is never used twice", a_number_is_never_used_twice},
      {"unknown numbers find nothing", unknown_numbers_find_nothing});
