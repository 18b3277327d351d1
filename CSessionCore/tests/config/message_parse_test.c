#include <stdio.h>

#include "config/message.h"
#include "revision.h"

#define H1 "32:11111111111111111111111111111111"
#define H2 "32:22222222222222222222222222222222"

static sc_status parses(const sc_env *env, const char *text, const sc_config_rules *rules) {
  sc_config_message *message;
  sc_status status = parse_text(&message, env, text, rules);
  sc_config_message_free(message);
  return status == SC_OK || message == NULL ? status : SC_ERR_STATE;
}

#define REFUSED(status, text) FAILS(status, parses(t->env, text, NULL))
#define ACCEPTED(text) OK(parses(t->env, text, NULL))

static void parsed_messages_are_written_back_unchanged(sc_test *t) {
  static const char *const texts[] = {
      "d1:#i0e1:&de1:<le1:=dee",
      "d1:#i-3e1:&de1:<le1:=dee",
      "d1:#i9e1:&d1:ad1:bl1:xeee1:<lli8e" H1 "d1:a0:eeli8e" H2 "deee1:=d1:ad1:bll1:xeleeeee",
      "d1:#i1e1:$4:text1:&de1:'i-3e1:<le2:<a0:1:=de1:>li1e1:ae1:ad1:zi1eee",
  };
  sc_config_message *message = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    OK(parse_text(&message, t->env, texts[i], NULL));
    OK(sc_config_message_write(&bytes, message, NULL));
    SAME(sc_bytes_text(texts[i]), sc_buffer_bytes(&bytes));
    sc_config_message_free(message);
    message = NULL;
  }
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(message);
}

static void a_message_that_is_not_one_dict_is_refused(sc_test *t) {
  REFUSED(SC_ERR_TRUNCATED, "");
  REFUSED(SC_ERR_BT_TYPE, "le");
  REFUSED(SC_ERR_BT_TYPE, "i1e");
  REFUSED(SC_ERR_BT_SYNTAX, "zd1:#i0e1:&de1:<le1:=dee");
  REFUSED(SC_ERR_TRUNCATED, "d1:#i0e1:&de1:<le1:=de");
  REFUSED(SC_ERR_TRUNCATED, "d1:#i0e1:&d");
  REFUSED(SC_ERR_TRAILING, "d1:#i0e1:&de1:<le1:=dee0:");
done:;
}

static void the_seqno_comes_first(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_LAYOUT, "de");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:&de1:<le1:=dee");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:!0:1:#i0e1:&de1:<le1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#1:01:&de1:<le1:=dee");
  REFUSED(SC_ERR_BT_RANGE, "d1:#i9223372036854775808e1:&de1:<le1:=dee");
done:;
}

static void the_seqno_leaves_room_for_successors(sc_test *t) {
  ACCEPTED("d1:#i4611686018427387904e1:&de1:<le1:=dee");
  REFUSED(SC_ERR_CONFIG_SEQNO, "d1:#i4611686018427387905e1:&de1:<le1:=dee");
  REFUSED(SC_ERR_CONFIG_SEQNO, "d1:#i9223372036854775807e1:&de1:<le1:=dee");
done:;
}

static void keys_are_in_order(sc_test *t) {
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:&de1:=de1:<lee");
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:#i1e1:&de1:<le1:=dee");
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:&de1:<le1:=de1:b0:1:a0:e");
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:&de1:<le1:=de1:a0:1:a0:e");
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:%0:1:$0:1:&de1:<le1:=dee");
done:;
}

static void the_data_must_be_there(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1ee");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1e1:<le1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i1e1:&le1:<le1:=dee");
done:;
}

static void data_must_be_pruned_and_sorted(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_DATA, "d1:#i1e1:&d1:adee1:<le1:=dee");
  REFUSED(SC_ERR_CONFIG_DATA, "d1:#i1e1:&d1:alee1:<le1:=dee");
  REFUSED(SC_ERR_CONFIG_DATA, "d1:#i1e1:&d1:ali2ei1eee1:<le1:=dee");
  REFUSED(SC_ERR_BT_ORDER, "d1:#i1e1:&d1:bi1e1:ai1ee1:<le1:=dee");
done:;
}

/* Only a key from "=" on proves that the message was not truncated. */
static void the_diff_may_be_missing_only_if_a_later_key_follows(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1e1:&dee");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1e1:&de1:<lee");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1e1:&de1:<le2:<a0:e");
  ACCEPTED("d1:#i1e1:&de1:=dee");
  ACCEPTED("d1:#i1e1:&de1:<le1:>0:e");
  ACCEPTED("d1:#i1e1:&de1:>0:e");
done:;
}

