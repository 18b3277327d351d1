#include "config/field_table.h"

#include <stddef.h>

#include "device.h"

typedef struct ship {
  int64_t built_s;
  int32_t masts;
  int32_t draught;
  sc_config_notify signals;
  sc_bytes name, code, motto;
  int64_t ballast;
  sc_config_choice insured;
  sc_config_picture picture;
  bool at_sea;
} ship;

static const sc_field_row rows[] = {
    {"!", SC_FIELD_INTEGER, .offset = offsetof(ship, ballast)},
    {"@", SC_FIELD_CHOICE, .offset = offsetof(ship, signals), .limit = SC_CONFIG_NOTIFY_MENTIONS},
    {"b", SC_FIELD_SECONDS, .offset = offsetof(ship, built_s)},
    {"c", SC_FIELD_FIXED, .offset = offsetof(ship, code), .limit = 4},
    {"d", SC_FIELD_NUMBER, .offset = offsetof(ship, draught)},
    {"i", SC_FIELD_ANSWER, .offset = offsetof(ship, insured)},
    {"m", SC_FIELD_AMOUNT, .offset = offsetof(ship, masts)},
    {"n", SC_FIELD_TEXT, .offset = offsetof(ship, name), .is_kept_empty = true},
    {"o", SC_FIELD_TEXT, .offset = offsetof(ship, motto), .limit = 8, .too_long = SC_ERR_CONFIG_NAME},
    {"p", SC_FIELD_PICTURE, .offset = offsetof(ship, picture), .second = "q"},
    {"s", SC_FIELD_FLAG, .offset = offsetof(ship, at_sea)},
};

static sc_status store(sc_config *config, const ship *value) {
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("a"));
  sc_field_table_write(&record, SC_FIELD_TABLE(rows), value);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

static sc_status load(ship *out, sc_test *t, sc_config *config) {
  sc_config_fields fields;
  sc_status status = sc_config_fields_find(&fields, t->env, sc_config_data(config), PATH1("a"));
  *out = (ship){0};
  if (status == SC_OK)
    sc_field_table_read(out, SC_FIELD_TABLE(rows), &fields);
  return status;
}

static void a_record_is_read_as_it_was_written(sc_test *t) {
  sc_config *config = NULL;
  ship read;
  const ship brig = {
      .built_s = 5000000000000, /* in milliseconds */
      .masts = 2,
      .draught = -3,
      .signals = SC_CONFIG_NOTIFY_NONE,
      .name = sc_bytes_text("Lady Nelson"),
      .code = sc_bytes_text("LNEL"),
      .picture = {sc_bytes_text("http://a.b/c"), sc_bytes_text("0123456789abcdef0123456789abcdef")},
      .motto = sc_bytes_text("Sail on!"),
      .ballast = -7000000000,
      .insured = SC_CONFIG_NO,
      .at_sea = true,
  };
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(store(config, &brig));
  OK(load(&read, t, config));
  CHECK(read.built_s == 5000000000 && read.masts == 2 && read.draught == -3 && read.at_sea);
  CHECK(read.signals == SC_CONFIG_NOTIFY_NONE && read.insured == SC_CONFIG_NO && read.ballast == -7000000000);
  SAME(brig.motto, read.motto);
  SAME(brig.name, read.name);
  SAME(brig.code, read.code);
  SAME(brig.picture.url, read.picture.url);
  SAME(brig.picture.key, read.picture.key);
done:
  sc_config_free(config);
}

static void a_value_of_the_wrong_kind_counts_as_none(sc_test *t) {
  sc_config *config = NULL;
  ship read;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(device_set(config, PATH2("a", "@"), sc_config_integer(4)));
  OK(device_set(config, PATH2("a", "b"), TEXT("5")));
  OK(device_set(config, PATH2("a", "c"), TEXT("LNE")));
  OK(device_set(config, PATH2("a", "m"), sc_config_integer(-4)));
  OK(device_set(config, PATH2("a", "n"), sc_config_integer(1)));
  OK(device_set(config, PATH2("a", "p"), TEXT("http://a.b/c")));
  OK(load(&read, t, config));
  CHECK(read.signals == SC_CONFIG_NOTIFY_DEFAULT && read.built_s == 0 && read.masts == 0);
  CHECK(read.name.len == 0 && read.code.len == 0 && read.picture.url.len == 0);
done:
  sc_config_free(config);
}

static void an_invalid_value_is_refused_unless_it_is_stored(sc_test *t) {
  sc_config *config = NULL;
  ship read;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  FAILS(SC_ERR_ARGUMENT, store(config, &(ship){.signals = (sc_config_notify)4}));
  FAILS(SC_ERR_UTF8, store(config, &(ship){.name = sc_bytes_text("\xff")}));
  FAILS(SC_ERR_NOT_FOUND, load(&read, t, config));
  OK(device_set(config, PATH2("a", "n"), TEXT("\xff")));
  OK(store(config, &(ship){.name = sc_bytes_text("\xff"), .masts = 2}));
  OK(load(&read, t, config));
  CHECK(read.masts == 2 && read.name.len == 1);
done:
  sc_config_free(config);
}

static sc_status store_one(sc_config *config, const char *key, const void *member) {
  sc_config_change change;
  sc_config_record record;
  sc_config_change_begin(&change, config);
  sc_config_record_begin(&record, &change, PATH1("a"));
  sc_field_table_write_one(&record, SC_FIELD_TABLE(rows), key, member);
  sc_config_record_end(&record);
  return sc_config_change_end(&change);
}

static void one_field_is_edited_alone(sc_test *t) {
  sc_config *config = NULL;
  ship read;
  const sc_config_choice yes = SC_CONFIG_YES, undecided = SC_CONFIG_UNDECIDED, neither = (sc_config_choice)9;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(store(config, &(ship){.masts = 2, .insured = SC_CONFIG_NO}));
  OK(store_one(config, "i", &yes));
  OK(load(&read, t, config));
  CHECK(read.insured == SC_CONFIG_YES && read.masts == 2);
  FAILS(SC_ERR_ARGUMENT, store_one(config, "i", &neither));
  OK(store_one(config, "i", &undecided));
  OK(load(&read, t, config));
  CHECK(read.insured == SC_CONFIG_UNDECIDED && read.masts == 2);
done:
  sc_config_free(config);
}

static void a_long_text_is_cut_or_refused_as_its_row_says(sc_test *t) {
  sc_config *config = NULL;
  ship read;
  char long_name[SC_CONFIG_MAX_NAME_BYTES + 2] = {0};
  const sc_bytes nine = sc_bytes_text("Sail on!!");
  memset(long_name, 'a', sizeof long_name - 1);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(store(config, &(ship){.name = sc_bytes_text(long_name)}));
  OK(load(&read, t, config));
  CHECK(read.name.len == SC_CONFIG_MAX_NAME_BYTES);
  FAILS(SC_ERR_CONFIG_NAME, store_one(config, "o", &nine));
  OK(load(&read, t, config));
  CHECK(read.motto.len == 0);
done:
  sc_config_free(config);
}

SUITE(config_field_table, "config/field_table",
      {"a record is read as it was written", a_record_is_read_as_it_was_written},
      {"a value of the wrong kind counts as none", a_value_of_the_wrong_kind_counts_as_none},
      {"an invalid value is refused unless it is stored", an_invalid_value_is_refused_unless_it_is_stored},
      {"one field is edited alone", one_field_is_edited_alone},
      {"a long text is cut or refused, as its row says", a_long_text_is_cut_or_refused_as_its_row_says});
