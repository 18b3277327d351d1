#include "config/record.h"

#include "config/fields.h"
#include "device.h"

static const char picture_key[] = "12345678901234567890123456789012";

static sc_config_picture a_picture(void) {
  return (sc_config_picture){sc_bytes_text("http://a.b/c"), sc_bytes_text(picture_key)};
}

/* Writes every sort of field. */
static sc_status write_all(sc_config *config, sc_config_path path) {
  sc_config_picture picture = a_picture();
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, path);
  sc_config_write_integer(&record, "0", 0);
  sc_config_write_nonzero(&record, "+", -1);
  sc_config_write_positive(&record, "j", 5);
  sc_config_write_flag(&record, "b", true);
  sc_config_write_string(&record, "N", sc_bytes_text("nick"));
  sc_config_write_always(&record, "n", sc_bytes_text(""));
  sc_config_write_picture(&record, "p", "q", &picture);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

#define ALL                                                                                                  \
  "d1:+i-1e1:0i0e1:N4:nick1:bi1e1:ji5e1:n0:1:p12:http://a.b/c1:q32:"                                         \
  "12345678901234567890123456789012e"

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

static void fields_that_are_nothing_are_erased(sc_test *t) {
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

/* Neither the record nor the dicts around it. */
static void a_record_without_fields_is_not_made(sc_test *t) {
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

/* What stands in the way of a record, or of a dict around it, gives way. */
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

static void fields_are_read_as_they_were_written(sc_test *t) {
  sc_config *config = NULL;
  sc_config_fields fields;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(write_all(config, PATH1("c")));
  OK(sc_config_fields_find(&fields, t->env, sc_config_data(config), PATH1("c")));
  CHECK(sc_config_read_integer(&fields, "+") == -1);
  CHECK(sc_config_fields_at(&fields, "0") != NULL && sc_config_read_integer(&fields, "0") == 0);
  SAME(sc_bytes_text("nick"), sc_config_read_string(&fields, "N"));
  CHECK(sc_config_read_flag(&fields, "b"));
  CHECK(sc_config_read_positive(&fields, "j") == 5);
  CHECK(sc_config_fields_at(&fields, "n") != NULL && sc_config_read_string(&fields, "n").len == 0);
  sc_config_picture picture = sc_config_read_picture(&fields, "p", "q");
  SAME(sc_bytes_text("http://a.b/c"), picture.url);
  SAME(sc_bytes_text(picture_key), picture.key);
  CHECK(sc_config_fields_at(&fields, "z") == NULL);
done:
  sc_config_free(config);
}

static void values_of_the_wrong_kind_are_missing(sc_test *t) {
  sc_config *config = NULL;
  sc_config_fields fields;
  sc_config_picture half = a_picture();
  sc_config_change change;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH1("a"), TEXT("5")));
  OK(device_set(config, PATH1("b"), sc_config_integer(-5)));
  OK(device_set(config, PATH1("c"), sc_config_integer(4)));
  OK(device_set(config, PATH2("d", "x"), TEXT("y")));
  sc_config_change_begin(&change, config);
  sc_config_change_add(&change, PATH1("e"), sc_config_integer(64));
  sc_config_change_add(&change, PATH1("e"), sc_config_integer(-1));
  sc_config_change_add(&change, PATH1("e"), sc_config_integer(1));
  sc_config_change_add(&change, PATH1("e"), TEXT("1"));
  OK(sc_config_change_end(&change));
  OK(device_set(config, PATH1("p"), sc_config_string(half.url)));
  OK(device_set(config, PATH1("q"), TEXT("too short")));
  sc_config_fields_of_data(&fields, sc_config_data(config));
  CHECK(sc_config_read_integer(&fields, "a") == 0 && !sc_config_read_flag(&fields, "a"));
  CHECK(sc_config_read_string(&fields, "b").len == 0 && sc_config_read_flag(&fields, "b"));
  CHECK(sc_config_read_positive(&fields, "b") == 0 && sc_config_read_choice(&fields, "b", 3) == 0);
  CHECK(sc_config_read_choice(&fields, "c", 3) == 0 && sc_config_read_choice(&fields, "c", 4) == 4);
  CHECK(sc_config_read_bits(&fields, "c") == 0);
  CHECK(sc_config_read_string(&fields, "d").len == 0 && sc_config_read_bits(&fields, "d") == 0);
  CHECK(sc_config_read_bits(&fields, "e") == 2);
  sc_config_picture picture = sc_config_read_picture(&fields, "p", "q");
  CHECK(picture.url.len == 0 && picture.key.len == 0);
  FAILS(SC_ERR_NOT_FOUND, sc_config_fields_find(&fields, t->env, sc_config_data(config), PATH1("a")));
  FAILS(SC_ERR_NOT_FOUND, sc_config_fields_find(&fields, t->env, sc_config_data(config), PATH1("x")));
done:
  sc_config_free(config);
}

static void numbers_are_clamped(sc_test *t) {
  CHECK(sc_config_clamp(5, 1, 3) == 3 && sc_config_clamp(-5, 1, 3) == 1 && sc_config_clamp(2, 1, 3) == 2);
done:;
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
      {"fields that are nothing are erased", fields_that_are_nothing_are_erased},
      {"a record without fields is not made", a_record_without_fields_is_not_made},
      {"other kinds of value are replaced", other_kinds_of_value_are_replaced},
      {"fields are read as they were written", fields_are_read_as_they_were_written},
      {"values of the wrong kind are missing", values_of_the_wrong_kind_are_missing},
      {"numbers are clamped", numbers_are_clamped},
      {"texts are checked before they are written", texts_are_checked_before_they_are_written});
