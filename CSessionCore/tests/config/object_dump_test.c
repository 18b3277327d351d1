#include "device.h"

#define INITIAL_BYTES                                                                                        \
  "\xea\x17\x3b\x57\xbe\xca\x8a\xf1\x8c\x35\x19\xa7\xbb\xf6\x9c\x3e\x7a\x05\xd1\xc0\x49\xfa\x95\x58\x34\x1d" \
  "\x8e\xbb\x48\xb0\xc9\x65"
/* The first revision of a name. */
#define FIRST "d1:#i1e1:&d1:n6:Kalliee1:<lli0e32:" INITIAL_BYTES "deee1:=d1:n0:ee"
/* The hashes of a clean config. */
#define HASHES_OF_IT "1:(l2:h1e1:)le"

static sc_status set_name(sc_config *config) {
  return device_set(config, PATH1("n"), TEXT("Kallie"));
}

static void a_dump_holds_the_whole_state(sc_test *t) {
  sc_config *config = NULL;
  sc_config_outgoing out;
  sc_config_outgoing_init(&out, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  device_dump_is(t, "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*de1:+dee", config);
  STOP_IF_FAILED;
  OK(set_name(config));
  CHECK(sc_config_needs_dump(config));
  device_dump_is(t, "d1:!i1e1:$81:" FIRST "1:(le1:)le1:*de1:+dee", config);
  STOP_IF_FAILED;
  CHECK(!sc_config_needs_dump(config));
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(sc_config_needs_dump(config));
  device_dump_is(t, "d1:!i2e1:$81:" FIRST "1:(le1:)le1:*de1:+dee", config);
  STOP_IF_FAILED;
  const sc_bytes hash = sc_bytes_text("h1");
  OK(sc_config_confirm(config, 1, &hash, 1));
  CHECK(sc_config_needs_dump(config));
  device_dump_is(t, "d1:!i0e1:$81:" FIRST HASHES_OF_IT "1:*de1:+dee", config);
  STOP_IF_FAILED;
  OK(sc_config_push(&out, config, device_now_ms));
  CHECK(!sc_config_needs_dump(config));
  OK(device_erase(config, PATH1("n")));
  OK(device_set(config, PATH1("n"), TEXT("Kallie")));
  CHECK(sc_config_seqno(config) == 2);
done:
  sc_config_outgoing_free(&out);
  sc_config_free(config);
}

static void an_unconfirmed_push_is_still_unconfirmed_after_a_restore(sc_test *t) {
  sc_config *config = NULL, *loaded = NULL;
  sc_config_outgoing out, again;
  sc_buffer dump;
  const sc_bytes hash = sc_bytes_text("h1");
  sc_config_outgoing_init(&out, t->env);
  sc_config_outgoing_init(&again, t->env);
  sc_buffer_init(&dump, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(set_name(config));
  OK(sc_config_push(&out, config, device_now_ms));
  OK(sc_config_dump(&dump, config, device_now_ms));
  OK(device_new(&loaded, t->env, sc_buffer_bytes(&dump)));
  CHECK(sc_config_state_of(loaded) == SC_CONFIG_WAITING && !sc_config_needs_dump(loaded));
  OK(sc_config_push(&again, loaded, device_now_ms));
  SAME(device_message(&out), device_message(&again));
  OK(sc_config_confirm(loaded, 1, &hash, 1));
  CHECK(sc_config_state_of(loaded) == SC_CONFIG_CLEAN);
done:
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  sc_config_outgoing_free(&again);
  sc_config_free(config);
  sc_config_free(loaded);
}

/* It may have been pushed under its seqno after the dump was made. */
static void a_dirty_config_skips_a_seqno_after_a_restore(sc_test *t) {
  sc_config *config = NULL, *loaded = NULL, *other = NULL;
  sc_config_outgoing first, second;
  sc_config_effect effect;
  sc_buffer dump;
  sc_config_outgoing_init(&first, t->env);
  sc_config_outgoing_init(&second, t->env);
  sc_buffer_init(&dump, t->env);
  OK(device_new(&config, t->env, (sc_bytes){0}));
  OK(set_name(config));
  OK(sc_config_dump(&dump, config, device_now_ms));
  OK(sc_config_push(&first, config, device_now_ms));
  OK(device_new(&loaded, t->env, sc_buffer_bytes(&dump)));
  CHECK(sc_config_state_of(loaded) == SC_CONFIG_DIRTY && sc_config_seqno(loaded) == 2);
  OK(sc_config_push(&second, loaded, device_now_ms));
  OK(device_new(&other, t->env, (sc_bytes){0}));
  OK(device_merge(&effect, NULL, other, "h1", device_message(&first)));
  OK(device_merge(&effect, NULL, other, "h2", device_message(&second)));
  CHECK(effect == SC_CONFIG_ADOPTED && sc_config_seqno(other) == 2);
done:
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&first);
  sc_config_outgoing_free(&second);
  sc_config_free(config);
  sc_config_free(loaded);
  sc_config_free(other);
}

static void older_dumps_are_read(sc_test *t) {
  static const struct {
    const char *rest;
    size_t current, old;
  } cases[] = {{"e", 0, 0},
               {"1:(0:1:)lee", 0, 0},
               {"1:(2:h11:)l2:h02:h9e1:+dee", 1, 2},
               {"1:(l2:h22:h1e1:)l2:h0e1:*de1:+dee", 2, 1},
               {"1:(le1:)le1:*de1:+d1:xi1ee1:~i1ee", 0, 0}};
  sc_config *config = NULL;
  sc_config_hashes hashes;
  sc_buffer dump;
  sc_config_hashes_init(&hashes, t->env);
  sc_buffer_init(&dump, t->env);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sc_buffer_clear(&dump);
    OK(sc_buffer_append(&dump, sc_bytes_text("d1:!i0e1:$81:" FIRST)));
    OK(sc_buffer_append(&dump, sc_bytes_text(cases[i].rest)));
    OK(device_new(&config, t->env, sc_buffer_bytes(&dump)));
    CHECK(sc_config_seqno(config) == 1);
    OK(sc_config_active_hashes(&hashes, config, device_now_ms));
    CHECK(hashes.count == cases[i].current);
    sc_config_take_old_hashes(&hashes, config);
    CHECK(hashes.count == cases[i].old);
    sc_config_free(config);
    config = NULL;
  }
done:
  sc_buffer_free(&dump);
  sc_config_hashes_free(&hashes);
  sc_config_free(config);
}

