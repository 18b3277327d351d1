#include "network/router/moved.h"

#include "session-core/network/node_options.h"
#include "support/test.h"

static const uint64_t minute = 60 * SC_NODE_SECOND;
static const sc_swarm_key mine = {.local_account = 1, .account = {5, 1}},
                          same_for_another = {.local_account = 2, .account = {5, 1}};

/* All members of a swarm refuse the account. */
static void refuse_all(sc_moved *moved, size_t members, uint64_t now) {
  for (size_t i = 0; i < members; i++)
    sc_moved_note_refusal(moved, &mine, i, members, now);
}

static void all_members_must_refuse_by_the_newest_list(sc_test *t) {
  static sc_moved moved;
  moved = (sc_moved){0};
  refuse_all(&moved, 4, 1);
  CHECK(!sc_moved_is_held(&moved, &mine, 1));
  sc_moved_take_list(&moved);
  for (size_t i = 0; i < 4; i++)
    sc_moved_note_refusal(&moved, &mine, i % 3, 4, 2);
  CHECK(!sc_moved_is_held(&moved, &mine, 2));
  sc_moved_note_refusal(&moved, &mine, 3, 4, 2);
  CHECK(sc_moved_is_held(&moved, &mine, minute) && !sc_moved_is_held(&moved, &mine, minute + 2));
done:;
}

static void a_list_that_is_new_already_need_not_be_fetched(sc_test *t) {
  static sc_moved moved;
  moved = (sc_moved){0};
  sc_moved_note_refusal(&moved, &mine, 0, 2, 1);
  sc_moved_note_refreshed(&moved, &mine);
  sc_moved_note_refusal(&moved, &mine, 1, 2, 1);
  CHECK(sc_moved_is_held(&moved, &mine, 2));
done:;
}

static void only_a_member_that_keeps_the_account_ends_it(sc_test *t) {
  static sc_moved moved;
  moved = (sc_moved){0};
  refuse_all(&moved, 2, 1);
  sc_moved_take_list(&moved);
  refuse_all(&moved, 2, 1);
  sc_moved_take_list(&moved);
  CHECK(sc_moved_is_held(&moved, &mine, 2));
  sc_moved_note_kept(&moved, &mine);
  CHECK(!sc_moved_is_held(&moved, &mine, 2));
  sc_moved_note_end(&moved, &mine, 2);
  CHECK(!sc_moved_is_held(&moved, &mine, 3));
done:;
}

static void another_account_of_this_program_knows_nothing_of_it(sc_test *t) {
  static sc_moved moved;
  uint64_t hint;
  moved = (sc_moved){0};
  refuse_all(&moved, 2, 1);
  sc_moved_take_list(&moved);
  refuse_all(&moved, 2, 1);
  sc_moved_keep_hint(&moved, &mine, 7, 1);
  CHECK(sc_moved_is_held(&moved, &mine, 2) && !sc_moved_is_held(&moved, &same_for_another, 2));
  CHECK(sc_moved_hint(&hint, &moved, &mine, 2) && hint == 7);
  CHECK(!sc_moved_hint(&hint, &moved, &same_for_another, 2));
done:;
}

static void the_account_that_was_told_of_least_recently_goes(sc_test *t) {
  static sc_moved moved;
  uint64_t hint;
  moved = (sc_moved){0};
  for (uint64_t i = 0; i <= sc_moved_most; i++) {
    const sc_swarm_key key = {.local_account = i};
    sc_moved_keep_hint(&moved, &key, i, 1 + i);
  }
  CHECK(!sc_moved_hint(&hint, &moved, &(sc_swarm_key){.local_account = 0}, 50));
  CHECK(sc_moved_hint(&hint, &moved, &(sc_swarm_key){.local_account = 1}, 50) && hint == 1);
  CHECK(sc_moved_hint(&hint, &moved, &(sc_swarm_key){.local_account = sc_moved_most}, 50));
done:;
}

SUITE(network_router_moved, "network/router/moved",
      {"R8: all members must refuse by the newest list", all_members_must_refuse_by_the_newest_list},
      {"R8: a list that is new already need not be fetched", a_list_that_is_new_already_need_not_be_fetched},
      {"R8: only a member that keeps the account ends it", only_a_member_that_keeps_the_account_ends_it},
      {"I4: another account of this program knows nothing of it",
       another_account_of_this_program_knows_nothing_of_it},
      {"the account that was told of least recently goes", the_account_that_was_told_of_least_recently_goes});
