#include "session-core/config/mark.h"

#include "device.h"
#include "support/test.h"

/* The reported paths, as "a/b a/c ". */
typedef struct paths {
  char text[256];
  size_t len;
} paths;

static void note(void *user, const sc_bytes *keys, size_t count) {
  paths *p = user;
  for (size_t i = 0; i < count; i++) {
    memcpy(p->text + p->len, keys[i].ptr, keys[i].len);
    p->len += keys[i].len;
    p->text[p->len++] = i + 1 < count ? '/' : ' ';
  }
}

static bool changed(const sc_config_mark *mark, const sc_config *config, const char *expected) {
  paths p = {.len = 0};
  sc_config_changes_since(mark, config, note, &p);
  return sc_bytes_same(sc_bytes_make(p.text, p.len), sc_bytes_text(expected));
}

/* One key, or with `inner` two; NULL for `text` erases. */
static sc_status put(sc_config *config, const char *key, const char *inner, const char *text) {
  sc_bytes keys[2] = {sc_bytes_text(key)};
  sc_config_path path = {keys, 1};
  if (inner != NULL)
    keys[path.count++] = sc_bytes_text(inner);
  return text == NULL ? device_erase(config, path)
                      : device_set(config, path, sc_config_string(sc_bytes_text(text)));
}

static sc_status bits(sc_config *config, uint64_t on, uint64_t off) {
  sc_bytes key = sc_bytes_text("f");
  sc_config_change change;
  sc_config_change_begin(&change, config);
  sc_config_change_bits(&change, (sc_config_path){&key, 1}, on, off);
  return sc_config_change_end(&change);
}

static void added_removed_and_changed_values_are_reported(sc_test *t) {
  sc_config *config = NULL;
  sc_config_mark *mark = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(put(config, "a", "gone", "1"));
  OK(put(config, "a", "kept", "1"));
  OK(put(config, "a", "new value", "1"));
  OK(put(config, "n", NULL, "Name"));
  OK(sc_config_mark_new(&mark, config));
  CHECK(changed(mark, config, ""));
  OK(put(config, "a", "gone", NULL));
  OK(put(config, "a", "new value", "2"));
  OK(put(config, "b", "came", ""));
  OK(put(config, "n", NULL, NULL));
  CHECK(changed(mark, config, "a/gone a/new value b/came n "));
done:
  sc_config_mark_free(mark);
  sc_config_free(config);
}

static void values_of_an_added_or_removed_dict_are_reported(sc_test *t) {
  sc_config *config = NULL;
  sc_config_mark *empty = NULL, *full = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(sc_config_mark_new(&empty, config));
  OK(put(config, "a", "x", "1"));
  OK(put(config, "a", "y", "1"));
  CHECK(changed(empty, config, "a/x a/y "));
  OK(sc_config_mark_new(&full, config));
  OK(put(config, "a", NULL, NULL));
  CHECK(changed(empty, config, ""));
  CHECK(changed(full, config, "a/x a/y "));
  OK(put(config, "a", NULL, "text"));
  CHECK(changed(full, config, "a/x a/y a "));
done:
  sc_config_mark_free(empty);
  sc_config_mark_free(full);
  sc_config_free(config);
}

static void a_changed_set_is_reported_once(sc_test *t) {
  sc_config *config = NULL;
  sc_config_mark *mark = NULL;
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(bits(config, 3, 0));
  OK(sc_config_mark_new(&mark, config));
  OK(bits(config, 12, 1));
  CHECK(changed(mark, config, "f "));
  OK(bits(config, 1, 12));
  CHECK(changed(mark, config, ""));
done:
  sc_config_mark_free(mark);
  sc_config_free(config);
}

static void values_changed_by_a_merge_are_reported(sc_test *t) {
  sc_config *one = NULL, *other = NULL;
  sc_config_mark *mark = NULL;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&one, t->env, (sc_bytes){0}));
  OK(device_new(&other, t->env, (sc_bytes){0}));
  OK(put(one, "a", "x", "1"));
  OK(sc_config_push(&out, one, device_now_ms));
  OK(sc_config_mark_new(&mark, other));
  OK(device_merge(&effect, NULL, other, "h1", sc_config_stored_message(&out.messages, 0)));
  CHECK(effect == SC_CONFIG_ADOPTED);
  CHECK(changed(mark, other, "a/x "));
done:
  sc_config_outgoing_free(&out);
  sc_config_mark_free(mark);
  sc_config_free(one);
  sc_config_free(other);
}

SUITE(config_mark, "config/mark",
      {"added, removed and changed values are reported", added_removed_and_changed_values_are_reported},
      {"values of an added or removed dict are reported", values_of_an_added_or_removed_dict_are_reported},
      {"a changed set is reported once", a_changed_set_is_reported_once},
      {"values changed by a merge are reported", values_changed_by_a_merge_are_reported});
