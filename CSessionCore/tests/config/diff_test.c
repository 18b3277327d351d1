#include "config/diff.h"

#include "revision.h"

/* Data parsed from text. */
typedef struct parsed_data {
  sc_slice slice;
  sc_config_node *root;
} parsed_data;

static sc_status parse_data(parsed_data *out, const sc_env *env, const char *text) {
  *out = (parsed_data){0};
  sc_status status = sc_slice_copy(&out->slice, env, sc_bytes_text(text));
  return status == SC_OK ? sc_config_tree_index(&out->root, env, out->slice.owner, out->slice.bytes) : status;
}

static void drop_data(const sc_env *env, parsed_data *data) {
  sc_config_tree_drop(env, data->root);
  sc_shared_drop(env, data->slice.owner);
}

static sc_status diff_of(sc_buffer *out, const sc_env *env, const char *before, const char *after) {
  parsed_data old = {0}, new = {0};
  sc_buffer_clear(out);
  sc_status status = parse_data(&old, env, before);
  if (status == SC_OK)
    status = parse_data(&new, env, after);
  if (status == SC_OK)
    status = sc_config_diff_append(out, old.root, new.root);
  drop_data(env, &old);
  drop_data(env, &new);
  return status;
}

static void every_kind_of_change_has_its_mark(sc_test *t) {
  static const struct {
    const char *before, *after, *diff;
  } cases[] = {
      {"de", "de", "de"},
      {"d1:ai1ee", "d1:ai1ee", "de"},
      {"de", "d1:ai1ee", "d1:a0:e"},
      {"d1:ai1ee", "d1:ai2ee", "d1:a0:e"},
      {"d1:ai1ee", "d1:a1:1e", "d1:a0:e"},
      {"d1:a0:e", "de", "d1:a1:-e"},
      {"d1:dd1:xi1eee", "d1:dd1:xi2e1:yi1eee", "d1:dd1:x0:1:y0:ee"},
      {"de", "d1:dd1:xd1:yi1eeee", "d1:dd1:xd1:y0:eee"},
      {"d1:dd1:xd1:yi1ee1:sli1eeee", "de", "d1:dd1:xd1:y1:-e1:slleli1eeeee"},
      {"d1:sli1ei2eee", "d1:sli2ei3e1:aee", "d1:slli3e1:aeli1eeee"},
      {"de", "d1:sli1e1:aee", "d1:slli1e1:aeleee"},
      {"d1:sl1:aee", "de", "d1:sllel1:aeee"},
      {"d1:ki1ee", "d1:kl1:aee", "d1:kll1:aeleee"},
      {"d1:kl1:aee", "d1:kd1:xi1eee", "d1:kd1:x0:ee"},
      {"d1:kd1:xi1eee", "d1:ki1ee", "d1:k0:e"},
      {"d1:ai1e1:dd1:xi1ee1:sli1ei2eee", "d1:ai2e1:d3:str1:sli2ei3eee", "d1:a0:1:d0:1:slli3eeli1eeee"},
  };
  sc_buffer diff;
  sc_buffer_init(&diff, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(diff_of(&diff, t->env, cases[i].before, cases[i].after));
    SAME(sc_bytes_text(cases[i].diff), sc_buffer_bytes(&diff));
  }
done:
  sc_buffer_free(&diff);
}

static sc_status check(const char *diff) {
  sc_bt_reader reader;
  sc_bt_reader_init(&reader, sc_bytes_text(diff));
  return sc_config_diff_check(&reader);
}

static void diffs_are_dicts_of_marks_lists_and_diffs(sc_test *t) {
  OK(check("de"));
  OK(check("d1:a0:1:b1:-1:clleleee"));
  OK(check("d1:dlli-1e1:ael1:beee"));
  OK(check("d1:ad1:bdeee"));
done:;
}

static void any_other_value_in_a_diff_is_refused(sc_test *t) {
  FAILS(SC_ERR_CONFIG_DIFF, check("d1:ai1ee"));
  FAILS(SC_ERR_CONFIG_DIFF, check("d1:a1:+e"));
  FAILS(SC_ERR_CONFIG_DIFF, check("d1:a2:--e"));
  FAILS(SC_ERR_BT_TYPE, check("d1:alee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:alleee"));
  FAILS(SC_ERR_CONFIG_DIFF, check("d1:alleleleee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:ali1ei2eee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:alllei1eeleee"));
  FAILS(SC_ERR_BT_TYPE, check("d1:alldeeleee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:alli2ei1eeleee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:alli1ei1eeleee"));
  FAILS(SC_ERR_CONFIG_DATA, check("d1:all1:ai1eeleee"));
  FAILS(SC_ERR_BT_RANGE, check("d1:alli9223372036854775808eeleee"));
  FAILS(SC_ERR_BT_ORDER, check("d1:b0:1:a0:e"));
  FAILS(SC_ERR_BT_ORDER, check("d1:a0:1:a0:e"));
  FAILS(SC_ERR_BT_TYPE, check("le"));
  FAILS(SC_ERR_TRUNCATED, check("d1:a0:"));
  FAILS(SC_ERR_TRUNCATED, check("d1:all"));
done:;
}

