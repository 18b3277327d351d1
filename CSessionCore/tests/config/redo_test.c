#include "config/object.h"
#include "device.h"
#include "session-core/config/mark.h"
#include "support/test.h"

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

/* True if the data is this bt. */
static bool holds(const sc_config *config, const char *bt) {
  sc_buffer data;
  const sc_config_node *root = sc_config_data(config);
  uint8_t *at;
  sc_buffer_init(&data, NULL);
  bool same = sc_buffer_extend(&at, &data, sc_config_tree_size(root)) == SC_OK;
  if (same) {
    sc_config_tree_write(at, root);
    same = sc_bytes_same(sc_buffer_bytes(&data), sc_bytes_text(bt));
  }
  sc_buffer_free(&data);
  return same;
}

/* A config that is edited, and a copy that other devices have changed since. */
typedef struct stage {
  sc_config *mine, *theirs;
  sc_config_mark *from, *to;
  bool changed;
} stage;

static sc_status both(stage *s, const char *key, const char *inner, const char *text) {
  sc_status status = put(s->mine, key, inner, text);
  return status == SC_OK ? put(s->theirs, key, inner, text) : status;
}

static sc_status stage_open(stage *s, const sc_env *env) {
  *s = (stage){0};
  sc_status status = device_new(&s->mine, env, (sc_bytes){0});
  return status == SC_OK ? device_new(&s->theirs, env, (sc_bytes){0}) : status;
}

static sc_status stage_begin(stage *s) {
  return sc_config_mark_new(&s->from, s->mine);
}

static sc_status stage_redo(stage *s) {
  sc_status status = sc_config_mark_new(&s->to, s->mine);
  return status == SC_OK ? sc_config_redo(&s->changed, s->theirs, s->from, s->to) : status;
}

static void stage_close(stage *s) {
  sc_config_mark_free(s->from);
  sc_config_mark_free(s->to);
  sc_config_free(s->mine);
  sc_config_free(s->theirs);
}

static void edits_are_replayed_next_to_those_of_other_devices(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(both(&s, "a", "erased", "1"));
  OK(both(&s, "a", "kept", "1"));
  OK(both(&s, "a", "set", "1"));
  OK(stage_begin(&s));
  OK(put(s.mine, "a", "set", "2"));
  OK(put(s.mine, "a", "erased", NULL));
  OK(put(s.mine, "a", "new", "2"));
  OK(put(s.mine, "b", "new", "2"));
  OK(put(s.theirs, "a", "other", "3"));
  OK(put(s.theirs, "c", NULL, "3"));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(sc_config_needs_push(s.theirs));
  CHECK(holds(s.theirs, "d1:ad4:kept1:13:new1:25:other1:33:set1:2e1:bd3:new1:2e1:c1:3e"));
done:
  stage_close(&s);
}

static void later_changes_by_other_devices_are_kept(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(both(&s, "a", NULL, "1"));
  OK(both(&s, "b", NULL, "1"));
  OK(both(&s, "c", NULL, "1"));
  OK(both(&s, "e", "x", "1"));
  OK(stage_begin(&s));
  OK(put(s.mine, "a", NULL, "2"));
  OK(put(s.mine, "b", NULL, NULL));
  OK(put(s.mine, "c", NULL, "2"));
  OK(put(s.mine, "d", NULL, "2"));
  OK(put(s.theirs, "a", NULL, "3"));
  OK(put(s.theirs, "b", NULL, "3"));
  OK(put(s.theirs, "c", NULL, NULL));
  OK(put(s.theirs, "d", "e", "3"));
  OK(put(s.mine, "e", NULL, NULL));
  OK(put(s.theirs, "e", NULL, "3"));
  OK(stage_redo(&s));
  CHECK(!s.changed);
  CHECK(holds(s.theirs, "d1:a1:31:b1:31:dd1:e1:3e1:e1:3e"));
done:
  stage_close(&s);
}

static void a_record_removed_by_another_device_does_not_partly_return(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(both(&s, "a", "name", "1"));
  OK(both(&s, "b", "name", "1"));
  OK(both(&s, "z", NULL, "1"));
  OK(stage_begin(&s));
  OK(put(s.mine, "a", "nickname", "2"));
  OK(put(s.theirs, "a", NULL, NULL));
  OK(put(s.mine, "b", NULL, NULL));
  OK(put(s.theirs, "b", "nickname", "3"));
  OK(stage_redo(&s));
  CHECK(!s.changed);
  CHECK(holds(s.theirs, "d1:bd4:name1:18:nickname1:3e1:z1:1e"));
done:
  stage_close(&s);
}

