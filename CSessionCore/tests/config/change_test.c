#include <stdio.h>

#include "config/record.h"
#include "device.h"
#include "session-core/config/savepoint.h"

static void an_edit_makes_a_clean_config_dirty(sc_test *t) {
  sc_config *config = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_seqno(config) == 0);
  CHECK(!sc_config_needs_push(config) && !sc_config_needs_dump(config));
  OK(device_set(config, PATH1("n"), TEXT("Kallie")));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && sc_config_seqno(config) == 1);
  CHECK(sc_config_needs_push(config) && sc_config_needs_dump(config));
  OK(device_set(config, PATH2("a", "b"), sc_config_integer(1)));
  CHECK(sc_config_seqno(config) == 1);
  device_data_is(t, "d1:ad1:bi1ee1:n6:Kalliee", config);
done:
  sc_config_free(config);
}

static void an_edit_without_effect_leaves_the_config_clean(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_erase(config, PATH1("n")));
  CHECK(!sc_config_needs_push(config));
  OK(device_set(config, PATH2("a", "b"), TEXT("x")));
  OK(device_publish(&out, config, "h1"));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
  OK(device_set(config, PATH2("a", "b"), TEXT("x")));
  OK(device_erase(config, PATH2("a", "c")));
  OK(device_erase(config, PATH2("c", "a")));
  sc_config_change_begin(&change, config);
  sc_config_change_remove(&change, PATH1("s"), TEXT("x"));
  OK(sc_config_change_end(&change));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_seqno(config) == 1);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void edits_that_cancel_out_leave_the_config_clean(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("a", "b"), TEXT("x")));
  OK(device_publish(&out, config, "h1"));
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH2("a", "b"), TEXT("y"));
  sc_config_change_add(&change, PATH1("s"), TEXT("x"));
  sc_config_change_remove(&change, PATH1("s"), TEXT("x"));
  sc_config_change_set(&change, PATH2("a", "b"), TEXT("x"));
  OK(sc_config_change_end(&change));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_seqno(config) == 1);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void edits_that_cancel_out_need_no_dump(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("a", "b"), TEXT("x")));
  OK(sc_config_dump(&dump, config, device_now_ms));
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH2("a", "b"), TEXT("y"));
  sc_config_change_set(&change, PATH2("a", "b"), TEXT("x"));
  OK(sc_config_change_end(&change));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && !sc_config_needs_dump(config));
done:
  sc_buffer_free(&dump);
  sc_config_free(config);
}

static void a_failed_change_changes_nothing(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH1("a"), TEXT("x"));
  sc_config_change_fail(&change, SC_ERR_CONFIG_NAME);
  sc_config_change_fail(&change, SC_ERR_UTF8);
  sc_config_change_set(&change, PATH1("b"), TEXT("x"));
  FAILS(SC_ERR_CONFIG_NAME, sc_config_change_end(&change));
  sc_config_change_begin(&change, config);
  sc_config_change_set(&change, PATH1("a"), TEXT("x"));
  sc_config_change_set(&change, (sc_config_path){NULL, 0}, TEXT("x"));
  FAILS(SC_ERR_ARGUMENT, sc_config_change_end(&change));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_data(config) == NULL);
done:
  sc_config_free(config);
}

static void write_field(sc_config_change *change, sc_config_path path, int64_t number) {
  sc_config_record record;
  sc_config_record_begin(&record, change, path);
  sc_config_write_integer(&record, "n", number);
  sc_config_record_end(&record);
}

/* Everything that waits for the end of the change. */
static void a_failed_change_writes_no_records(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("c", "n"), sc_config_integer(1)));
  sc_config_change_begin(&change, config);
  write_field(&change, PATH1("c"), 2);
  sc_config_change_fail(&change, SC_ERR_CONFIG_NAME);
  FAILS(SC_ERR_CONFIG_NAME, sc_config_change_end(&change));
  sc_config_change_begin(&change, config);
  write_field(&change, PATH1("c"), 2);
  write_field(&change, PATH1("d"), 2);
  sc_config_change_set(&change, (sc_config_path){NULL, 0}, TEXT("x"));
  FAILS(SC_ERR_ARGUMENT, sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:ni1eee", config);
done:
  sc_config_free(config);
}

