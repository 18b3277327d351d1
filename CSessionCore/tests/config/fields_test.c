#include "config/fields.h"

#include "every_field.h"

static void fields_survive_a_round_trip(sc_test *t) {
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

static void values_of_the_wrong_kind_are_ignored(sc_test *t) {
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

SUITE(config_fields, "config/fields", {"fields survive a round trip", fields_survive_a_round_trip},
      {"values of the wrong kind are ignored", values_of_the_wrong_kind_are_ignored},
      {"numbers are clamped", numbers_are_clamped});
