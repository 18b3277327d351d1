#include "config_script.h"

#include "config/hashes.h"
#include <stdio.h>

enum { most_devices = 16 };

typedef struct device {
  sc_bytes name;
  void *object;
  bool restored;
} device;

typedef struct stage {
  script script;
  const script_type *type;
  device devices[most_devices];
  size_t device_count;
} stage;

/* Values */

static const sc_json *element(const sc_json *list, size_t index) {
  const sc_json *value = NULL;
  return sc_json_element(&value, list, index) == SC_OK ? value : NULL;
}

const sc_json *script_enter(script *s, const char *field) {
  const sc_json *back = s->c->json;
  s->c->json = known_field(s->c, field);
  return back;
}

void script_leave(script *s, const sc_json *back) {
  s->c->json = back;
}

void script_remember(script *s, sc_bytes bytes) {
  if (!known_has(s->c, "label"))
    return;
  script_label *label;
  uint8_t *space;
  if (sc_buffer_extend(&space, known_buffer(s->c), sizeof *label) != SC_OK)
    return;
  label = (script_label *)(void *)space;
  *label = (script_label){s->labels, known_text(s->c, "label"), bytes};
  s->labels = label;
}

sc_bytes script_recall(script *s, const char *field) {
  sc_bytes name = known_text(s->c, field);
  for (const script_label *label = s->labels; label != NULL; label = label->next)
    if (sc_bytes_same(label->name, name))
      return label->bytes;
  known_differs(s->c, "nothing has the label %.*s", (int)name.len, (const char *)name.ptr);
  return sc_bytes_text("");
}

sc_keypair script_account(script *s) {
  sc_keypair account;
  const sc_json *step = s->c->json;
  s->c->json = s->whole;
  sc_keypair_from_seed(&account, known_key(s->c, "seed"));
  s->c->json = step;
  return account;
}

sc_status script_id(sc_id *out, script *s, const char *field) {
  return sc_id_parse(out, known_text(s->c, field));
}

sc_config_picture script_picture(script *s) {
  return (sc_config_picture){known_text(s->c, "url"), known_hex(s->c, "key")};
}

sc_bytes script_uncut_name(script *s, const char *field) {
  sc_bytes name = known_text(s->c, field);
  if (name.len > SC_CONFIG_MAX_NAME_BYTES &&
      sc_config_cut(name, SC_CONFIG_MAX_NAME_BYTES).len < SC_CONFIG_MAX_NAME_BYTES)
    s->names_differ = true;
  return name;
}

sc_status script_read_group(script_group *out, script *s) {
  const sc_json *step = s->c->json;
  out->admin = known_flag(s->c, "admin") ? &out->pair : NULL;
  out->keys = known_hex_list(s->c, "keys");
  s->c->json = s->whole;
  sc_ed25519_pair_from_seed(&out->pair, known_key(s->c, "group_seed"));
  sc_status status = script_id(&out->id, s, "group_id");
  s->c->json = step;
  return status;
}

static bool compares(const script *s) {
  return s->c->accepts && s->c->refusal == SC_OK;
}

static bool begins_with(sc_bytes whole, sc_bytes front) {
  return whole.len >= front.len && sc_bytes_same(sc_bytes_make(whole.ptr, front.len), front);
}

void script_same_text(script *s, const char *field, sc_bytes actual) {
  const sc_json *hex;
  if (!compares(s))
    return;
  if (!known_has(s->c, field)) {
    if (actual.len > 0)
      known_differs(s->c, "%s is %.*s, recorded is none", field, (int)actual.len, (const char *)actual.ptr);
    return;
  }
  const sc_json *value = known_field(s->c, field);
  if (sc_json_type_of(value) == SC_JSON_OBJECT && sc_json_member(&hex, value, "hex") == SC_OK) {
    const sc_json *back = script_enter(s, field);
    if (!s->names_differ || !begins_with(known_hex(s->c, "hex"), actual))
      known_same(s->c, "hex", actual);
    script_leave(s, back);
    return;
  }
  known_same_text(s->c, field, actual);
}