static void records_of_one_change_see_each_others_edits(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  sc_config_change_begin(&change, config);
  write_field(&change, PATH1("c"), 2);
  write_field(&change, PATH1("d"), 3);
  write_field(&change, PATH1("c"), 4);
  sc_config_change_set(&change, PATH2("c", "m"), sc_config_integer(5));
  write_field(&change, PATH1("d"), 6);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:mi5e1:ni4ee1:dd1:ni6eee", config);
done:
  sc_config_free(config);
}

/* A dirty config is edited in place, but savepoints keep the old state. */
static void a_savepoint_is_unaffected_by_later_edits(sc_test *t) {
  enum { records = 60 };
  sc_config *config = NULL;
  sc_config_savepoint *savepoint = NULL;
  sc_config_change change;
  sc_buffer before, after;
  char key[40];
  sc_buffer_init(&before, t->env);
  sc_buffer_init(&after, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  for (int i = 0; i < 2 * records; i++) {
    if (i == records) {
      OK(sc_config_savepoint_new(&savepoint, config));
      OK(sc_config_dump(&before, config, device_now_ms));
    }
    snprintf(key, sizeof key, "%032d", i * 7 % (records + 10));
    sc_config_change_begin(&change, config);
    write_field(&change, PATH2("c", key), i);
    OK(sc_config_change_end(&change));
  }
  sc_config_savepoint_roll_back(savepoint, config);
  OK(sc_config_dump(&after, config, device_now_ms));
  SAME(sc_buffer_bytes(&before), sc_buffer_bytes(&after));
done:
  sc_config_savepoint_free(savepoint);
  sc_config_free(config);
  sc_buffer_free(&before);
  sc_buffer_free(&after);
}

static void members_cannot_edit(sc_test *t) {
  sc_config *config = NULL;
  OK(device_group_new(&config, t->env, false, (sc_bytes){0}));
  CHECK(sc_config_is_read_only(config));
  FAILS(SC_ERR_CONFIG_READ_ONLY, device_set(config, PATH1("n"), TEXT("x")));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN && sc_config_data(config) == NULL);
done:
  sc_config_free(config);
}

static void editing_an_unconfirmed_revision_starts_another(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH1("a"), TEXT("x")));
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(sc_config_state_of(config) == SC_CONFIG_WAITING);
  OK(device_set(config, PATH1("a"), TEXT("x")));
  CHECK(sc_config_state_of(config) == SC_CONFIG_WAITING);
  OK(device_set(config, PATH1("a"), TEXT("y")));
  CHECK(sc_config_state_of(config) == SC_CONFIG_DIRTY && sc_config_seqno(config) == 2);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void bits_are_stored_as_members_of_a_set(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  sc_config_change_begin(&change, config);
  sc_config_change_add(&change, PATH1("f"), sc_config_integer(70));
  sc_config_change_add(&change, PATH1("f"), sc_config_integer(0));
  sc_config_change_bits(&change, PATH1("f"), (uint64_t)1 << 63 | 2, 5);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:fli1ei63ei70eee", config);
done:
  sc_config_free(config);
}

SUITE(config_change, "config/change",
      {"an edit makes a clean config dirty", an_edit_makes_a_clean_config_dirty},
      {"an edit without effect leaves the config clean", an_edit_without_effect_leaves_the_config_clean},
      {"edits that cancel out leave the config clean", edits_that_cancel_out_leave_the_config_clean},
      {"edits that cancel out need no dump", edits_that_cancel_out_need_no_dump},
      {"a failed change changes nothing", a_failed_change_changes_nothing},
      {"a failed change writes no records", a_failed_change_writes_no_records},
      {"records of one change see each other's edits", records_of_one_change_see_each_others_edits},
      {"a savepoint is unaffected by later edits", a_savepoint_is_unaffected_by_later_edits},
      {"members cannot edit", members_cannot_edit},
      {"editing an unconfirmed revision starts another", editing_an_unconfirmed_revision_starts_another},
      {"bits are stored as members of a set", bits_are_stored_as_members_of_a_set});
