/* The cost of sealing and opening with the ratchet, for one device and for several. The floor is the
 * encryption of the same content to a contact without forward secrecy. */
#include "bench.h"

enum {
  content_bytes = 200,
  most_devices = 8,
  now_s = 1800000000,
};

static const double most_times = 1.3;

typedef struct party {
  sc_account account;
  sc_ratchet_device device;
  sc_ratchet_prekeys prekeys;
  sc_buffer published;
  sc_ratchet_bundle bundle;
} party;

static struct {
  party alice;
  party devices[most_devices];
  sc_ratchet_session *to[most_devices]; /* Alice's sessions */
  sc_ratchet_session *from[most_devices];
  sc_buffer state;  /* of from[0], before the message below */
  sc_buffer turned; /* of to[0], before an answer */
  sc_buffer content;
  sc_buffer body;
  sc_buffer message; /* that from[0] opens */
  sc_buffer answer;  /* that to[0] opens with a new chain */
  sc_buffer plain;   /* a message without the ratchet */
  sc_buffer start;   /* that starts a session */
} world;

static void make_party(party *out, uint8_t number) {
  const uint8_t account_seed[SC_SEED_BYTES] = {number}, device_seed[SC_KEY_BYTES] = {number};
  sc_ratchet_public_prekeys prekeys;
  sc_account_from_seed(&out->account, account_seed);
  sc_ratchet_device_make(&out->device, &out->account, device_seed, now_s);
  sc_ratchet_prekeys_generate(&out->prekeys, NULL, 1, 1);
  sc_ratchet_prekeys_public(&prekeys, &out->prekeys);
  const sc_ratchet_bundle bundle = {
      .sequence = 1,
      .signed_s = now_s,
      .generation = 1,
      .signed_prekey = SC_BYTES(prekeys.signed_prekey),
      .kem_key = SC_BYTES(prekeys.kem_key),
      .one_time = sc_bytes_make(prekeys.one_time, prekeys.one_time_bytes),
      .roster = SC_BYTES(out->device.keys.ed.public_key),
  };
  BENCH_OK(sc_ratchet_bundle_write(&out->published, &bundle, &out->device, &out->account));
  BENCH_OK(
      sc_ratchet_bundle_open(&out->bundle, NULL, sc_buffer_bytes(&out->published), &out->account.id, now_s));
}

static const sc_ratchet_open_options options = {.now_s = now_s};

static void seal_with(sc_buffer *out, sc_ratchet_session *const *sessions, size_t count) {
  BENCH_OK(sc_ratchet_seal(out, bench_env(), sessions, count, sc_buffer_bytes(&world.body), NULL));
}

static void open_with(sc_buffer *message, sc_ratchet_session *session) {
  sc_ratchet_envelope envelope;
  sc_buffer out;
  size_t index;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(message)));
  BENCH_OK(sc_ratchet_open(&out, &index, bench_env(), &envelope, &session, 1, &options));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static sc_ratchet_session *open_start(const sc_buffer *message, const party *to) {
  sc_ratchet_envelope envelope;
  sc_ratchet_start starts[SC_RATCHET_MAX_SLOTS];
  sc_ratchet_certificate sender;
  sc_ratchet_session *session;
  sc_buffer out;
  size_t count;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(message)));
  BENCH_OK(sc_ratchet_starts(starts, &count, &envelope, &to->device));
  if (count != 1)
    bench_stop(__FILE__, __LINE__, "sc_ratchet_starts", SC_ERR_RATCHET_OTHER);
  BENCH_OK(sc_ratchet_open_start(&out, &session, &sender, bench_env(), &envelope, &starts[0], &to->device,
                                 &to->prekeys, &options));
  sc_buffer_free(&out);
  return session;
}

/* Every device has been heard. */
static void meet(size_t i) {
  sc_buffer sealed = {0};
  BENCH_OK(sc_ratchet_session_start(&world.to[i], bench_env(), &world.alice.device, &world.devices[i].bundle,
                                    0, now_s));
  seal_with(&sealed, &world.to[i], 1);
  world.from[i] = open_start(&sealed, &world.devices[i]);
  if (i == 0)
    BENCH_OK(sc_buffer_append(&world.start, sc_buffer_bytes(&sealed)));
  seal_with(&sealed, &world.from[i], 1);
  open_with(&sealed, world.to[i]);
  sc_buffer_free(&sealed);
}

static void make_bodies(void) {
  char text[content_bytes];
  memset(text, 'm', sizeof text);
  const sc_message_body hello = {
      .kind = SC_MESSAGE_VISIBLE, .sent_ms = 1750000000123, .of.visible = {.text = SC_BYTES(text)}};
  BENCH_OK(sc_message_body_write(&world.content, &hello, NULL));
  const sc_ratchet_body body = {.content = sc_buffer_bytes(&world.content)};
  BENCH_OK(sc_ratchet_body_write(&world.body, &body));
}

static void make_world(void) {
  make_bodies();
  make_party(&world.alice, 1);
  for (size_t i = 0; i < most_devices; i++) {
    make_party(&world.devices[i], (uint8_t)(i + 2));
    meet(i);
  }
  sc_buffer first = {0};
  seal_with(&first, world.to, 1);
  open_with(&first, world.from[0]);
  BENCH_OK(sc_ratchet_session_save(&world.state, world.from[0]));
  BENCH_OK(sc_ratchet_session_save(&world.turned, world.to[0]));
  seal_with(&world.message, world.to, 1);
  seal_with(&world.answer, world.from, 1);
  BENCH_OK(sc_encode_for_contact(&world.plain, NULL, &world.alice.account.keys, &world.devices[0].account.id,
                                 sc_buffer_bytes(&world.content), 1750000000123, NULL));
  sc_buffer_free(&first);
}