static void an_invalid_dump_is_refused(sc_test *t) {
  static const char *const dumps[] = {
      "x",
      "le",
      "de",
      "d1:!i0ee",
      "d1:$23:d1:#i0e1:&de1:<le1:=deee",
      "d1:!i3e1:$23:d1:#i0e1:&de1:<le1:=deee",
      "d1:!i-1e1:$23:d1:#i0e1:&de1:<le1:=deee",
      "d1:!1:01:$23:d1:#i0e1:&de1:<le1:=deee",
      "d1:!i0e1:$2:dee",
      "d1:!i0e1:$i5ee",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(2:h1e",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(i1e1:)lee",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)dee",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le1:*lee",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=deeex",
      "d1:!i0e1:$23:d1:#i0e1:&de1:<le1:=dee",
  };
  sc_config *config = NULL;
  for (size_t i = 0; i < sizeof dumps / sizeof dumps[0]; i++) {
    FAILS(SC_ERR_CONFIG_DUMP, device_new(&config, t->env, sc_bytes_text(dumps[i])));
    CHECK(config == NULL);
  }
done:
  sc_config_free(config);
}

/* An admin's own messages are kept unsigned and signed again; members keep the received signatures. */
static void signatures_survive_a_dump(sc_test *t) {
  sc_config *admin = NULL, *member = NULL, *loaded = NULL;
  sc_config_outgoing out, again;
  sc_config_effect effect;
  sc_buffer dump;
  sc_config_outgoing_init(&out, t->env);
  sc_config_outgoing_init(&again, t->env);
  sc_buffer_init(&dump, t->env);
  OK(device_group_new(&admin, t->env, true, (sc_bytes){0}));
  OK(device_group_new(&member, t->env, false, (sc_bytes){0}));
  OK(set_name(admin));
  OK(device_publish(&out, admin, "h1"));
  OK(device_merge(&effect, NULL, member, "h1", device_message(&out)));
  OK(sc_config_dump(&dump, member, device_now_ms));
  OK(device_group_new(&loaded, t->env, false, sc_buffer_bytes(&dump)));
  OK(sc_config_push(&again, loaded, device_now_ms));
  SAME(device_message(&out), device_message(&again));
  sc_config_free(loaded);
  loaded = NULL;
  device_dump_is(t, "d1:!i0e1:$81:" FIRST HASHES_OF_IT "1:*de1:+dee", admin);
  STOP_IF_FAILED;
  OK(sc_config_dump(&dump, admin, device_now_ms));
  OK(device_group_new(&loaded, t->env, true, sc_buffer_bytes(&dump)));
  OK(sc_config_push(&again, loaded, device_now_ms));
  SAME(device_message(&out), device_message(&again));
  OK(device_merge(&effect, NULL, loaded, "h1", device_message(&out)));
  CHECK(effect == SC_CONFIG_KEPT && sc_config_state_of(loaded) == SC_CONFIG_CLEAN);
  /* The next revision names this one by its published hash, so other devices see no conflict. */
  OK(device_set(loaded, PATH1("n"), TEXT("later")));
  OK(sc_config_push(&out, loaded, device_now_ms));
  OK(device_merge(&effect, NULL, admin, "h2", device_message(&out)));
  CHECK(effect == SC_CONFIG_ADOPTED && sc_config_seqno(admin) == 2);
done:
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  sc_config_outgoing_free(&again);
  sc_config_free(admin);
  sc_config_free(member);
  sc_config_free(loaded);
}