void script_same_integer(script *s, const char *field, int64_t actual) {
  if (!compares(s))
    return;
  if (known_has(s->c, field))
    known_same_integer(s->c, field, actual);
  else if (actual != 0)
    known_differs(s->c, "%s is %lld, recorded is none", field, (long long)actual);
}

void script_same_hex_or_null(script *s, const char *field, sc_bytes actual) {
  if (!compares(s))
    return;
  if (known_has(s->c, field))
    known_same(s->c, field, actual);
  else if (actual.len > 0)
    known_differs(s->c, "%s has %zu bytes, recorded is none", field, actual.len);
}

void script_same_picture(script *s, const char *field, const sc_config_picture *actual) {
  if (!compares(s))
    return;
  const sc_json *back = script_enter(s, field);
  known_same_text(s->c, "url", actual->url);
  known_same(s->c, "key", actual->key);
  script_leave(s, back);
}

sc_status script_told_erased(script *s, sc_status status, bool erased) {
  if (status != SC_OK || !compares(s))
    return status;
  const sc_json *step = script_enter(s, "result");
  known_same_flag(s->c, "erased", erased);
  script_leave(s, step);
  return status;
}

void script_same_texts(script *s, const char *field, const sc_bytes *actual, size_t count) {
  if (!compares(s))
    return;
  const sc_json *list = known_field(s->c, field);
  if (sc_json_count(list) != count)
    known_differs(s->c, "%s has %zu items, recorded are %zu", field, count, sc_json_count(list));
  for (size_t i = 0; i < count && i < sc_json_count(list); i++) {
    sc_bytes text = sc_bytes_text("");
    if (sc_json_string(&text, element(list, i)) != SC_OK || !sc_bytes_same(text, actual[i]))
      known_differs(s->c, "item %zu of %s is %.*s, recorded is %.*s", i, field, (int)actual[i].len,
                    (const char *)actual[i].ptr, (int)text.len, (const char *)text.ptr);
  }
}

void script_dispute(script *s, sc_bytes hash) {
  if (sc_config_hashes_add(&s->disputed, hash) != SC_OK)
    known_differs(s->c, "no hash: %.*s", (int)hash.len, (const char *)hash.ptr);
}

void script_decisions_print(void) {
  puts(
      "all scripts, where a config waits and its own message comes back: the message is not obsolete\n"
      "  the reference stores it again and then deletes it\n"
      "all scripts, where the message in use comes back: its hash is not among the old ones\n"
      "  the reference lists it as both, and would delete what it needs\n"
      "all scripts, where a rejected message came before the one in use: the hash of the one in use is "
      "current\n"
      "  the reference counts only the messages it could read, and takes the hash of another\n"
      "all scripts, where an admin's config was made from a dump: earlier revisions have the hashes they "
      "were\n"
      "published under\n"
      "  the reference takes hashes of what it saved, which is unsigned, so that admins disagree for "
      "nothing\n"
      "all scripts, where a name is cut inside of a character: it ends before that\n"
      "  the reference keeps half a character, which is no text any more\n"
      "all scripts, where a config does not fit one message: it is pushed without the wrapping, or in parts\n"
      "  the reference is older than those\n"
      "all scripts, where the edits of a config are too old to count: it is what the others say\n"
      "  the reference begins a revision of its own, which it does not push\n"
      "config_convo_info_volatile: conversations age as they did in 2025\n"
      "  the reference drops what is old, where we keep an archive unless a step says otherwise\n"
      "config_user_groups, where a room has the spelling of another: it is spelled as it is known\n"
      "  the reference shows any text for a room, and fails when it could not be one\n"
      "config_user_profile, where a picture has a url of more than 223 bytes: it is refused\n"
      "  other clients cannot hold it");
}

/* Devices */

