#include "config/section.h"

#include "device.h"

static sc_id an_id(uint8_t prefix, uint8_t number) {
  sc_id id = {{prefix}};
  id.bytes[1] = number;
  return id;
}

static sc_status put(sc_config *config, const char *section, sc_bytes key) {
  sc_bytes keys[] = {sc_bytes_text(section), key, sc_bytes_text("n")};
  return device_set(config, (sc_config_path){keys, 3}, TEXT(""));
}

/* `count` records among invalid entries. */
static sc_status fill(sc_config *config, uint8_t count) {
  sc_id other = an_id(SC_ID_GROUP, 1);
  sc_id odd = an_id(SC_ID_STANDARD, 0);
  sc_bytes odd_keys[] = {sc_bytes_text("c"), SC_BYTES(odd.bytes)};
  sc_status status = put(config, "c", SC_BYTES(other.bytes));
  if (status == SC_OK)
    status = put(config, "c", sc_bytes_text("short"));
  if (status == SC_OK)
    status = device_set(config, (sc_config_path){odd_keys, 2}, sc_config_integer(1));
  for (uint8_t i = 1; i <= count && status == SC_OK; i++) {
    sc_id id = an_id(SC_ID_STANDARD, i);
    status = put(config, "c", SC_BYTES(id.bytes));
  }
  return status;
}

static void goes_through(sc_test *t, sc_config *config, uint8_t first, uint8_t last, const sc_id *after) {
  sc_config_section section;
  sc_config_fields fields;
  sc_id id;
  OK(sc_config_section_begin_after(&section, t->env, sc_config_data(config), "c", SC_ID_STANDARD, after));
  for (unsigned i = first; i <= last; i++) {
    CHECK(sc_config_section_next(&id, &fields, &section));
    CHECK(id.bytes[0] == SC_ID_STANDARD && id.bytes[1] == i);
    CHECK(sc_config_fields_at(&fields, "n") != NULL);
  }
  CHECK(!sc_config_section_next(&id, &fields, &section));
  CHECK(!sc_config_section_next(&id, &fields, &section));
done:;
}

/* Short sections are walked as bytes, long ones as trees. */
static void only_records_are_listed_in_order(sc_test *t) {
  static const uint8_t counts[] = {1, 5, 200};
  sc_config *config = NULL;
  for (size_t i = 0; i < 3 - (size_t)t->torture; i++) {
    OK(device_new(&config, t->env, (sc_bytes){0}));
    OK(fill(config, counts[i]));
    goes_through(t, config, 1, counts[i], NULL);
    STOP_IF_FAILED;
    for (unsigned after = 0; after <= counts[i]; after++) {
      sc_id id = an_id(SC_ID_STANDARD, (uint8_t)after);
      goes_through(t, config, (uint8_t)(after + 1), counts[i], &id);
      STOP_IF_FAILED;
    }
    sc_id beyond = an_id(SC_ID_BLINDED_15, 0);
    goes_through(t, config, 1, 0, &beyond);
    STOP_IF_FAILED;
    sc_config_free(config);
    config = NULL;
  }
done:
  sc_config_free(config);
}

static void an_invalid_section_is_empty(sc_test *t) {
  sc_config *config = NULL;
  size_t size = 9;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  goes_through(t, config, 1, 0, NULL);
  STOP_IF_FAILED;
  OK(device_set(config, PATH1("c"), TEXT("x")));
  goes_through(t, config, 1, 0, NULL);
  STOP_IF_FAILED;
  OK(sc_config_section_size(&size, t->env, sc_config_data(config), PATH1("c")));
  CHECK(size == 0);
done:
  sc_config_free(config);
}

static void the_size_counts_all_entries(sc_test *t) {
  sc_config *config = NULL;
  size_t size = 0;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(fill(config, 4));
  OK(sc_config_section_size(&size, t->env, sc_config_data(config), PATH1("c")));
  CHECK(size == 7);
done:
  sc_config_free(config);
}

SUITE(config_section, "config/section",
      {"only records are listed, in order", only_records_are_listed_in_order},
      {"an invalid section is empty", an_invalid_section_is_empty},
      {"the size counts all entries", the_size_counts_all_entries});