static void a_removal_is_replayed_and_a_record_made_twice_is_merged(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(both(&s, "a", "name", "1"));
  OK(stage_begin(&s));
  OK(put(s.mine, "a", NULL, NULL));
  OK(put(s.mine, "b", "name", "2"));
  OK(put(s.mine, "b", "nickname", "2"));
  OK(put(s.theirs, "b", "name", "3"));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(holds(s.theirs, "d1:bd4:name1:38:nickname1:2ee"));
done:
  stage_close(&s);
}

static void sets_merge_the_edits_of_both_sides(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(bits(s.mine, 7, 0));
  OK(bits(s.theirs, 7, 0));
  OK(stage_begin(&s));
  OK(bits(s.mine, 8, 1));
  OK(bits(s.theirs, 16, 2));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(holds(s.theirs, "d1:fli2ei3ei4eee"));
done:
  stage_close(&s);
}

static void without_a_base_the_last_revision_is_replayed(sc_test *t) {
  stage s;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(stage_open(&s, t->env));
  OK(put(s.mine, "a", NULL, "1"));
  OK(put(s.mine, "b", NULL, "1"));
  OK(sc_config_push(&out, s.mine, device_now_ms));
  OK(put(s.theirs, "a", NULL, "3"));
  OK(put(s.theirs, "c", NULL, "3"));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(holds(s.theirs, "d1:a1:11:b1:11:c1:3e"));
done:
  sc_config_outgoing_free(&out);
  stage_close(&s);
}

/* In a section, like contacts. */
static sc_status put_record(sc_config *config, const char *section, const char *id, const char *text) {
  const sc_bytes keys[] = {sc_bytes_text(section), sc_bytes_text(id), sc_bytes_text("n")};
  return device_set(config, (sc_config_path){keys, 3}, sc_config_string(sc_bytes_text(text)));
}

/* On a server, next to its key. */
static sc_status put_room(sc_config *config, const char *server, const char *room) {
  const sc_bytes server_key[] = {sc_bytes_text("o"), sc_bytes_text(server), sc_bytes_text("#")};
  const sc_bytes keys[] = {sc_bytes_text("o"), sc_bytes_text(server), sc_bytes_text("R"), sc_bytes_text(room),
                           sc_bytes_text("n")};
  sc_status status = device_set(config, (sc_config_path){server_key, 3}, TEXT("k"));
  return status == SC_OK ? device_set(config, (sc_config_path){keys, 5}, TEXT("r")) : status;
}

static void replayed_removals_spare_other_devices_additions(sc_test *t) {
  stage s;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(stage_open(&s, t->env));
  sc_config *const all[] = {s.mine, s.theirs};
  for (size_t i = 0; i < 2; i++) {
    OK(put_record(all[i], "c", "x", "1"));
    OK(put_record(all[i], "g", "x", "1"));
    OK(put_room(all[i], "s", "a"));
    OK(put_room(all[i], "u", "a"));
  }
  OK(device_publish(&out, s.mine, "h1"));
  OK(put(s.mine, "c", NULL, NULL));
  OK(put(s.mine, "g", NULL, NULL));
  OK(put(s.mine, "o", NULL, NULL));
  OK(sc_config_push(&out, s.mine, device_now_ms));
  OK(put_record(s.theirs, "c", "y", "3"));
  OK(put(s.theirs, "c", "z", "3"));
  OK(put_room(s.theirs, "s", "b"));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(holds(s.theirs, "d1:cd1:yd1:n1:3e1:z1:3e1:od1:sd1:#1:k1:Rd1:bd1:n1:reeeee"));
done:
  sc_config_outgoing_free(&out);
  stage_close(&s);
}

static sc_status receive(sc_config *config, const sc_config_outgoing *out, const char *hash,
                         sc_config_effect expected) {
  sc_config_effect effect;
  sc_status status = device_merge(&effect, NULL, config, hash, device_message(out));
  return status == SC_OK && effect != expected ? SC_ERR_STATE : status;
}