static void a_diff_nests_no_deeper_than_data(sc_test *t) {
  char text[6 * (SC_CONFIG_MAX_PATH + 2)];
  for (size_t keys = SC_CONFIG_MAX_PATH; keys <= SC_CONFIG_MAX_PATH + 1; keys++) {
    char *at = text;
    for (size_t i = 0; i < keys; i++, at += 4)
      memcpy(at, "d1:a", 4);
    memcpy(at, "0:", 2);
    memset(at + 2, 'e', keys);
    at[2 + keys] = '\0';
    FAILS(keys == SC_CONFIG_MAX_PATH ? SC_OK : SC_ERR_BT_DEPTH, check(text));
  }
done:;
}

static sc_status apply(sc_buffer *out, const sc_env *env, const char *data, const char *diff,
                       const char *source) {
  parsed_data changed = {0}, from = {0};
  uint8_t *at;
  sc_buffer_clear(out);
  sc_status status = parse_data(&changed, env, data);
  if (status == SC_OK)
    status = parse_data(&from, env, source);
  if (status == SC_OK)
    status = sc_config_diff_apply(&changed.root, env, sc_bytes_text(diff), from.root);
  if (status == SC_OK)
    status = sc_buffer_extend(&at, out, sc_config_tree_size(changed.root));
  if (status == SC_OK)
    sc_config_tree_write(at, changed.root);
  drop_data(env, &changed);
  drop_data(env, &from);
  return status;
}

typedef struct application {
  const char *data, *diff, *source, *result;
} application;

static void applies(sc_test *t, const application *cases, size_t count) {
  sc_buffer result;
  sc_buffer_init(&result, t->env);
  for (size_t i = 0; i < count; i++) {
    OK(apply(&result, t->env, cases[i].data, cases[i].diff, cases[i].source));
    SAME(sc_bytes_text(cases[i].result), sc_buffer_bytes(&result));
  }
done:
  sc_buffer_free(&result);
}

#define APPLIES(cases) applies(t, cases, sizeof(cases) / sizeof(cases)[0])

static void changes_are_applied_with_the_values_of_their_source(sc_test *t) {
  static const application cases[] = {
      {"de", "de", "d1:ai1ee", "de"},
      {"de", "d1:a0:e", "d1:ai1ee", "d1:ai1ee"},
      {"d1:ai1ee", "d1:a0:e", "d1:a1:xe", "d1:a1:xe"},
      {"d1:dd1:xi1eee", "d1:dd1:y0:ee", "d1:dd1:yi2eee", "d1:dd1:xi1e1:yi2eee"},
      {"de", "d1:dd1:y0:ee", "d1:dd1:yi2eee", "d1:dd1:yi2eee"},
      {"d1:sli1ei2eee", "d1:sll1:xeli1eeee", "d1:sl1:xee", "d1:sli2e1:xee"},
      {"de", "d1:slli1eeli1eeee", "d1:sl1:xee", "de"},
  };
  APPLIES(cases);
}

static void a_removal_erases_a_value_even_if_the_source_has_it_again(sc_test *t) {
  static const application cases[] = {
      {"d1:ai1ee", "d1:a1:-e", "d1:ai2ee", "de"},
      {"d1:ai1ee", "d1:a1:-e", "de", "de"},
  };
  APPLIES(cases);
}

static void a_value_missing_from_the_source_or_of_another_kind_is_erased(sc_test *t) {
  static const application cases[] = {
      {"d1:ai1ee", "d1:a0:e", "de", "de"},
      {"d1:ai1ee", "d1:a0:e", "d1:al1:xee", "de"},
      {"d1:ali1eee", "d1:alli2eeleee", "d1:ad1:xi1eee", "de"},
      {"d1:ad1:xi1eee", "d1:ad1:y0:ee", "d1:ai1ee", "de"},
      {"d1:cd1:xi1e1:yi2eee", "d1:cd1:x1:-ee", "de", "de"},
  };
  APPLIES(cases);
}

