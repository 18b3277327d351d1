#include "crypto/name.h"
#include "support/test.h"

static const char id_hex[] = "05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72";

static void names_are_lowercased(sc_test *t) {
  static const char *const names[][2] = {
      {"test", "test"},
      {"TeSt", "test"},
      {"a", "a"},
      {"_", "_"},
      {"9", "9"},
      {"a-B", "a-b"},
      {"x--y", "x--y"},
      {"_Under_-_Score_", "_under_-_score_"},
      {"0123456789012345678901234567890123456789012345678901234567890aBC",
       "0123456789012345678901234567890123456789012345678901234567890abc"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char name[SC_NAME_MAX_BYTES + 1];
    size_t len;
    OK(sc_name_normalize(name, &len, sc_bytes_text(names[i][0])));
    CHECK(strcmp(name, names[i][1]) == 0 && len == strlen(name));
  }
done:;
}

static void invalid_names_are_refused(sc_test *t) {
  static const struct {
    sc_status status;
    const char *text;
  } cases[] = {
      {SC_ERR_NAME_LENGTH, ""},
      {SC_ERR_NAME_LENGTH, "01234567890123456789012345678901234567890123456789012345678901234"},
      {SC_ERR_NAME_LENGTH, id_hex},
      {SC_ERR_NAME_CHARACTERS, "-"},
      {SC_ERR_NAME_CHARACTERS, "-a"},
      {SC_ERR_NAME_CHARACTERS, "a-"},
      {SC_ERR_NAME_CHARACTERS, "a b"},
      {SC_ERR_NAME_CHARACTERS, "a.b"},
      {SC_ERR_NAME_CHARACTERS, "a\n"},
      {SC_ERR_NAME_CHARACTERS, "\xc5\xbc\xc3\xb3\xc5\x82w"},
      {SC_ERR_NAME_CHARACTERS, "a@b"},
      {SC_ERR_NAME_CHARACTERS, "a[b"},
      {SC_ERR_NAME_CHARACTERS, "a`b"},
      {SC_ERR_NAME_CHARACTERS, "a{b"},
      {SC_ERR_NAME_CHARACTERS, "a/b"},
      {SC_ERR_NAME_CHARACTERS, "a:b"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char name[SC_NAME_MAX_BYTES + 1] = "untouched";
    size_t len = 99;
    FAILS(cases[i].status, sc_name_normalize(name, &len, sc_bytes_text(cases[i].text)));
    CHECK(name[0] == '\0' && len == 0);
  }
  char name[SC_NAME_MAX_BYTES + 1];
  size_t len;
  FAILS(SC_ERR_NAME_CHARACTERS, sc_name_normalize(name, &len, sc_bytes_make("a\0b", 3)));
done:;
}

static void a_name_has_a_known_hash(sc_test *t) {
  uint8_t hash[32], expected[32];
  sc_name_hash(hash, sc_bytes_text("test"));
  sc_test_hex_into(expected, sizeof expected,
                   "928b20366943e2afd11ebc0eae2e53a93bf177a4fcf35bcc64d503704e65e202");
  SAME(SC_BYTES(expected), SC_BYTES(hash));
  char text[SC_BASE64_CHARS(32) + 1];
  sc_base64_encode(text, SC_BYTES(hash), SC_BASE64_STANDARD);
  CHECK(strcmp(text, "kosgNmlD4q/RHrwOri5TqTvxd6T881vMZNUDcE5l4gI=") == 0);
done:;
}

static void known_records_open(sc_test *t) {
  static const struct {
    const char *name, *encrypted, *nonce, *id;
  } known[] = {
      {"test",
       "5d1ba732c88bb65d6fb29e3b98bf82f95bcc309491635c4e2b7d721d9460a7d90e23378ab498981024cc2bfe9fc7a315b1",
       "000102030405060708090a0b0c0d0e0f1011121314151617", id_hex},
      {"test",
       "3575802dd9bfea72672a208840f37ca289ceade5d3ffacabe2d231f109d204329fc33e28c331580d9a8c9b8a64cacfec97",
       "00112233445566778899aabbccddeeff00ffeeddccbbaa99", id_hex},
      {"\xc5\xbc\xc3\xb3\xc5\x82w",
       "1be7fc60a7fbd1e93f0310901eead7f237651272753ad84102688291e9fcf2a4b8a9f1f3564af0c9b70d967ad2a2fc3008",
       "d2401416f93628ca7814953709ba697892071aaa5701bfef",
       "057ae5fb1ba3cf721190ede6cdaec0840afafb7d2a543b5d992b6f4172cbde6467"},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    uint8_t encrypted[49], nonce[24], record[SC_ID_BYTES];
    sc_id id, expected;
    sc_test_hex_into(encrypted, sizeof encrypted, known[i].encrypted);
    sc_test_hex_into(nonce, sizeof nonce, known[i].nonce);
    OK(sc_id_parse(&expected, sc_bytes_text(known[i].id)));
    sc_bytes name = sc_bytes_text(known[i].name);
    OK(sc_name_decrypt(record, t->env, name, SC_BYTES(encrypted), SC_BYTES(nonce)));
    SAME(SC_BYTES(expected.bytes), SC_BYTES(record));
    OK(sc_name_open(&id, t->env, name, SC_BYTES(encrypted), SC_BYTES(nonce)));
    SAME(SC_BYTES(expected.bytes), SC_BYTES(id.bytes));
  }
done:;
}

static const char dotted_name[] = "some-name.with.dots";
static const char dotted_nonce[] = "f12ef628747a5b4eb5cd8cc6779f5dfbc71dfcc76e389573";

/* 33 bytes that begin with 03. */
static void a_record_must_hold_an_account_id(sc_test *t) {
  uint8_t encrypted[49], nonce[24], record[SC_ID_BYTES], expected[SC_ID_BYTES];
  sc_test_hex_into(
      encrypted, sizeof encrypted,
      "85b0514b0795d32c83740d5f9665e6322c7f74043a4fd796b9d34f9a5ec5de727cce5a7ff2f415583a3da244bfc11deee0");
  sc_test_hex_into(nonce, sizeof nonce, dotted_nonce);
  sc_test_hex_into(expected, sizeof expected,
                   "03e8b2f2176d312cc7d954cb262de3244d646268608e69f55616730869fb3d7148");
  sc_bytes name = sc_bytes_text(dotted_name);
  OK(sc_name_decrypt(record, t->env, name, SC_BYTES(encrypted), SC_BYTES(nonce)));
  SAME(SC_BYTES(expected), SC_BYTES(record));
  sc_id id;
  FAILS(SC_ERR_NAME_RECORD, sc_name_open(&id, t->env, name, SC_BYTES(encrypted), SC_BYTES(nonce)));
done:;
}

static void malformed_records_are_refused(sc_test *t) {
  static const struct {
    sc_status status;
    const char *name, *encrypted, *nonce;
  } cases[] = {
      {SC_ERR_DECRYPT, "some-name.with.dotsx",
       "83b0514b0795d32c83740d5f9665e6322c7f74043a4fd796b9d34f9a5ec5de727c7d392b373b89e380066d35cd7e92cde8",
       dotted_nonce},
      {SC_ERR_DECRYPT, dotted_name,
       "83b0514b0795d32c83740d5f9665e6322c7f74043a4fd796b9d34f9a5ec5de727c7d392b373b89e380066d35cd7e92cdec",
       dotted_nonce},
      {SC_ERR_DECRYPT, dotted_name,
       "83b0514b0795d32c83740d5f9665e6322c7f74043a4fd796b9d34f9a5ec5de727c7d392b373b89e380066d35cd7e92cde8",
       "f12ef628747a5b4eb5cd8cd6779f5dfbc71dfcc76e389573"},
      {SC_ERR_NONCE_SIZE, dotted_name,
       "83b0514b0795d32c83740d5f9665e6322c7f74043a4fd796b9d34f9a5ec5de727c7d392b373b89e380066d35cd7e92cde8",
       "2ef628747a5b4eb5cd8cc6779f5dfbc71dfcc76e389573"},
      {SC_ERR_TRUNCATED, dotted_name, "83b0514b0795d32c83740d5f9665e6", dotted_nonce},
      {SC_ERR_NAME_RECORD, dotted_name,
       "4d6b9092655e420bcd2c819bd4752c67d2f5c2e78b21887caa25bb844b14995017d25bad15d0067ff9128883343caa82",
       dotted_nonce},
      {SC_ERR_NAME_RECORD, dotted_name,
       "b953c7b116424fc77d53c0d3b05fcfb1be3d1bd12ac0155394760880331fbb785be180a2efa3762a0bab1d5af91ee40c53e8",
       dotted_nonce},
      {SC_ERR_NAME_RECORD, dotted_name, "0350aaf41e8d22d114f98a37164d907b", dotted_nonce},
  };
  static const uint8_t zeros[SC_ID_BYTES];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint8_t encrypted[64], nonce[24], record[SC_ID_BYTES];
    size_t len = strlen(cases[i].encrypted) / 2, nonce_len = strlen(cases[i].nonce) / 2;
    sc_test_hex_into(encrypted, len, cases[i].encrypted);
    sc_test_hex_into(nonce, nonce_len, cases[i].nonce);
    memset(record, 0xee, sizeof record);
    sc_id id;
    FAILS(cases[i].status, sc_name_decrypt(record, t->env, sc_bytes_text(cases[i].name),
                                           sc_bytes_make(encrypted, len), sc_bytes_make(nonce, nonce_len)));
    SAME(SC_BYTES(zeros), SC_BYTES(record));
    FAILS(cases[i].status, sc_name_open(&id, t->env, sc_bytes_text(cases[i].name),
                                        sc_bytes_make(encrypted, len), sc_bytes_make(nonce, nonce_len)));
  }
done:;
}

static void a_legacy_record_opens(sc_test *t) {
  uint8_t encrypted[49];
  sc_test_hex_into(
      encrypted, sizeof encrypted,
      "dbd4bc89bd2c9e5322fd9f4cadcaa66a0c38f15d0c927a86cc36e895fe1f3c532a3958d972563f52ca858e94eec22dc360");
  sc_id id, expected;
  OK(sc_id_parse(&expected, sc_bytes_text(id_hex)));
  sc_bytes name = sc_bytes_text("test");
  FAILS(SC_ERR_TRUNCATED, sc_name_open_legacy(&id, name, sc_bytes_make(encrypted, 15)));
  FAILS(SC_ERR_NAME_RECORD, sc_name_open_legacy(&id, name, sc_bytes_make(encrypted, 48)));
  if (t->torture)
    SKIP("it allocates nothing, and takes a second and 256 MiB");
  OK(sc_name_open_legacy(&id, name, SC_BYTES(encrypted)));
  SAME(SC_BYTES(expected.bytes), SC_BYTES(id.bytes));
  encrypted[20] ^= 1;
  FAILS(SC_ERR_DECRYPT, sc_name_open_legacy(&id, name, SC_BYTES(encrypted)));
done:;
}

SUITE(crypto_name, "crypto/name", {"names are lowercased", names_are_lowercased},
      {"invalid names are refused", invalid_names_are_refused},
      {"a name has a known hash", a_name_has_a_known_hash}, {"known records open", known_records_open},
      {"a record must hold an account id", a_record_must_hold_an_account_id},
      {"malformed records are refused", malformed_records_are_refused},
      {"a legacy record opens", a_legacy_record_opens});