/* Loaded by a member who became an admin afterwards. */
static void a_signer_added_later_finds_the_published_hash(sc_test *t) {
  sc_config *admin = NULL, *loaded = NULL;
  sc_ed25519_pair pair;
  sc_config_outgoing out;
  sc_config_effect effect;
  sc_buffer dump;
  sc_config_outgoing_init(&out, t->env);
  sc_buffer_init(&dump, t->env);
  device_group_pair(&pair);
  OK(device_group_new(&admin, t->env, true, (sc_bytes){0}));
  OK(set_name(admin));
  OK(device_publish(&out, admin, "h1"));
  OK(sc_config_dump(&dump, admin, device_now_ms));
  OK(device_group_new(&loaded, t->env, false, sc_buffer_bytes(&dump)));
  OK(sc_config_set_signer(loaded, &pair));
  CHECK(!sc_config_is_read_only(loaded));
  OK(device_merge(&effect, NULL, loaded, "h1", device_message(&out)));
  CHECK(effect == SC_CONFIG_KEPT && sc_config_state_of(loaded) == SC_CONFIG_CLEAN);
done:
  sc_buffer_free(&dump);
  sc_config_outgoing_free(&out);
  sc_config_free(admin);
  sc_config_free(loaded);
}

/* An admin's dump, loaded before there is a signing key. Nothing in it is lost. */
static void an_unsigned_revision_waits_for_the_signer(sc_test *t) {
  const sc_bytes hash = sc_bytes_text("h1");
  sc_config *admin = NULL, *loaded = NULL;
  sc_ed25519_pair pair;
  sc_config_outgoing out, refused;
  sc_buffer dump, again;
  sc_config_outgoing_init(&out, t->env);
  sc_config_outgoing_init(&refused, t->env);
  sc_buffer_init(&dump, t->env);
  sc_buffer_init(&again, t->env);
  device_group_pair(&pair);
  OK(device_group_new(&admin, t->env, true, (sc_bytes){0}));
  OK(set_name(admin));
  for (int round = 0; round < 3; round++) {
    const sc_config_state state = sc_config_state_of(admin);
    CHECK(state == (round == 0 ? SC_CONFIG_DIRTY : round == 1 ? SC_CONFIG_WAITING : SC_CONFIG_CLEAN));
    OK(sc_config_dump(&dump, admin, device_now_ms));
    OK(device_group_new(&loaded, t->env, false, sc_buffer_bytes(&dump)));
    CHECK(sc_config_state_of(loaded) == SC_CONFIG_CLEAN && !sc_config_needs_push(loaded));
    CHECK(sc_config_seqno(loaded) == 1 && sc_config_data(loaded) != NULL);
    FAILS(SC_ERR_CONFIG_READ_ONLY, sc_config_push(&refused, loaded, device_now_ms));
    OK(sc_config_confirm(loaded, 1, &hash, 1));
    OK(sc_config_dump(&again, loaded, device_now_ms));
    OK(sc_config_set_signer(loaded, &pair));
    CHECK(sc_config_needs_push(loaded) == (state != SC_CONFIG_CLEAN));
    sc_config_free(loaded);
    loaded = NULL;
    OK(device_group_new(&loaded, t->env, true, sc_buffer_bytes(&again)));
    OK(sc_config_push(&refused, loaded, device_now_ms));
    CHECK(sc_config_needs_push(loaded) == (state != SC_CONFIG_CLEAN) && refused.seqno == 1);
    if (state == SC_CONFIG_DIRTY)
      OK(sc_config_push(&out, admin, device_now_ms));
    else
      OK(sc_config_confirm(admin, 1, &hash, 1));
    SAME(device_message(&out), device_message(&refused));
    sc_config_free(loaded);
    loaded = NULL;
  }
done:
  sc_buffer_free(&dump);
  sc_buffer_free(&again);
  sc_config_outgoing_free(&out);
  sc_config_outgoing_free(&refused);
  sc_config_free(admin);
  sc_config_free(loaded);
}