static void missing_parts_are_written_as_empty(sc_test *t) {
  sc_config_message *message = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(parse_text(&message, t->env, "d1:#i1e1:&de1:>0:e", NULL));
  OK(sc_config_message_write(&bytes, message, NULL));
  SAME(sc_bytes_text("d1:#i1e1:&de1:<le1:=de1:>0:e"), sc_buffer_bytes(&bytes));
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(message);
}

static void diffs_must_be_well_formed(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_DIFF, "d1:#i9e1:&de1:<le1:=d1:ai1eee");
  REFUSED(SC_ERR_CONFIG_DIFF, "d1:#i9e1:&de1:<lli8e" H1 "d1:ai1eeee1:=dee");
  REFUSED(SC_ERR_CONFIG_DIFF, "d1:#i9e1:&de1:<le1:=d1:a1:+ee");
  REFUSED(SC_ERR_BT_RANGE, "d1:#i9e1:&de1:<le1:=d1:alli9223372036854775808eeleeee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<le1:=d1:alllei1eeleeee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<le1:=lee");
done:;
}

static void earlier_changes_are_sorted_entries_of_three_values(sc_test *t) {
  ACCEPTED("d1:#i9e1:&de1:<lli5e" H1 "deeli5e" H2 "deeli8e" H1 "deee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli8e" H2 "deeli8e" H1 "deee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli8e" H1 "deeli8e" H1 "deee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli8e" H1 "deeli7e" H2 "deee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli8e3:abcdeee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli8e" H1 "de0:ee1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<lli8e" H1 "ee1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<lli8e" H1 "leee1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<ld1:ai1eee1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<de1:=dee");
  REFUSED(SC_ERR_BT_TYPE, "d1:#i9e1:&de1:<ll0:" H1 "deee1:=dee");
done:;
}

static void earlier_changes_have_a_lower_seqno(sc_test *t) {
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli9e" H1 "deee1:=dee");
  REFUSED(SC_ERR_CONFIG_LAGGED, "d1:#i9e1:&de1:<lli10e" H1 "deee1:=dee");
done:;
}

static void changes_beyond_the_lag_are_dropped_unread(sc_test *t) {
  sc_config_message *message = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(parse_text(&message, t->env, "d1:#i9e1:&de1:<lli4e3:abci5eeli5e" H1 "deee1:=dee", NULL));
  CHECK(sc_config_message_lagged_count(message) == 1 && sc_config_message_lagged(message, 0).seqno == 5);
  OK(sc_config_message_write(&bytes, message, NULL));
  SAME(sc_bytes_text("d1:#i9e1:&de1:<lli5e" H1 "deee1:=dee"), sc_buffer_bytes(&bytes));
  sc_config_message_free(message);
  message = NULL;
  OK(parse_text(&message, t->env, "d1:#i9e1:&de1:<lli5e" H1 "deeli8e" H1 "deee1:=dee",
                &(sc_config_rules){.lag = 2}));
  CHECK(sc_config_message_lagged_count(message) == 1 && sc_config_message_lagged(message, 0).seqno == 8);
  sc_config_message_free(message);
  message = NULL;
  OK(parse_text(&message, t->env,
                "d1:#i-9223372036854775806e1:&de1:<lli-9223372036854775808e" H1 "deee1:=dee", NULL));
  CHECK(sc_config_message_lagged_count(message) == 1);
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(message);
}

/* A message with this many earlier changes. */
static sc_status looking_back(sc_buffer *out, size_t count) {
  char hash[] = "00000000000000000000000000000000";
  sc_buffer_clear(out);
  sc_status status = sc_buffer_append(out, sc_bytes_text("d1:#i9e1:&de1:<l"));
  for (size_t i = 0; i < count && status == SC_OK; i++) {
    hash[30] = (char)('0' + i / 64);
    hash[31] = (char)('0' + i % 64);
    status = sc_buffer_append(out, sc_bytes_text("li8e32:"));
    if (status == SC_OK)
      status = sc_buffer_append(out, sc_bytes_make(hash, 32));
    if (status == SC_OK)
      status = sc_buffer_append(out, sc_bytes_text("dee"));
  }
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text("e1:=dee")) : status;
}

static void the_number_of_earlier_changes_is_limited(sc_test *t) {
  sc_config_message *message = NULL, *next = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(looking_back(&bytes, SC_CONFIG_MAX_LAGGED + 1));
  FAILS(SC_ERR_TOO_LARGE, sc_config_message_parse(&message, t->env, sc_buffer_bytes(&bytes), NULL));
  OK(looking_back(&bytes, SC_CONFIG_MAX_LAGGED));
  OK(sc_config_message_parse(&message, t->env, sc_buffer_bytes(&bytes), NULL));
  /* Its successor can be read as well. */
  OK(follow(&next, message, PATH1("a"), sc_config_integer(1), NULL, t->env));
  CHECK(sc_config_message_lagged_count(next) == SC_CONFIG_MAX_LAGGED);
  CHECK(sc_config_message_lagged(next, SC_CONFIG_MAX_LAGGED - 1).seqno == 9);
done:
  sc_buffer_free(&bytes);
  sc_config_message_free(message);
  sc_config_message_free(next);
}

