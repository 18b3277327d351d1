/* Sees every encryption of the program, and remembers its key and nonce. */
#include <sodium.h>
#include <stdlib.h>

#include "history.h"

int __real_crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *c_len,
                                                      const unsigned char *m, unsigned long long m_len,
                                                      const unsigned char *ad, unsigned long long ad_len,
                                                      const unsigned char *nsec, const unsigned char *nonce,
                                                      const unsigned char *key);
int __wrap_crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *c_len,
                                                      const unsigned char *m, unsigned long long m_len,
                                                      const unsigned char *ad, unsigned long long ad_len,
                                                      const unsigned char *nsec, const unsigned char *nonce,
                                                      const unsigned char *key);

enum { slots = 1 << 15, fingerprint_bytes = 16 };

/* A table of fingerprints that is never full: a history encrypts a few thousand times. */
static struct {
  uint8_t fingerprints[slots][fingerprint_bytes];
  bool taken[slots];
  uint64_t count;
  bool repeats;
} uses;

void uses_begin(void) {
  memset(&uses, 0, sizeof uses);
}

uint64_t uses_count(void) {
  return uses.count;
}

bool uses_repeat(void) {
  return uses.repeats;
}

static void note(const unsigned char *key, const unsigned char *nonce) {
  uint8_t fingerprint[fingerprint_bytes];
  uint32_t place;
  crypto_generichash(fingerprint, sizeof fingerprint, nonce, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
                     key, crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
  memcpy(&place, fingerprint, sizeof place);
  for (place %= slots; uses.taken[place]; place = (place + 1) % slots)
    if (memcmp(uses.fingerprints[place], fingerprint, sizeof fingerprint) == 0) {
      uses.repeats = true;
      return;
    }
  if (++uses.count == slots)
    abort();
  uses.taken[place] = true;
  memcpy(uses.fingerprints[place], fingerprint, sizeof fingerprint);
}

int __wrap_crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *c_len,
                                                      const unsigned char *m, unsigned long long m_len,
                                                      const unsigned char *ad, unsigned long long ad_len,
                                                      const unsigned char *nsec, const unsigned char *nonce,
                                                      const unsigned char *key) {
  note(key, nonce);
  return __real_crypto_aead_xchacha20poly1305_ietf_encrypt(c, c_len, m, m_len, ad, ad_len, nsec, nonce, key);
}
