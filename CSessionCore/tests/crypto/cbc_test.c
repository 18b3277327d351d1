#include "crypto/cbc.h"

#include "support/pieces.h"

/* NIST SP 800-38A, F.2.5 and F.2.6. */
static const char known_key[] = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
static const char known_iv[] = "000102030405060708090a0b0c0d0e0f";
static const char known_plain[] = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                                  "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
static const char known_sealed[] = "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                                   "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b";

/* A stream whose pieces are gathered. */
typedef struct gatherer {
  sc_cbc cbc;
  sc_buffer out;
} gatherer;

static sc_status gather(gatherer *g) {
  sc_status status = sc_buffer_append(&g->out, sc_bytes_make(g->cbc.piece, g->cbc.piece_len));
  g->cbc.piece_len = 0;
  return status;
}

static sc_status take(void *user, sc_bytes bytes) {
  gatherer *g = user;
  sc_status status = SC_OK;
  while (bytes.len > 0 && status == SC_OK) {
    sc_cbc_take(&g->cbc, &bytes);
    if (sc_cbc_piece_full(&g->cbc))
      status = gather(g);
  }
  return status;
}

static void known_blocks_are_encrypted_and_decrypted(sc_test *t) {
  static gatherer g;
  uint8_t key[32], iv[16], plain[64], sealed[64];
  sc_test_hex_into(key, sizeof key, known_key);
  sc_test_hex_into(iv, sizeof iv, known_iv);
  sc_test_hex_into(plain, sizeof plain, known_plain);
  sc_test_hex_into(sealed, sizeof sealed, known_sealed);
  sc_buffer_init(&g.out, t->env);
  sc_cbc_encryptor(&g.cbc, key, iv);
  OK(take(&g, SC_BYTES(plain)));
  OK(gather(&g));
  SAME(SC_BYTES(sealed), sc_buffer_bytes(&g.out));
  sc_buffer_clear(&g.out);
  sc_cbc_decryptor(&g.cbc, key, iv);
  OK(take(&g, SC_BYTES(sealed)));
  OK(gather(&g));
  SAME(SC_BYTES(plain), sc_buffer_bytes(&g.out));
done:
  sc_buffer_free(&g.out);
}

static void the_split_into_pieces_does_not_change_the_output(sc_test *t) {
  static gatherer g;
  static const uint8_t key[32], iv[16];
  sc_buffer content, sealed;
  sc_buffer_init(&content, t->env);
  sc_buffer_init(&sealed, t->env);
  sc_buffer_init(&g.out, t->env);
  OK(sc_test_content(&content, 80000));
  sc_cbc_encryptor(&g.cbc, key, iv);
  OK(take(&g, sc_buffer_bytes(&content)));
  OK(gather(&g));
  OK(sc_buffer_append(&sealed, sc_buffer_bytes(&g.out)));
  for (uint64_t pieces = 1; pieces < 20; pieces++) {
    sc_buffer_clear(&g.out);
    sc_cbc_encryptor(&g.cbc, key, iv);
    OK(sc_test_in_pieces(take, &g, sc_buffer_bytes(&content), pieces));
    OK(gather(&g));
    SAME(sc_buffer_bytes(&sealed), sc_buffer_bytes(&g.out));
    sc_buffer_clear(&g.out);
    sc_cbc_decryptor(&g.cbc, key, iv);
    OK(sc_test_in_pieces(take, &g, sc_buffer_bytes(&sealed), pieces));
    OK(gather(&g));
    SAME(sc_buffer_bytes(&content), sc_buffer_bytes(&g.out));
  }
done:
  sc_buffer_free(&content);
  sc_buffer_free(&sealed);
  sc_buffer_free(&g.out);
}

static void a_full_buffer_takes_no_more_input(sc_test *t) {
  static sc_cbc cbc;
  static const uint8_t key[32], iv[16], content[sc_cbc_piece_bytes + 5];
  sc_bytes left = SC_BYTES(content);
  sc_cbc_encryptor(&cbc, key, iv);
  sc_cbc_take(&cbc, &left);
  CHECK(left.len == 5 && sc_cbc_piece_full(&cbc));
  sc_cbc_take(&cbc, &left);
  CHECK(left.len == 5);
  cbc.piece_len = 0;
  sc_cbc_take(&cbc, &left);
  CHECK(left.len == 0 && cbc.piece_len == 0 && cbc.part_len == 5);
done:;
}

SUITE(crypto_cbc, "crypto/cbc",
      {"known blocks are encrypted and decrypted", known_blocks_are_encrypted_and_decrypted},
      {"the split into pieces does not change the output", the_split_into_pieces_does_not_change_the_output},
      {"a full buffer takes no more input", a_full_buffer_takes_no_more_input});