enum { deep_chars = 1024 };

/* `beginning`, then `piece` repeated, deeper than any message. */
static const char *nested(char out[static deep_chars], const char *beginning, const char *piece) {
  size_t len = (size_t)snprintf(out, deep_chars, "%s", beginning);
  for (int level = 0; level < 200 && len < deep_chars; level++)
    len += (size_t)snprintf(out + len, deep_chars - len, "%s", piece);
  return out;
}

static void recursion_depth_is_limited(sc_test *t) {
  char text[deep_chars];
  REFUSED(SC_ERR_BT_DEPTH, nested(text, "d1:#i9e1:&", "d1:a"));
  REFUSED(SC_ERR_BT_DEPTH, nested(text, "d1:#i9e1:$", "l"));
done:;
}

/* Signed by the key of the rules; `text` is the message without the signature and the last `e`. */
static sc_status sign(sc_buffer *out, const char *text, const sc_ed25519_pair *pair, const char *end) {
  uint8_t signature[64];
  sc_buffer_clear(out);
  sc_ed25519_sign(signature, pair, sc_bytes_text(text));
  sc_status status = sc_buffer_append(out, sc_bytes_text(text));
  if (status == SC_OK)
    status = sc_buffer_append(out, sc_bytes_text("1:~64:"));
  if (status == SC_OK)
    status = sc_buffer_append(out, SC_BYTES(signature));
  return status == SC_OK ? sc_buffer_append(out, sc_bytes_text(end)) : status;
}

typedef struct group {
  sc_ed25519_pair pair;
  sc_config_rules member;
} group;

static void make_group(group *out) {
  uint8_t seed[32] = {7};
  sc_ed25519_pair_from_seed(&out->pair, seed);
  out->member = (sc_config_rules){.verifier = out->pair.public_key};
}

static sc_status parses_bytes(const sc_env *env, const sc_buffer *bytes, const sc_config_rules *rules) {
  sc_config_message *message;
  sc_status status = sc_config_message_parse(&message, env, sc_buffer_bytes(bytes), rules);
  sc_config_message_free(message);
  return status;
}

static void a_verifier_requires_a_valid_signature_at_the_end(sc_test *t) {
  group g;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  make_group(&g);
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de", &g.pair, "e"));
  OK(parses_bytes(t->env, &bytes, &g.member));
  bytes.ptr[5] = '2';
  FAILS(SC_ERR_SIGNATURE, parses_bytes(t->env, &bytes, &g.member));
  bytes.ptr[5] = '1';
  bytes.ptr[bytes.len - 10] ^= 1;
  FAILS(SC_ERR_SIGNATURE, parses_bytes(t->env, &bytes, &g.member));
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de", &g.pair, "2:~~0:e"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, parses_bytes(t->env, &bytes, &g.member));
  FAILS(SC_ERR_CONFIG_LAYOUT, parses_bytes(t->env, &bytes, NULL));
  OK(sign(&bytes, "d1:#i1e1:&de1:<le", &g.pair, "e"));
  OK(parses_bytes(t->env, &bytes, &g.member));
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de", &g.pair, "etrailing"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, parses_bytes(t->env, &bytes, &g.member));
  FAILS(SC_ERR_CONFIG_UNSIGNED, parses(t->env, "d1:#i1e1:&de1:<le1:=dee", &g.member));
  FAILS(SC_ERR_CONFIG_UNSIGNED, parses(t->env, "d1:#i1e1:&de1:<le1:=de1:~3:abce", &g.member));
done:
  sc_buffer_free(&bytes);
}

/* The signed text is the beginning of a message whose last value only looks like a signature. */
static void a_truncated_signature_is_refused(sc_test *t) {
  group g;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  make_group(&g);
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de1:a70:", &g.pair, "e"));
  FAILS(SC_ERR_CONFIG_UNSIGNED, parses_bytes(t->env, &bytes, &g.member));
  OK(parses_bytes(t->env, &bytes, NULL));
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de1:~70:", &g.pair, "e"));
  FAILS(SC_ERR_SIGNATURE_SIZE, parses_bytes(t->env, &bytes, &g.member));
done:
  sc_buffer_free(&bytes);
}

/* With any other error inside, the bad signature is reported. */
static void nothing_is_interpreted_before_the_signature_is_verified(sc_test *t) {
  group g;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  make_group(&g);
  OK(sign(&bytes, "d1:#i1e1:&d1:adee1:<lli9ei9eee1:=d1:ai1ee", &g.pair, "e"));
  FAILS(SC_ERR_CONFIG_DATA, parses_bytes(t->env, &bytes, &g.member));
  bytes.ptr[bytes.len - 10] ^= 1;
  FAILS(SC_ERR_SIGNATURE, parses_bytes(t->env, &bytes, &g.member));
done:
  sc_buffer_free(&bytes);
}

