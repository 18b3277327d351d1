#include "config/data.h"

#include "revision.h"
#include "support/test_env.h"

static sc_status check(const char *data) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_bytes_text(data));
  return sc_config_data_check(&reader);
}

static void pruned_data_is_accepted(sc_test *t) {
  OK(check("de"));
  OK(check("d0:0:1:ai0e1:b0:e"));
  OK(check("d1:ad1:bd1:c0:ee1:sli-7ei42e0:1:B1:aee"));
  OK(check("d1:ai9223372036854775807e1:bi-9223372036854775808ee"));
done:;
}

static void unpruned_data_is_refused(sc_test *t) {
  FAILS(SC_ERR_CONFIG_DATA, check("d1:adee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:ad1:bdeee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:alee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:ad1:bleee"));
done:;
}

static void sets_are_sorted_and_have_no_duplicates(sc_test *t) {
  FAILS(SC_ERR_CONFIG_DATA, check("d1:ali2ei1eee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:ali1ei1eee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:al1:ai1eee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:al1:b1:aee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:al1:a1:aee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:al1:alee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:aldeee"));
  OK(check("d1:ali1e1:1ee"));
done:;
}

static void data_that_is_not_valid_bt_is_refused(sc_test *t) {
  FAILS(SC_ERR_BT_TYPE, check("li1ee"));
  FAILS(SC_ERR_BT_ORDER, check("d1:bi1e1:ai1ee"));
  FAILS(SC_ERR_BT_ORDER, check("d1:ai1e1:ai1ee"));
  FAILS(SC_ERR_BT_RANGE, check("d1:ai9223372036854775808ee"));
  FAILS(SC_ERR_TRUNCATED, check("d1:ai1e"));
  FAILS(SC_ERR_TRUNCATED, check("d1:ali1e"));
  FAILS(SC_ERR_TRUNCATED, check("d1:a"));
  FAILS(SC_ERR_BT_SYNTAX, check("d1:ai01ee"));
  FAILS(SC_ERR_BT_SYNTAX, check("d1:axe"));
done:;
}

/* A scalar at a path of this many keys. */
static void nest(char *out, size_t keys) {
  for (size_t i = 0; i < keys; i++, out += 4)
    memcpy(out, "d1:a", 4);
  *out++ = '0';
  *out++ = ':';
  memset(out, 'e', keys);
  out[keys] = '\0';
}

static void paths_have_a_depth_limit(sc_test *t) {
  char text[200];
  nest(text, SC_CONFIG_MAX_PATH);
  OK(check(text));
  nest(text, SC_CONFIG_MAX_PATH + 1);
  FAILS(SC_ERR_BT_DEPTH, check(text));
done:;
}

/* Data under edit: OK and FAILS make an edit and take it over. */
typedef struct work {
  const sc_env *env;
  sc_config_node *data;
  sc_buffer written;
} work;

static void start(work *out, const sc_test *t) {
  *out = (work){.env = t->env};
  sc_buffer_init(&out->written, t->env);
}

static void finish(work *w) {
  sc_config_tree_drop(w->env, w->data);
  sc_buffer_free(&w->written);
}

static sc_status edit(work *w, sc_config_action action, sc_config_path path, sc_config_value value) {
  sc_status status = sc_config_data_edit(&w->data, w->env, action, path, value);
  uint8_t *at;
  sc_buffer_clear(&w->written);
  if (status == SC_OK)
    status = sc_buffer_extend(&at, &w->written, sc_config_tree_size(w->data));
  if (status == SC_OK)
    sc_config_tree_write(at, w->data);
  return status;
}

#define IS(text) SAME(sc_bytes_text(text), sc_buffer_bytes(&w.written))

static void missing_dicts_on_the_path_are_created(sc_test *t) {
  work w;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH3("a", "b", "c"), sc_config_integer(-1)));
  IS("d1:ad1:bd1:ci-1eeee");
  OK(edit(&w, SC_CONFIG_ADD, PATH2("a", "s"), TEXT("x")));
  OK(edit(&w, SC_CONFIG_ADD, PATH2("a", "s"), sc_config_integer(3)));
  IS("d1:ad1:bd1:ci-1ee1:sli3e1:xeee");
  OK(edit(&w, SC_CONFIG_PUT, PATH1(""), TEXT("")));
  IS("d0:0:1:ad1:bd1:ci-1ee1:sli3e1:xeee");
done:
  finish(&w);
}

