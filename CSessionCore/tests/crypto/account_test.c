#include "support/known_bytes.h"
#include "support/test_env.h"

#define SEED "0123456789abcdef0123456789abcdef"
#define ZEROS "00000000000000000000000000000000"

/* From the specification of identities. */
static void a_seed_gives_the_known_account(sc_test *t) {
  static const struct {
    const char *seed;
    const char *ed25519;
    const char *id;
  } known[] = {
      {SEED, "4cb76fdc6d32278e3f83dbf608360ecc6b65727934b85d2fb86862ff98c46ab7",
       "05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72"},
      {"00112233445566778899aabbccddeeff", "5ea34e72bb044654a6a23675690ef5ffaaf1656b02f93fb76655f9cbdbe89876",
       "05aa654f00fc39fc69fd0db829410ca38177d7732a8d2f0934ab3872ac56d5aa74"},
      {ZEROS, "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
       "055bf55c73b82ebe22be80f3430667af570fae2556a6415e6b30d4065300aa947d"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t seed[SC_SEED_BYTES];
    uint8_t ed25519[32];
    char id[SC_ID_CHARS + 1];
    sc_account account;
    sc_test_hex_into(seed, sizeof seed, known[i].seed);
    sc_test_hex_into(ed25519, sizeof ed25519, known[i].ed25519);
    sc_account_from_seed(&account, seed);
    SAME(SC_BYTES(ed25519), SC_BYTES(account.keys.ed.public_key));
    sc_id_format(id, &account.id);
    SAME(sc_bytes_text(known[i].id), sc_bytes_text(id));
    SAME(SC_BYTES(seed), sc_bytes_make(sc_account_seed(&account), SC_SEED_BYTES));
  }
done:;
}

static void both_hex_forms_are_the_same_account(sc_test *t) {
  static const char *const forms[] = {SEED, SEED ZEROS, "0123456789ABCDEF0123456789abcdef"};
  KNOWN(seed, SEED);
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    sc_account account;
    OK(sc_account_from_hex(&account, sc_bytes_text(forms[i])));
    SAME(SC_BYTES(seed), sc_bytes_make(sc_account_seed(&account), SC_SEED_BYTES));
  }
done:;
}

static void hex_of_the_wrong_length_is_refused(sc_test *t) {
  static const char digits[] = SEED ZEROS "00";
  sc_account account;
  for (size_t len = 0; len < sizeof digits; len++)
    if (len != 32 && len != 64)
      FAILS(SC_ERR_SEED, sc_account_from_hex(&account, sc_bytes_make(digits, len)));
done:;
}

static void a_longer_seed_is_refused(sc_test *t) {
  char text[] = SEED ZEROS;
  sc_account account;
  for (size_t i = 32; i < 64; i++) {
    text[i] = '1';
    FAILS(SC_ERR_SEED, sc_account_from_hex(&account, sc_bytes_text(text)));
    text[i] = '0';
  }
done:;
}

static void non_hex_characters_are_refused(sc_test *t) {
  char text[] = SEED ZEROS;
  sc_account account;
  for (size_t i = 0; i < 64; i++) {
    char kept = text[i];
    text[i] = 'g';
    FAILS(SC_ERR_HEX, sc_account_from_hex(&account, sc_bytes_make(text, 64)));
    if (i < 32)
      FAILS(SC_ERR_HEX, sc_account_from_hex(&account, sc_bytes_make(text, 32)));
    text[i] = kept;
  }
done:;
}

static void a_new_account_uses_the_environments_random_source(sc_test *t) {
  KNOWN(seed, SEED);
  sc_test_env *env = t->env->user;
  sc_account drawn;
  sc_account derived;
  sc_test_env_script(env, SC_BYTES(seed));
  sc_account_generate(&drawn, t->env);
  CHECK(env->script.len == 0 && env->script_shortage == 0);
  sc_account_from_seed(&derived, seed);
  CHECK(memcmp(&drawn, &derived, sizeof drawn) == 0);
done:;
}

static void the_keys_belong_to_the_id(sc_test *t) {
  sc_account account;
  sc_account_generate(&account, t->env);
  CHECK(sc_id_kind_of(&account.id) == SC_ID_STANDARD);
  SAME(SC_BYTES(account.keys.x.public_key), sc_bytes_make(sc_id_key(&account.id), 32));
done:;
}

static void wiping_leaves_nothing(sc_test *t) {
  const sc_account zeros = {0};
  sc_account account;
  sc_account_generate(&account, t->env);
  sc_account_wipe(&account);
  CHECK(memcmp(&account, &zeros, sizeof account) == 0);
done:;
}

SUITE(crypto_account, "crypto/account", {"a seed gives the known account", a_seed_gives_the_known_account},
      {"both hex forms are the same account", both_hex_forms_are_the_same_account},
      {"hex of the wrong length is refused", hex_of_the_wrong_length_is_refused},
      {"a longer seed is refused", a_longer_seed_is_refused},
      {"non-hex characters are refused", non_hex_characters_are_refused},
      {"a new account uses the environment's random source",
       a_new_account_uses_the_environments_random_source},
      {"the keys belong to the id", the_keys_belong_to_the_id},
      {"wiping leaves nothing", wiping_leaves_nothing});