static void without_a_verifier_a_signature_is_kept_only_when_trusted(sc_test *t) {
  group g;
  sc_config_message *message = NULL;
  sc_buffer bytes, again;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&again, t->env);
  make_group(&g);
  OK(sign(&bytes, "d1:#i1e1:&de1:<le1:=de", &g.pair, "e"));
  OK(sc_config_message_parse(&message, t->env, sc_buffer_bytes(&bytes), NULL));
  CHECK(sc_config_message_signature(message).len == 0);
  OK(sc_config_message_write(&again, message, NULL));
  SAME(sc_bytes_text("d1:#i1e1:&de1:<le1:=dee"), sc_buffer_bytes(&again));
  sc_config_message_free(message);
  message = NULL;
  OK(sc_config_message_parse(&message, t->env, sc_buffer_bytes(&bytes),
                             &(sc_config_rules){.trust_signature = true}));
  OK(sc_config_message_write(&again, message, NULL));
  SAME(sc_buffer_bytes(&bytes), sc_buffer_bytes(&again));
  REFUSED(SC_ERR_SIGNATURE_SIZE, "d1:#i1e1:&de1:<le1:=de1:~3:abce");
  REFUSED(SC_ERR_CONFIG_LAYOUT, "d1:#i1e1:&de1:<le1:=de2:~~0:e");
done:
  sc_buffer_free(&bytes);
  sc_buffer_free(&again);
  sc_config_message_free(message);
}

/* The hash is computed on demand, even if the message is shared. */
static void a_loaded_message_has_the_hash_of_the_parsed_one(sc_test *t) {
  static const char text[] = "d1:#i9e1:&d1:ad1:bl1:xeee1:<le1:=d1:ad1:bll1:xeleeeee";
  sc_config_message *parsed = NULL, *loaded = NULL, *shared = NULL;
  uint8_t expected[SC_CONFIG_HASH_BYTES], hash[SC_CONFIG_HASH_BYTES];
  OK(parse_text(&parsed, t->env, text, NULL));
  OK(sc_config_message_hash(expected, parsed, NULL));
  OK(sc_config_message_load(&loaded, t->env, sc_bytes_text(text)));
  OK(sc_config_message_share(&shared, loaded));
  OK(sc_config_message_hash(hash, loaded, NULL));
  SAME(SC_BYTES(expected), SC_BYTES(hash));
  OK(sc_config_message_finish_hash(shared));
  OK(sc_config_message_hash(hash, shared, NULL));
  SAME(SC_BYTES(expected), SC_BYTES(hash));
  SAME(SC_BYTES(expected), SC_BYTES(shared->hash));
done:
  sc_config_message_free(parsed);
  sc_config_message_free(loaded);
  sc_config_message_free(shared);
}

SUITE(config_message_parse, "config/message_parse",
      {"parsed messages are written back unchanged", parsed_messages_are_written_back_unchanged},
      {"a message that is not one dict is refused", a_message_that_is_not_one_dict_is_refused},
      {"the seqno comes first", the_seqno_comes_first},
      {"the seqno leaves room for successors", the_seqno_leaves_room_for_successors},
      {"keys are in order", keys_are_in_order}, {"the data must be there", the_data_must_be_there},
      {"data must be pruned and sorted", data_must_be_pruned_and_sorted},
      {"the diff may be missing only if a later key follows",
       the_diff_may_be_missing_only_if_a_later_key_follows},
      {"missing parts are written as empty", missing_parts_are_written_as_empty},
      {"diffs must be well formed", diffs_must_be_well_formed},
      {"earlier changes are sorted entries of three values",
       earlier_changes_are_sorted_entries_of_three_values},
      {"earlier changes have a lower seqno", earlier_changes_have_a_lower_seqno},
      {"changes beyond the lag are dropped unread", changes_beyond_the_lag_are_dropped_unread},
      {"the number of earlier changes is limited", the_number_of_earlier_changes_is_limited},
      {"recursion depth is limited", recursion_depth_is_limited},
      {"a verifier requires a valid signature at the end", a_verifier_requires_a_valid_signature_at_the_end},
      {"a truncated signature is refused", a_truncated_signature_is_refused},
      {"nothing is interpreted before the signature is verified",
       nothing_is_interpreted_before_the_signature_is_verified},
      {"without a verifier a signature is kept only when trusted",
       without_a_verifier_a_signature_is_kept_only_when_trusted},
      {"a loaded message has the hash of the parsed one", a_loaded_message_has_the_hash_of_the_parsed_one});