static device *find_device(stage *on, sc_bytes name) {
  for (size_t i = 0; i < on->device_count; i++)
    if (sc_bytes_same(on->devices[i].name, name))
      return &on->devices[i];
  return NULL;
}

static sc_bytes device_name(stage *on) {
  return known_text(on->script.c, known_has(on->script.c, "client") ? "client" : "device");
}

static void remove_device(stage *on, sc_bytes name) {
  device *found = find_device(on, name);
  if (found == NULL)
    return;
  on->type->destroy(found->object);
  *found = on->devices[--on->device_count];
}

/* Our functions take an empty dump as none, so it is refused here. */
static sc_status given_dump(sc_bytes *out, script *s) {
  *out = sc_bytes_text("");
  if (known_has(s->c, "dump_ref"))
    *out = script_recall(s, "dump_ref");
  if (!known_has(s->c, "dump"))
    return SC_OK;
  *out = known_hex(s->c, "dump");
  return out->len == 0 ? SC_ERR_CONFIG_DUMP : SC_OK;
}

/* Replaces a device of that name, even if the new one cannot be made. */
static sc_status create_device(stage *on) {
  sc_bytes name = device_name(on);
  sc_bytes dump;
  void *object = NULL;
  remove_device(on, name);
  sc_status status = given_dump(&dump, &on->script);
  if (status == SC_OK)
    status = on->type->create(&object, &on->script, dump);
  if (status != SC_OK)
    return status;
  if (on->device_count == most_devices) {
    on->type->destroy(object);
    known_differs(on->script.c, "more than %d devices", most_devices);
    return SC_ERR_TOO_LARGE;
  }
  on->devices[on->device_count++] = (device){name, object, dump.len > 0};
  return SC_OK;
}

/* Steps */

static const script_step *find_step(const script_step *steps, size_t count, sc_bytes name) {
  for (size_t i = 0; i < count; i++)
    if (sc_bytes_same(sc_bytes_text(steps[i].name), name))
      return &steps[i];
  return NULL;
}

static sc_status act(stage *on) {
  known_case *c = on->script.c;
  sc_bytes name = known_text(c, "do");
  if (sc_bytes_same(name, sc_bytes_text("create")))
    return create_device(on);
  device *actor = find_device(on, device_name(on));
  const script_step *common = find_step(script_common_steps, script_common_step_count, name);
  on->script.restored = actor != NULL && actor->restored;
  if (actor != NULL && sc_config_active_hashes(&on->script.current, on->type->config(actor->object),
                                               on->script.now_ms) != SC_OK)
    known_differs(c, "its hashes cannot be listed");
  const script_step *own = find_step(on->type->steps, on->type->step_count, name);
  if (actor == NULL)
    known_differs(c, "there is no such device");
  else if (own != NULL)
    return own->run(&on->script, actor->object);
  else if (common != NULL)
    return common->run(&on->script, on->type->config(actor->object));
  else
    known_differs(c, "a step that is not known: %.*s", (int)name.len, (const char *)name.ptr);
  return SC_ERR_ARGUMENT;
}

static void settle(stage *on, sc_status status) {
  known_case *c = on->script.c;
  status = c->refusal != SC_OK ? c->refusal : status;
  if (c->accepts && status != SC_OK)
    known_differs(c, "rejected with %s", sc_status_name(status));
  if (!c->accepts && status == SC_OK)
    known_differs(c, "accepted, must be rejected");
  if (status == SC_ERR_NO_MEMORY)
    known_differs(c, "ran out of memory");
}

static bool was_accepted(script *s, sc_bytes hash) {
  const sc_json *accepted;
  if (sc_json_member(&accepted, s->c->json, "accepted") != SC_OK)
    return true;
  for (size_t i = 0; i < sc_json_count(accepted); i++) {
    sc_bytes other;
    if (sc_json_string(&other, element(accepted, i)) == SC_OK && sc_bytes_same(other, hash))
      return true;
  }
  return false;
}