/* As after a restart of the program. */
static sc_status start_anew(stage *s, sc_buffer *dump) {
  sc_status status = sc_config_dump(dump, s->mine, device_now_ms);
  sc_config_free(s->mine);
  s->mine = NULL;
  return status == SC_OK ? device_new(&s->mine, dump->env, sc_buffer_bytes(dump)) : status;
}

static void values_from_a_merge_are_not_replayed_as_edits(sc_test *t) {
  stage s;
  sc_config *other = NULL;
  sc_config_outgoing out;
  sc_buffer dump;
  sc_buffer_init(&dump, t->env);
  sc_config_outgoing_init(&out, t->env);
  OK(stage_open(&s, t->env));
  OK(device_new(&other, t->env, (sc_bytes){0}));
  OK(put(s.mine, "a", NULL, "1"));
  OK(device_publish(&out, s.mine, "h1"));
  OK(put(other, "b", NULL, "1"));
  OK(device_publish(&out, other, "h2"));
  OK(receive(s.mine, &out, "h2", SC_CONFIG_RESOLVED));
  OK(put(s.theirs, "a", NULL, "3"));
  for (int pushed = 0; pushed < 2; pushed++) {
    if (pushed)
      OK(sc_config_push(&out, s.mine, device_now_ms));
    OK(start_anew(&s, &dump));
    OK(stage_redo(&s));
    CHECK(!s.changed);
    CHECK(holds(s.theirs, "d1:a1:3e"));
    sc_config_mark_free(s.to);
    s.to = NULL;
  }
  OK(put(s.mine, "b", NULL, "2"));
  OK(start_anew(&s, &dump));
  OK(stage_redo(&s));
  CHECK(s.changed);
  CHECK(holds(s.theirs, "d1:a1:31:b1:2e"));
done:
  sc_config_free(other);
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  stage_close(&s);
}

/* A config pushed again under a newer key is not this device's own edit. */
static void messages_signed_by_others_are_left_alone(sc_test *t) {
  static const uint8_t newer[32] = {8};
  stage s = {0};
  sc_config *admin = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_group_new(&admin, t->env, true, (sc_bytes){0}));
  OK(device_group_new(&s.mine, t->env, true, (sc_bytes){0}));
  OK(device_group_new(&s.theirs, t->env, true, (sc_bytes){0}));
  OK(put(admin, "a", NULL, "1"));
  OK(sc_config_push(&out, admin, device_now_ms));
  OK(sc_config_add_key(s.mine, SC_BYTES(newer), true, false));
  OK(receive(s.mine, &out, "h1", SC_CONFIG_ADOPTED));
  CHECK(sc_config_needs_push(s.mine));
  OK(put(s.theirs, "a", NULL, "3"));
  OK(stage_redo(&s));
  CHECK(!s.changed);
  CHECK(holds(s.theirs, "d1:a1:3e"));
done:
  sc_config_free(admin);
  sc_config_outgoing_free(&out);
  stage_close(&s);
}

static void without_edits_nothing_is_replayed(sc_test *t) {
  stage s;
  OK(stage_open(&s, t->env));
  OK(both(&s, "a", NULL, "1"));
  OK(stage_begin(&s));
  OK(put(s.theirs, "a", NULL, "3"));
  OK(stage_redo(&s));
  CHECK(!s.changed);
  CHECK(holds(s.theirs, "d1:a1:3e"));
done:
  stage_close(&s);
}

SUITE(config_redo, "config/redo",
      {"edits are replayed next to those of other devices",
       edits_are_replayed_next_to_those_of_other_devices},
      {"later changes by other devices are kept", later_changes_by_other_devices_are_kept},
      {"a record removed by another device does not partly return",
       a_record_removed_by_another_device_does_not_partly_return},
      {"a removal is replayed, and a record made twice is merged",
       a_removal_is_replayed_and_a_record_made_twice_is_merged},
      {"sets merge the edits of both sides", sets_merge_the_edits_of_both_sides},
      {"without a base the last revision is replayed", without_a_base_the_last_revision_is_replayed},
      {"replayed removals spare other devices' additions", replayed_removals_spare_other_devices_additions},
      {"values from a merge are not replayed as edits", values_from_a_merge_are_not_replayed_as_edits},
      {"messages signed by others are left alone", messages_signed_by_others_are_left_alone},
      {"without edits nothing is replayed", without_edits_nothing_is_replayed});
