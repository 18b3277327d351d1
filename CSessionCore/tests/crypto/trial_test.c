#include "crypto/trial.h"

#include "crypto/cipher.h"
#include "support/test.h"

enum { content_bytes = 37 };

/* One entry, sealed normally. */
typedef struct scene {
  uint8_t key[SC_KEY_BYTES];
  uint8_t nonce[SC_XCHACHA_NONCE_BYTES];
  uint8_t content[content_bytes];
  sc_buffer entry;
} scene;

SC_NODISCARD static sc_status set_scene(scene *out, const sc_env *env) {
  sc_random(env, out->key, sizeof out->key);
  sc_random(env, out->nonce, sizeof out->nonce);
  sc_random(env, out->content, sizeof out->content);
  sc_buffer_init(&out->entry, env);
  return sc_xchacha20_poly1305_seal(&out->entry, SC_BYTES(out->key), SC_BYTES(out->nonce),
                                    sc_bytes_make(NULL, 0), SC_BYTES(out->content));
}

static void a_trial_opens_xchacha20_messages(sc_test *t) {
  scene s;
  sc_trial trial;
  uint8_t opened[content_bytes];
  OK(set_scene(&s, t->env));
  sc_trial_begin(&trial, s.key, s.nonce);
  OK(sc_trial_open(opened, &trial, sc_buffer_bytes(&s.entry)));
  SAME(SC_BYTES(s.content), SC_BYTES(opened));
  OK(sc_trial_open(opened, &trial, sc_buffer_bytes(&s.entry)));
done:
  sc_trial_wipe(&trial);
  sc_buffer_free(&s.entry);
}

static void a_trial_opens_nothing_else(sc_test *t) {
  scene s;
  sc_trial trial;
  uint8_t opened[content_bytes];
  OK(set_scene(&s, t->env));
  for (size_t i = 0; i < sizeof s.key + sizeof s.nonce; i++) {
    uint8_t *changed = i < sizeof s.key ? &s.key[i] : &s.nonce[i - sizeof s.key];
    *changed ^= 1;
    sc_trial_begin(&trial, s.key, s.nonce);
    FAILS(SC_ERR_DECRYPT, sc_trial_open(opened, &trial, sc_buffer_bytes(&s.entry)));
    *changed ^= 1;
  }
  sc_trial_begin(&trial, s.key, s.nonce);
  for (size_t i = 0; i < s.entry.len; i++) {
    s.entry.ptr[i] ^= 1;
    FAILS(SC_ERR_DECRYPT, sc_trial_open(opened, &trial, sc_buffer_bytes(&s.entry)));
    s.entry.ptr[i] ^= 1;
  }
  for (size_t len = 0; len < s.entry.len; len++)
    FAILS(SC_ERR_DECRYPT, sc_trial_open(opened, &trial, sc_bytes_make(s.entry.ptr, len)));
done:
  sc_trial_wipe(&trial);
  sc_buffer_free(&s.entry);
}

SUITE(crypto_trial, "crypto/trial", {"a trial opens XChaCha20 messages", a_trial_opens_xchacha20_messages},
      {"a trial opens nothing else", a_trial_opens_nothing_else});