/* The reference may have recorded the hash of a message that it rejected in this step. */
static void compare_current(script *s, const sc_config_hashes *current, const sc_json *after) {
  const sc_json *list;
  sc_bytes recorded;
  bool one_each = current->count == 1 && sc_json_member(&list, after, "current_hashes") == SC_OK &&
                  sc_json_count(list) == 1 && sc_json_string(&recorded, element(list, 0)) == SC_OK;
  if (one_each && !was_accepted(s, recorded) && was_accepted(s, current->items[0])) {
    script_dispute(s, recorded);
    script_dispute(s, current->items[0]);
  }
  if (one_each && sc_config_hashes_contain(&s->disputed, recorded) &&
      sc_config_hashes_contain(&s->disputed, current->items[0]))
    return;
  const sc_json *back = script_enter(s, "after");
  script_same_texts(s, "current_hashes", current->items, current->count);
  script_leave(s, back);
}

/* The device's state after the step, successful or not. */
static void compare_after(stage *on, sc_bytes name) {
  known_case *c = on->script.c;
  const device *actor = find_device(on, name);
  if (actor == NULL || !known_has(c, "after"))
    return;
  sc_config *config = on->type->config(actor->object);
  sc_config_hashes active;
  sc_config_hashes_init(&active, known_env(c));
  c->accepts = true;
  c->refusal = SC_OK;
  const sc_json *back = script_enter(&on->script, "after");
  const sc_json *after = c->json;
  known_same_flag(c, "needs_push", sc_config_needs_push(config));
  script_leave(&on->script, back);
  if (sc_config_active_hashes(&active, config, on->script.now_ms) == SC_OK)
    compare_current(&on->script, &active, after);
  sc_config_hashes_free(&active);
}

/* Adds the step to the flaw. */
static void name_step(stage *on, size_t index, const sc_json *step) {
  char flaw[known_flaw_chars];
  sc_bytes what = sc_bytes_text("?");
  if (on->script.c->flaw[0] == '\0')
    return;
  if (sc_json_member_string(&what, step, "do") != SC_OK)
    what = sc_bytes_text("?");
  snprintf(flaw, sizeof flaw, "step %zu, %.*s: %.*s", index, (int)what.len, (const char *)what.ptr,
           known_flaw_chars - 64, on->script.c->flaw);
  memcpy(on->script.c->flaw, flaw, sizeof flaw);
}

static void run_step(stage *on, size_t index, const sc_json *step) {
  known_case *c = on->script.c;
  c->json = step;
  if (known_has(c, "now_ms"))
    on->script.now_ms = known_unsigned(c, "now_ms");
  sc_bytes name = device_name(on);
  const sc_json *back = script_enter(&on->script, "result");
  c->accepts = sc_bytes_same(known_text(c, "expect"), sc_bytes_text("ok"));
  script_leave(&on->script, back);
  c->refusal = SC_OK;
  settle(on, act(on));
  script_enter(&on->script, "result");
  compare_after(on, name);
  name_step(on, index, step);
}

sc_status script_run(known_case *c, const script_type *type) {
  stage on = {.script = {.c = c, .whole = c->json}, .type = type};
  sc_config_hashes_init(&on.script.current, known_env(c));
  sc_config_hashes_init(&on.script.disputed, known_env(c));
  if (known_has(c, "now_ms"))
    on.script.now_ms = known_unsigned(c, "now_ms");
  const sc_json *steps = known_field(c, "steps");
  for (size_t i = 0; i < sc_json_count(steps) && c->flaw[0] == '\0'; i++)
    run_step(&on, i, element(steps, i));
  while (on.device_count > 0)
    remove_device(&on, on.devices[0].name);
  sc_config_hashes_free(&on.script.current);
  sc_config_hashes_free(&on.script.disputed);
  c->json = on.script.whole;
  c->accepts = true;
  c->refusal = SC_OK;
  return SC_OK;
}