static void seal_plain(void *user) {
  (void)user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  BENCH_OK(sc_encode_for_contact(&out, bench_env(), &world.alice.account.keys, &world.devices[0].account.id,
                                 sc_buffer_bytes(&world.content), 1750000000123, NULL));
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

static void open_plain(void *user) {
  static const uint8_t no_pro_backend[32];
  (void)user;
  sc_message *message;
  BENCH_OK(sc_decode_from_contact(&message, bench_env(), &world.devices[0].account.keys.x, 1, no_pro_backend,
                                  sc_buffer_bytes(&world.plain)));
  bench_keep(message);
  sc_message_free(message);
}

static void seal_ours(void *user) {
  const size_t *count = user;
  sc_buffer out;
  sc_buffer_init(&out, bench_env());
  seal_with(&out, world.to, *count);
  bench_keep(out.ptr);
  sc_buffer_free(&out);
}

/* With the loading and saving of the state around it, as a program does. */
static void seal_stored(void *user) {
  (void)user;
  sc_buffer out, saved;
  sc_ratchet_session *session;
  sc_buffer_init(&out, bench_env());
  sc_buffer_init(&saved, bench_env());
  BENCH_OK(sc_ratchet_session_load(&session, bench_env(), sc_buffer_bytes(&world.turned), NULL, 0));
  seal_with(&out, &session, 1);
  BENCH_OK(sc_ratchet_session_save(&saved, session));
  bench_keep(saved.ptr);
  sc_ratchet_session_free(session);
  sc_buffer_free(&out);
  sc_buffer_free(&saved);
}

/* The same message each time, with the state that was there before it. */
static void open_stored(sc_buffer *state, sc_buffer *message) {
  sc_buffer saved;
  sc_ratchet_session *session;
  sc_buffer_init(&saved, bench_env());
  BENCH_OK(sc_ratchet_session_load(&session, bench_env(), sc_buffer_bytes(state), NULL, 0));
  open_with(message, session);
  BENCH_OK(sc_ratchet_session_save(&saved, session));
  bench_keep(saved.ptr);
  sc_ratchet_session_free(session);
  sc_buffer_free(&saved);
}

static void open_in_chain(void *user) {
  (void)user;
  open_stored(&world.state, &world.message);
}

static void open_answer(void *user) {
  (void)user;
  open_stored(&world.turned, &world.answer);
}

static void start_session(void *user) {
  (void)user;
  sc_ratchet_session *session;
  BENCH_OK(sc_ratchet_session_start(&session, bench_env(), &world.alice.device, &world.devices[0].bundle, 0,
                                    now_s));
  bench_keep(session);
  sc_ratchet_session_free(session);
}

static void open_first(void *user) {
  (void)user;
  sc_ratchet_session_free(open_start(&world.start, &world.devices[0]));
}

static void run(const char *name, bench_body ours, bench_body floor, const char *floor_name, void *user,
                bench_goal goal, double target) {
  const bench_case figure = {
      .name = name,
      .ours = ours,
      .floor = floor,
      .floor_name = floor_name,
      .user = user,
      .amount = 1,
      .measure = BENCH_US_PER_OP,
      .goal = goal,
      .target = target,
      .count_allocations = true,
  };
  bench_run(&figure);
}

/* The tag keys of 2000 sessions against one message. */
static void find_session(void *user) {
  const uint8_t *keys = user;
  sc_ratchet_envelope envelope;
  BENCH_OK(sc_ratchet_envelope_parse(&envelope, sc_buffer_bytes(&world.message)));
  int found = 0;
  for (size_t i = 0; i < 2000; i++)
    found += sc_ratchet_envelope_has_tag(&envelope, keys + SC_RATCHET_TAG_KEY_BYTES * i);
  bench_keep(&found);
}

int main(int argc, char **argv) {
  static size_t one = 1, eight = most_devices;
  static uint8_t keys[2000 * SC_RATCHET_TAG_KEY_BYTES];
  bench_begin(argc, argv);
  make_world();
  sc_random(NULL, keys, sizeof keys);
  const char *seal_floor = "a message to a contact", *open_floor = "a message of a contact";
  run("ratchet/seal 1 device", seal_ours, seal_plain, seal_floor, &one, BENCH_TIME_RATIO_AT_MOST, most_times);
  run("ratchet/load, seal, save", seal_stored, seal_plain, seal_floor, NULL, BENCH_TIME_RATIO_AT_MOST,
      most_times);
  run("ratchet/seal 8 devices", seal_ours, seal_plain, seal_floor, &eight, BENCH_TIME_RATIO_AT_MOST, 2);
  run("ratchet/load, open, save", open_in_chain, open_plain, open_floor, NULL, BENCH_TIME_RATIO_AT_MOST, 0.5);
  run("ratchet/load, open, save, new chain", open_answer, open_plain, open_floor, NULL,
      BENCH_TIME_RATIO_AT_MOST, most_times);
  run("ratchet/start", start_session, NULL, NULL, NULL, BENCH_FIGURE_AT_MOST, 1000);
  run("ratchet/open a start", open_first, NULL, NULL, NULL, BENCH_FIGURE_AT_MOST, 1000);
  run("ratchet/find 2000 tag keys", find_session, NULL, NULL, keys, BENCH_FIGURE_AT_MOST, 200);
  return 0;
}
