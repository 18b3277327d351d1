/* Several devices edit, send and merge as the input says; or the input is the messages themselves. All
 * devices that merge the final messages come to the same bytes, in any order; and the merge settles them. */
#include "config/message.h"
#include "fuzz.h"

enum { most_messages = 12, most_edits = 6, longest_input = 4096 };

typedef struct history {
  sc_config_message *messages[most_messages];
  size_t count;
  sc_config_rules rules;
} history;

typedef struct outcome {
  sc_config_message *message;
  sc_config_merged how;
  sc_buffer written;
} outcome;

static void keep(history *h, sc_config_message *message) {
  if (h->count < most_messages)
    h->messages[h->count++] = message;
  else
    sc_config_message_free(message);
}

static void merge(outcome *out, sc_config_message **messages, size_t count, const sc_config_rules *rules) {
  REQUIRE(sc_config_message_merge(&out->message, &out->how, (const sc_config_message *const *)messages, count,
                                  rules) == SC_OK);
  sc_buffer_init(&out->written, fuzz_env());
  REQUIRE(sc_config_message_write(&out->written, out->message, rules) == SC_OK);
}

static void free_outcome(outcome *o) {
  sc_config_message_free(o->message);
  sc_buffer_free(&o->written);
}

static sc_config_value take_scalar(sc_bytes *input) {
  uint8_t byte = fuzz_take_byte(input);
  return byte & 1 ? sc_config_integer((byte >> 1) - 60) : sc_config_string(fuzz_take(input, byte >> 1 & 3));
}

/* Few keys, so that edits meet. */
static void edit(sc_config_message *message, sc_bytes *input) {
  static const char letters[] = "abc";
  sc_bytes keys[3];
  uint8_t byte = fuzz_take_byte(input);
  size_t count = 1 + byte % 3;
  for (size_t i = 0; i < count; i++, byte = fuzz_take_byte(input))
    keys[i] = sc_bytes_make(&letters[(byte >> 4) % 3], 1);
  sc_config_path path = {keys, count};
  sc_config_value value = take_scalar(input);
  switch (byte % 4) {
  case 0:
    REQUIRE(sc_config_message_set(message, path, value) == SC_OK);
    return;
  case 1:
    REQUIRE(sc_config_message_erase(message, path) == SC_OK);
    return;
  case 2:
    REQUIRE(sc_config_message_add(message, path, value) == SC_OK);
    return;
  default:
    REQUIRE(sc_config_message_remove(message, path, value) == SC_OK);
  }
}

/* Frozen and sent must be the same. */
static void publish(history *h, const sc_config_message *edited) {
  sc_config_message *frozen, *sent;
  sc_buffer bytes, again;
  sc_buffer_init(&bytes, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  REQUIRE(sc_config_message_freeze(&frozen, edited, &h->rules) == SC_OK);
  REQUIRE(sc_config_message_write(&bytes, edited, &h->rules) == SC_OK);
  REQUIRE(sc_config_message_write(&again, frozen, &h->rules) == SC_OK);
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&bytes), sc_buffer_bytes(&again)));
  REQUIRE(sc_config_message_parse(&sent, fuzz_env(), sc_buffer_bytes(&bytes), &h->rules) == SC_OK);
  bool keeps_frozen = h->count % 2 == 0;
  keep(h, keeps_frozen ? frozen : sent);
  sc_config_message_free(keeps_frozen ? sent : frozen);
  sc_buffer_free(&bytes);
  sc_buffer_free(&again);
}

/* One revision: of one or two messages, with some edits. */
static void revise(history *h, sc_bytes *input) {
  uint8_t byte = fuzz_take_byte(input);
  sc_config_message *parents[] = {h->messages[byte % h->count], h->messages[(byte >> 4) % h->count]};
  sc_config_message *edited;
  outcome o;
  merge(&o, parents, 2, &h->rules);
  if (o.how.resolved)
    REQUIRE(sc_config_message_reopen(&edited, o.message, byte % 2 == 0) == SC_OK);
  else
    REQUIRE(sc_config_message_increment(&edited, o.message, &h->rules) == SC_OK);
  for (uint8_t edits = fuzz_take_byte(input) % most_edits; edits > 0; edits--)
    edit(edited, input);
  publish(h, edited);
  sc_config_message_free(edited);
  free_outcome(&o);
}

static void play(history *h, sc_bytes input) {
  sc_config_message *initial;
  REQUIRE(sc_config_message_parse(&initial, fuzz_env(), sc_bytes_text("d1:#i0e1:&de1:<le1:=dee"), NULL) ==
          SC_OK);
  keep(h, initial);
  while (input.len > 0 && h->count < most_messages)
    revise(h, &input);
}

/* Each after its length. */
static void read_messages(history *h, sc_bytes input) {
  while (input.len > 0 && h->count < most_messages) {
    size_t len = (size_t)fuzz_take_byte(&input) << 8;
    len |= fuzz_take_byte(&input);
    sc_config_message *message;
    if (sc_config_message_parse(&message, fuzz_env(), fuzz_take(&input, len), &h->rules) == SC_OK)
      keep(h, message);
  }
}

static void require_same(const outcome *a, const outcome *b) {
  REQUIRE(sc_bytes_same(sc_buffer_bytes(&a->written), sc_buffer_bytes(&b->written)));
}

static void check_orders(const history *h, const outcome *expected) {
  sc_config_message *other[2 * most_messages];
  outcome o;
  for (size_t i = 0; i < h->count; i++)
    other[i] = h->messages[h->count - 1 - i];
  merge(&o, other, h->count, &h->rules);
  require_same(expected, &o);
  free_outcome(&o);
  for (size_t i = 0; i < h->count; i++)
    other[h->count + i] = h->messages[(i + 1) % h->count];
  merge(&o, other, 2 * h->count, &h->rules);
  require_same(expected, &o);
  free_outcome(&o);
}

/* Nothing is left to be resolved between it and what it was made of. */
static void check_settled(const history *h, const outcome *merged) {
  sc_config_message *all[most_messages + 1];
  outcome o;
  memcpy(all, h->messages, h->count * sizeof *all);
  all[h->count] = merged->message;
  merge(&o, all, h->count + 1, &h->rules);
  REQUIRE(!o.how.resolved);
  require_same(merged, &o);
  free_outcome(&o);
  merge(&o, &all[h->count], 1, &h->rules);
  REQUIRE(!o.how.resolved && o.how.chosen == 0);
  require_same(merged, &o);
  free_outcome(&o);
}

static void check_readable(const outcome *merged, const sc_config_rules *rules) {
  sc_config_message *message;
  REQUIRE(sc_config_message_parse(&message, fuzz_env(), sc_buffer_bytes(&merged->written), rules) == SC_OK);
  sc_config_message_free(message);
}

static void check(const history *h) {
  sc_config_message *messages[most_messages];
  outcome merged;
  memcpy(messages, h->messages, sizeof messages);
  merge(&merged, messages, h->count, &h->rules);
  check_orders(h, &merged);
  check_settled(h, &merged);
  check_readable(&merged, &h->rules);
  free_outcome(&merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_bytes input = sc_bytes_make(data, size < longest_input ? size : longest_input);
  uint8_t mode = fuzz_take_byte(&input);
  history h = {.rules = {.lag = (uint8_t)(mode >> 1 & 7)}};
  REQUIRE(sc_init() == SC_OK);
  if (mode & 1)
    read_messages(&h, input);
  else
    play(&h, input);
  if (h.count > 0)
    check(&h);
  for (size_t i = 0; i < h.count; i++)
    sc_config_message_free(h.messages[i]);
  return 0;
}