/* The source is the record itself. */
static void an_identical_record_is_changed_like_any_other(sc_test *t) {
  static const application cases[] = {
      {"d1:cd1:xi1eee", "d1:cd1:x0:ee", "d1:cd1:xi1eee", "d1:cd1:xi1eee"},
      {"d1:cd1:xi1eee", "d1:cd1:w0:1:w1:-ee", "d1:cd1:xi1eee", "d1:cd1:xi1eee"},
      {"d1:cd1:xi1e1:yi2eee", "d1:cd1:x0:1:y1:-ee", "d1:cd1:xi1e1:yi2eee", "d1:cd1:xi1eee"},
      {"d1:cd1:xi1e1:yd1:zi2eeee", "d1:cd1:y0:ee", "d1:cd1:xi1e1:yd1:zi2eeee", "d1:cd1:xi1eee"},
      {"d1:cd1:xi1e1:yi2eee", "d1:cd1:yd1:z0:eee", "d1:cd1:xi1e1:yi2eee", "d1:cd1:xi1eee"},
      {"d1:cd1:xli1ei2eeee", "d1:cd1:xlli3eeli1eeeee", "d1:cd1:xli1ei2eeee", "d1:cd1:xli2ei3eeee"},
      {"d1:cd1:yd1:zi2eeee", "d1:cd1:yd1:z0:eee", "d1:cd1:yd1:zi2eeee", "d1:cd1:yd1:zi2eeee"},
      {"d1:cd1:xi1e1:yd1:zi2eeee", "d1:cd1:yd1:z1:-eee", "d1:cd1:xi1e1:yd1:zi2eeee", "d1:cd1:xi1eee"},
  };
  APPLIES(cases);
}

static void a_value_of_another_kind_gives_way_to_dicts_and_sets(sc_test *t) {
  static const application cases[] = {
      {"d1:ai1ee", "d1:ad1:x0:ee", "d1:ad1:xi1eee", "d1:ad1:xi1eee"},
      {"d1:ai1ee", "d1:alli1eeleee", "d1:ali1eee", "d1:ali1eee"},
      {"d1:ad1:xi1eee", "d1:alleli1eeee", "d1:ali2eee", "de"},
      {"d1:a1:xe", "d1:ad1:x1:-ee", "d1:ad1:yi1eee", "de"},
  };
  APPLIES(cases);
}

/* The diff of two states turns the first into the second. */
static void applying_a_diff_to_the_old_state_gives_the_new_one(sc_test *t) {
  static const char *const states[] = {"de", "d1:ai1e1:dd1:xi1e1:yl1:aee1:sli1ei2eee",
                                       "d1:a1:x1:dd1:xd1:zi1eee1:tli3eee", "d1:dl1:ae1:sd1:k0:ee",
                                       "d1:ad1:bd1:ci1eee1:ci2ee"};
  enum { count = sizeof states / sizeof states[0] };
  sc_buffer diff, result;
  sc_buffer_init(&diff, t->env);
  sc_buffer_init(&result, t->env);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      OK(diff_of(&diff, t->env, states[i], states[j]));
      OK(sc_buffer_append_byte(&diff, 0));
      OK(apply(&result, t->env, states[i], (const char *)diff.ptr, states[j]));
      SAME(sc_bytes_text(states[j]), sc_buffer_bytes(&result));
    }
done:
  sc_buffer_free(&diff);
  sc_buffer_free(&result);
}

SUITE(config_diff, "config/diff", {"every kind of change has its mark", every_kind_of_change_has_its_mark},
      {"diffs are dicts of marks, lists and diffs", diffs_are_dicts_of_marks_lists_and_diffs},
      {"any other value in a diff is refused", any_other_value_in_a_diff_is_refused},
      {"a diff nests no deeper than data", a_diff_nests_no_deeper_than_data},
      {"changes are applied with the values of their source",
       changes_are_applied_with_the_values_of_their_source},
      {"a removal erases a value even if the source has it again",
       a_removal_erases_a_value_even_if_the_source_has_it_again},
      {"a value missing from the source or of another kind is erased",
       a_value_missing_from_the_source_or_of_another_kind_is_erased},
      {"an identical record is changed like any other", an_identical_record_is_changed_like_any_other},
      {"a value of another kind gives way to dicts and sets",
       a_value_of_another_kind_gives_way_to_dicts_and_sets},
      {"applying a diff to the old state gives the new one",
       applying_a_diff_to_the_old_state_gives_the_new_one});
