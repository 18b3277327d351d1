#include "config/record.h"

#include <stdio.h>

#include "every_field.h"

static void fields_are_written_into_a_record(sc_test *t) {
  sc_config *config = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(write_all(config, PATH2("c", "id")));
  device_data_is(t, "d1:cd2:id" ALL "ee", config);
  STOP_IF_FAILED;
  OK(write_all(config, (sc_config_path){NULL, 0}));
  CHECK(sc_config_seqno(config) == 1);
done:
  sc_config_free(config);
}

static void empty_fields_are_erased(sc_test *t) {
  sc_config *config = NULL;
  sc_config_picture half = a_picture();
  sc_config_change change;
  sc_config_record record;
  half.key.len = 31;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(write_all(config, PATH1("c")));
  OK(device_set(config, PATH2("c", "?"), TEXT("not known")));
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("c"));
  sc_config_write_nothing(&record, "0");
  sc_config_write_nonzero(&record, "+", 0);
  sc_config_write_positive(&record, "j", -5);
  sc_config_write_flag(&record, "b", false);
  sc_config_write_string(&record, "N", sc_bytes_text(""));
  sc_config_write_string(&record, "n", sc_bytes_text(""));
  sc_config_write_picture(&record, "p", "q", &half);
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:?9:not knownee", config);
  STOP_IF_FAILED;
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("c"));
  sc_config_write_nothing(&record, "?");
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  CHECK(sc_config_data(config) == NULL);
done:
  sc_config_free(config);
}

/* Neither the record nor the dicts around it are created. */
static void a_record_without_fields_is_not_created(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_record record;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH2("c", "id"));
  sc_config_write_flag(&record, "b", false);
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  CHECK(sc_config_state_of(config) == SC_CONFIG_CLEAN);
done:
  sc_config_free(config);
}

/* Any value in place of a record, or of a dict around it, is replaced. */
static void other_kinds_of_value_are_replaced(sc_test *t) {
  sc_config *config = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH1("c"), TEXT("x")));
  OK(write_all(config, PATH2("c", "id")));
  OK(device_set(config, PATH2("d", "id"), TEXT("x")));
  OK(write_all(config, PATH2("d", "id")));
  device_data_is(t, "d1:cd2:id" ALL "e1:dd2:id" ALL "ee", config);
done:
  sc_config_free(config);
}

static void fields_are_written_in_any_order_and_the_last_write_wins(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_record record;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("c", "m"), TEXT("stays")));
  OK(device_set(config, PATH2("c", "x"), TEXT("goes")));
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("c"));
  sc_config_write_integer(&record, "z", 1);
  sc_config_write_integer(&record, "a", 2);
  sc_config_write_nothing(&record, "x");
  sc_config_write_integer(&record, "b", 3);
  sc_config_write_integer(&record, "a", 4);
  sc_config_write_nothing(&record, "b");
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:ai4e1:m5:stays1:zi1eee", config);
done:
  sc_config_free(config);
}

static void a_record_gives_its_previous_fields_and_is_empty_when_all_are_erased(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_record record;
  sc_config_fields before;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("c", "m"), sc_config_integer(5)));
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("c"));
  sc_config_write_nothing(&record, "m");
  CHECK(sc_config_record_is_empty(&record));
  sc_config_write_integer(&record, "m", 6);
  CHECK(!sc_config_record_is_empty(&record));
  sc_config_record_before(&before, &record);
  CHECK(sc_config_read_integer(&before, "m") == 5);
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:mi6eee", config);
done:
  sc_config_free(config);
}

/* The strings come from the record they replace. */
static void a_record_may_be_written_with_its_own_values(sc_test *t) {
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_record record;
  sc_config_fields before;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("c", "a"), TEXT("text")));
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("c"));
  sc_config_record_before(&before, &record);
  sc_config_write_string(&record, "b", sc_config_read_string(&before, "a"));
  sc_config_write_nothing(&record, "a");
  sc_config_record_end(&record);
  OK(sc_config_change_end(&change));
  device_data_is(t, "d1:cd1:b4:textee", config);
done:
  sc_config_free(config);
}

/* A lookup turns a long record into a tree. */
static void long_records_are_written_like_short_ones(sc_test *t) {
  enum { fields = 300 };
  sc_config *config = NULL;
  sc_config_change change;
  sc_config_record record;
  sc_config_fields read;
  char key[8];
  OK(device_new(&config, t->env, (sc_bytes){0}));
  sc_config_change_begin(&change, config);
  for (int i = 0; i < (t->torture ? 120 : fields); i++) {
    snprintf(key, sizeof key, "k%03d", i);
    sc_config_change_set(&change, PATH2("c", key), sc_config_integer(i));
  }
  OK(sc_config_change_end(&change));
  for (int round = 0; round < 2; round++) {
    sc_config_change_begin(&change, config);
    sc_config_record_begin(&record, &change, PATH1("c"));
    sc_config_write_integer(&record, "k007", 1000 + round);
    sc_config_write_integer(&record, "a", round);
    sc_config_record_end(&record);
    OK(sc_config_change_end(&change));
  }
  OK(sc_config_fields_find(&read, t->env, sc_config_data(config), PATH1("c")));
  CHECK(sc_config_read_integer(&read, "a") == 1 && sc_config_read_integer(&read, "k006") == 6);
  CHECK(sc_config_read_integer(&read, "k007") == 1001 && sc_config_read_integer(&read, "k008") == 8);
done:
  sc_config_free(config);
}

static void texts_are_checked_before_they_are_written(sc_test *t) {
  static const char long_name[] = "0123456789012345678901234567890123456789012345678901234567890123456789"
                                  "0123456789012345678901234567890";
  static const uint8_t long_url[SC_CONFIG_MAX_PICTURE_URL_BYTES + 1] = {'h'};
  sc_config_picture picture = {SC_BYTES(long_url), {0}};
  OK(sc_config_check_name(sc_bytes_make(long_name, 100)));
  FAILS(SC_ERR_CONFIG_NAME, sc_config_check_name(sc_bytes_make(long_name, 101)));
  FAILS(SC_ERR_UTF8, sc_config_check_name(sc_bytes_text("\xff")));
  FAILS(SC_ERR_CONFIG_PICTURE, sc_config_check_picture(&picture));
  picture.url.len--;
  OK(sc_config_check_picture(&picture));
  picture.url = sc_bytes_text("\xff");
  FAILS(SC_ERR_UTF8, sc_config_check_picture(&picture));
done:;
}

SUITE(config_record, "config/record", {"fields are written into a record", fields_are_written_into_a_record},
      {"empty fields are erased", empty_fields_are_erased},
      {"a record without fields is not created", a_record_without_fields_is_not_created},
      {"other kinds of value are replaced", other_kinds_of_value_are_replaced},
      {"fields are written in any order and the last write wins",
       fields_are_written_in_any_order_and_the_last_write_wins},
      {"a record gives its previous fields and is empty when all are erased",
       a_record_gives_its_previous_fields_and_is_empty_when_all_are_erased},
      {"a record may be written with its own values", a_record_may_be_written_with_its_own_values},
      {"long records are written like short ones", long_records_are_written_like_short_ones},
      {"texts are checked before they are written", texts_are_checked_before_they_are_written});