static void a_scalar_on_the_path_is_replaced(sc_test *t) {
  work w;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH1("a"), TEXT("scalar")));
  OK(edit(&w, SC_CONFIG_ADD, PATH1("a"), TEXT("set")));
  IS("d1:al3:setee");
  OK(edit(&w, SC_CONFIG_PUT, PATH2("a", "b"), TEXT("dict")));
  IS("d1:ad1:b4:dictee");
  OK(edit(&w, SC_CONFIG_ADD, PATH1("a"), TEXT("set")));
  IS("d1:al3:setee");
  OK(edit(&w, SC_CONFIG_PUT, PATH1("a"), sc_config_integer(0)));
  IS("d1:ai0ee");
done:
  finish(&w);
}

static void emptied_containers_are_removed(sc_test *t) {
  work w;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH3("a", "b", "c"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_ADD, PATH3("a", "b", "s"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_ERASE, PATH3("a", "b", "c"), sc_config_integer(0)));
  IS("d1:ad1:bd1:sli1eeeee");
  OK(edit(&w, SC_CONFIG_REMOVE, PATH3("a", "b", "s"), sc_config_integer(1)));
  IS("de");
  CHECK(w.data == NULL);
done:
  finish(&w);
}

static void erasing_a_missing_value_changes_nothing(sc_test *t) {
  work w;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH2("a", "b"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_ADD, PATH1("s"), sc_config_integer(1)));
  const sc_config_node *before = w.data;
  OK(edit(&w, SC_CONFIG_ERASE, PATH1("x"), sc_config_integer(0)));
  OK(edit(&w, SC_CONFIG_ERASE, PATH2("a", "x"), sc_config_integer(0)));
  OK(edit(&w, SC_CONFIG_ERASE, PATH2("x", "b"), sc_config_integer(0)));
  OK(edit(&w, SC_CONFIG_ERASE, PATH3("a", "b", "c"), sc_config_integer(0)));
  OK(edit(&w, SC_CONFIG_REMOVE, PATH1("s"), sc_config_integer(2)));
  OK(edit(&w, SC_CONFIG_REMOVE, PATH1("s"), TEXT("1")));
  OK(edit(&w, SC_CONFIG_REMOVE, PATH1("a"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_REMOVE, PATH2("a", "b"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_REMOVE, PATH1("x"), sc_config_integer(1)));
  CHECK(w.data == before);
done:
  finish(&w);
}

static void setting_an_equal_value_changes_nothing_and_does_not_allocate(sc_test *t) {
  work w;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH1("a"), sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_ADD, PATH1("s"), sc_config_integer(1)));
  const sc_config_node *before = w.data;
  const sc_test_env *counted = t->env->user;
  size_t allocations = counted->allocations;
  OK(sc_config_data_edit(&w.data, t->env, SC_CONFIG_PUT, PATH1("a"), sc_config_integer(1)));
  CHECK(w.data == before && counted->allocations == allocations);
  OK(edit(&w, SC_CONFIG_ADD, PATH1("s"), sc_config_integer(1)));
  CHECK(w.data == before);
  OK(edit(&w, SC_CONFIG_PUT, PATH1("a"), TEXT("1")));
  IS("d1:a1:11:sli1eee");
done:
  finish(&w);
}

static void invalid_edits_are_refused(sc_test *t) {
  work w;
  start(&w, t);
  sc_bytes keys[SC_CONFIG_MAX_PATH + 1];
  for (size_t i = 0; i <= SC_CONFIG_MAX_PATH; i++)
    keys[i] = sc_bytes_text("k");
  FAILS(SC_ERR_ARGUMENT, edit(&w, SC_CONFIG_PUT, (sc_config_path){NULL, 0}, sc_config_integer(1)));
  FAILS(SC_ERR_ARGUMENT, edit(&w, SC_CONFIG_PUT, PATH1("a"), (sc_config_value){.kind = SC_CONFIG_DICT}));
  FAILS(SC_ERR_BT_DEPTH,
        edit(&w, SC_CONFIG_PUT, (sc_config_path){keys, SC_CONFIG_MAX_PATH + 1}, sc_config_integer(1)));
  OK(edit(&w, SC_CONFIG_ADD, (sc_config_path){keys, SC_CONFIG_MAX_PATH}, sc_config_integer(1)));
done:
  finish(&w);
}

enum { many = 400, few = 40 };

/* This many records, each a dict, in the dict `c`; too many to be kept as bytes. */
static sc_status put_records(work *w, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    uint8_t id[33] = {5, (uint8_t)(i >> 8), (uint8_t)i};
    sc_bytes keys[] = {sc_bytes_text("c"), SC_BYTES(id), sc_bytes_text("n")};
    status = sc_config_data_edit(&w->data, w->env, SC_CONFIG_PUT, (sc_config_path){keys, 3},
                                 sc_config_integer((int64_t)i));
  }
  return status;
}