static void a_signed_message_replaces_an_unsigned_one(sc_test *t) {
  sc_config *admin = NULL, *loaded = NULL;
  sc_config_outgoing first, second;
  sc_config_effect effect;
  sc_config_hashes active;
  sc_buffer dump;
  sc_config_outgoing_init(&first, t->env);
  sc_config_outgoing_init(&second, t->env);
  sc_config_hashes_init(&active, t->env);
  sc_buffer_init(&dump, t->env);
  OK(device_group_new(&admin, t->env, true, (sc_bytes){0}));
  OK(set_name(admin));
  OK(device_publish(&first, admin, "h1"));
  OK(device_set(admin, PATH1("n"), TEXT("later")));
  OK(sc_config_dump(&dump, admin, device_now_ms));
  OK(sc_config_push(&second, admin, device_now_ms));
  OK(device_group_new(&loaded, t->env, false, sc_buffer_bytes(&dump)));
  OK(device_merge(&effect, NULL, loaded, "h1", device_message(&first)));
  CHECK(effect == SC_CONFIG_KEPT && sc_config_seqno(loaded) == 2);
  OK(device_merge(&effect, NULL, loaded, "h2", device_message(&second)));
  CHECK(effect == SC_CONFIG_ADOPTED && sc_config_seqno(loaded) == 2);
  OK(sc_config_active_hashes(&active, loaded, device_now_ms));
  HASHES_ARE(&active, "h2");
  OK(sc_config_push(&first, loaded, device_now_ms));
  SAME(device_message(&second), device_message(&first));
done:
  sc_buffer_free(&dump);
  sc_config_hashes_free(&active);
  sc_config_outgoing_free(&first);
  sc_config_outgoing_free(&second);
  sc_config_free(admin);
  sc_config_free(loaded);
}

SUITE(config_object_dump, "config/object_dump",
      {"a dump holds the whole state", a_dump_holds_the_whole_state},
      {"an unconfirmed push is still unconfirmed after a restore",
       an_unconfirmed_push_is_still_unconfirmed_after_a_restore},
      {"a dirty config skips a seqno after a restore", a_dirty_config_skips_a_seqno_after_a_restore},
      {"older dumps are read", older_dumps_are_read},
      {"an invalid dump is refused", an_invalid_dump_is_refused},
      {"signatures survive a dump", signatures_survive_a_dump},
      {"a signer added later finds the published hash", a_signer_added_later_finds_the_published_hash},
      {"an unsigned revision waits for the signer", an_unsigned_revision_waits_for_the_signer},
      {"a signed message replaces an unsigned one", a_signed_message_replaces_an_unsigned_one});