static sc_status get_record(sc_config_value *out, const work *w, size_t i) {
  uint8_t id[33] = {5, (uint8_t)(i >> 8), (uint8_t)i};
  sc_bytes keys[] = {sc_bytes_text("c"), SC_BYTES(id), sc_bytes_text("n")};
  sc_config_place place;
  sc_status status = sc_config_data_find(&place, w->env, w->data, (sc_config_path){keys, 3});
  if (status == SC_OK && place.entry == NULL)
    return SC_ERR_NOT_FOUND;
  if (status == SC_OK)
    *out = sc_encoded_scalar(place.entry->value);
  return status;
}

static void values_are_found_both_in_trees_and_in_encoded_bytes(sc_test *t) {
  size_t count = t->torture ? few : many;
  sc_config_value value;
  sc_slice slice = {0};
  work w, parsed;
  start(&w, t);
  start(&parsed, t);
  OK(put_records(&w, count));
  OK(edit(&w, SC_CONFIG_PUT, PATH1("z"), sc_config_integer(1)));
  OK(sc_slice_copy(&slice, t->env, sc_buffer_bytes(&w.written)));
  OK(sc_config_tree_index(&parsed.data, t->env, slice.owner, slice.bytes));
  for (size_t i = 0; i < count; i++) {
    OK(get_record(&value, &w, i));
    CHECK(value.integer == (int64_t)i);
    OK(get_record(&value, &parsed, i));
    CHECK(value.integer == (int64_t)i);
  }
  FAILS(SC_ERR_NOT_FOUND, get_record(&value, &w, count));
  FAILS(SC_ERR_NOT_FOUND, get_record(&value, &parsed, count));
done:
  sc_shared_drop(t->env, slice.owner);
  finish(&w);
  finish(&parsed);
}

static void an_edit_of_many_records_takes_little_memory(sc_test *t) {
  size_t count = t->torture ? few : 3000;
  work w;
  start(&w, t);
  OK(put_records(&w, count));
  const sc_test_env *counted = t->env->user;
  size_t before = counted->allocations;
  uint8_t id[33] = {5, 0, 7};
  sc_bytes keys[] = {sc_bytes_text("c"), SC_BYTES(id), sc_bytes_text("n")};
  OK(sc_config_data_edit(&w.data, t->env, SC_CONFIG_PUT, (sc_config_path){keys, 3}, TEXT("new")));
  CHECK(counted->allocations - before <= 12);
done:
  finish(&w);
}

static void a_path_through_a_non_dict_finds_nothing(sc_test *t) {
  work w;
  sc_config_place place;
  start(&w, t);
  OK(edit(&w, SC_CONFIG_PUT, PATH1("a"), TEXT("scalar")));
  OK(edit(&w, SC_CONFIG_ADD, PATH1("s"), TEXT("b")));
  OK(sc_config_data_find(&place, t->env, w.data, PATH2("a", "b")));
  CHECK(place.entry == NULL);
  OK(sc_config_data_find(&place, t->env, w.data, PATH2("s", "b")));
  CHECK(place.entry == NULL);
  OK(sc_config_data_find(&place, t->env, w.data, (sc_config_path){NULL, 0}));
  CHECK(place.entry == NULL);
  OK(sc_config_data_find(&place, t->env, NULL, PATH1("a")));
  CHECK(place.entry == NULL);
done:
  finish(&w);
}

SUITE(config_data, "config/data", {"pruned data is accepted", pruned_data_is_accepted},
      {"unpruned data is refused", unpruned_data_is_refused},
      {"sets are sorted and have no duplicates", sets_are_sorted_and_have_no_duplicates},
      {"data that is not valid bt is refused", data_that_is_not_valid_bt_is_refused},
      {"paths have a depth limit", paths_have_a_depth_limit},
      {"missing dicts on the path are created", missing_dicts_on_the_path_are_created},
      {"a scalar on the path is replaced", a_scalar_on_the_path_is_replaced},
      {"emptied containers are removed", emptied_containers_are_removed},
      {"erasing a missing value changes nothing", erasing_a_missing_value_changes_nothing},
      {"setting an equal value changes nothing and does not allocate",
       setting_an_equal_value_changes_nothing_and_does_not_allocate},
      {"invalid edits are refused", invalid_edits_are_refused},
      {"values are found both in trees and in encoded bytes",
       values_are_found_both_in_trees_and_in_encoded_bytes},
      {"an edit of many records takes little memory", an_edit_of_many_records_takes_little_memory},
      {"a path through a non-dict finds nothing", a_path_through_a_non_dict_finds_nothing});
