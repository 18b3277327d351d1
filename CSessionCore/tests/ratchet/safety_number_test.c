#include "support/test.h"

#include <stdio.h>

/* Two accounts, with one and two devices. */
static const char alice_id[] = "05d2ad010eeb72d72e561d9de7bd7b6989af77dcabffa03a5111a6c859ae5c3a72";
static const char bob_id[] = "05aa654f00fc39fc69fd0db829410ca38177d7732a8d2f0934ab3872ac56d5aa74";
static const char alice_device[] = "eee48167940feaa7435a95bf7eeb689bf6e7037d6b9808bef8d17d95f4132739";
static const char bob_devices[] = "95219f4b70c5dd34ba628d44c29b4ec2919488a22b8655938a5746a1ccc4beae"
                                  "db2940f3bc262211e8f03ee7dd5f3f30ef70e6319fe3c66d1001b0c22f63c24b";

typedef struct pair {
  sc_safety_side alice, bob;
} pair;

static sc_status make_side(sc_safety_side *out, const char *account, const char *devices, size_t count) {
  uint8_t keys[2 * SC_SAFETY_MAX_DEVICES * SC_KEY_BYTES] = {0};
  sc_id id;
  char digits[SC_HEX_CHARS(sizeof keys) + 1];
  snprintf(digits, sizeof digits, "%.*s", (int)SC_HEX_CHARS(count * SC_KEY_BYTES), devices);
  sc_test_hex_into(keys, count * SC_KEY_BYTES, digits);
  sc_status status = sc_id_parse(&id, sc_bytes_text(account));
  return status == SC_OK ? sc_safety_side_make(out, &id, keys, count) : status;
}

static sc_status make_pair(pair *out, size_t of_alice, size_t of_bob) {
  sc_status status = make_side(&out->alice, alice_id, alice_device, of_alice);
  return status == SC_OK ? make_side(&out->bob, bob_id, bob_devices, of_bob) : status;
}

static bool number_is(const pair *p, const char *expected) {
  char number[SC_SAFETY_DIGITS + 1], other_way[SC_SAFETY_DIGITS + 1];
  sc_safety_number(number, &p->alice, &p->bob);
  sc_safety_number(other_way, &p->bob, &p->alice);
  return strcmp(number, other_way) == 0 && sc_safety_number_check(number, sc_bytes_text(expected)) == SC_OK;
}

static void numbers_are_the_known_ones(sc_test *t) {
  pair p;
  uint8_t fingerprint[SC_SAFETY_FINGERPRINT_BYTES];
  OK(make_side(&p.alice, "0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b", "", 0));
  OK(make_side(&p.bob, "054701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01", "", 0));
  CHECK(number_is(&p, "03665 17951 13182 93159 52472 06496 82703 14129 89351 71723 81346 53593"));
  OK(make_pair(&p, 0, 0));
  CHECK(number_is(&p, "59276 54247 30469 78151 58352 70261 75588 27659 37938 89794 71511 52739"));
  OK(make_pair(&p, 1, 1));
  CHECK(number_is(&p, "22484 38723 29417 11493 06565 40305 89810 49812 28603 40835 97996 58019"));
  OK(make_pair(&p, 1, 2));
  CHECK(number_is(&p, "11730 04271 11459 52566 95100 21858 89810 49812 28603 40835 97996 58019"));
  sc_test_hex_into(fingerprint, sizeof fingerprint,
                   "ce3197b8d2e952517414c61e05e9bb2729362ce388acc44c4c262e4568e3f022");
  SAME(SC_BYTES(fingerprint), SC_BYTES(p.alice.fingerprint));
  sc_test_hex_into(fingerprint, sizeof fingerprint,
                   "387dfeafd204c74a4befa8c8d07943afc4d026d628d679c01cbf45b325027111");
  SAME(SC_BYTES(fingerprint), SC_BYTES(p.bob.fingerprint));
done:;
}

static void the_order_and_number_of_times_of_devices_do_not_matter(sc_test *t) {
  sc_safety_side once, again;
  uint8_t devices[3 * SC_KEY_BYTES];
  sc_id id;
  sc_test_hex_into(devices, 2 * SC_KEY_BYTES, bob_devices);
  memcpy(devices + 2 * SC_KEY_BYTES, devices, SC_KEY_BYTES);
  OK(sc_id_parse(&id, sc_bytes_text(bob_id)));
  OK(sc_safety_side_make(&once, &id, devices, 2));
  OK(sc_safety_side_make(&again, &id, devices + SC_KEY_BYTES, 2));
  SAME(SC_BYTES(once.fingerprint), SC_BYTES(again.fingerprint));
  OK(sc_safety_side_make(&again, &id, devices, 3));
  SAME(SC_BYTES(once.fingerprint), SC_BYTES(again.fingerprint));
done:;
}

static void only_accounts_with_few_devices_have_numbers(sc_test *t) {
  sc_safety_side side;
  sc_id id;
  uint8_t devices[9 * SC_KEY_BYTES] = {0};
  for (uint8_t i = 0; i < 9; i++)
    devices[i * SC_KEY_BYTES] = i;
  OK(sc_id_parse(&id, sc_bytes_text(bob_id)));
  OK(sc_safety_side_make(&side, &id, devices, SC_SAFETY_MAX_DEVICES));
  FAILS(SC_ERR_TOO_LARGE, sc_safety_side_make(&side, &id, devices, 9));
  id.bytes[0] = SC_ID_BLINDED_15;
  FAILS(SC_ERR_ID_KIND, sc_safety_side_make(&side, &id, NULL, 0));
done:;
}

static void typed_digits_are_compared_without_their_spaces(sc_test *t) {
  static const char number[] = "117300427111459525669510021858898104981228603408359799658019";
  OK(sc_safety_number_check(number, sc_bytes_text(number)));
  OK(sc_safety_number_check(number,
                            sc_bytes_text(" 11730 04271 11459 52566\n95100 21858\t89810 49812\r\n28603 "
                                          "40835 97996 58019 ")));
  FAILS(SC_ERR_SAFETY_NUMBER,
        sc_safety_number_check(
            number, sc_bytes_text("117300427111459525669510021858898104981228603408359799658018")));
  FAILS(SC_ERR_SAFETY_DIGITS,
        sc_safety_number_check(number,
                               sc_bytes_text("11730042711145952566951002185889810498122860340835979965801")));
  FAILS(SC_ERR_SAFETY_DIGITS,
        sc_safety_number_check(
            number, sc_bytes_text("1173004271114595256695100218588981049812286034083597996580191")));
  FAILS(SC_ERR_SAFETY_DIGITS,
        sc_safety_number_check(
            number, sc_bytes_text("11730042711145952566951002185889810498122860340835979965801x")));
  FAILS(SC_ERR_SAFETY_DIGITS, sc_safety_number_check(number, sc_bytes_text("")));
done:;
}

/* Alice shows a code to Bob, who knows other devices than she does. */
static void codes_are_compared_crosswise(sc_test *t) {
  static const struct {
    size_t of_alice, of_bob; /* as Alice knows them */
    sc_safety_match match;
  } cases[] = {{1, 2, SC_SAFETY_EQUAL},
               {0, 2, SC_SAFETY_OTHER_DEVICES_THEIRS},
               {1, 1, SC_SAFETY_OTHER_DEVICES_OWN},
               {0, 1, SC_SAFETY_OTHER_DEVICES_BOTH}};
  pair seen_by_bob, seen_by_alice;
  sc_safety_side stranger;
  sc_safety_match match;
  uint8_t code[SC_SAFETY_CODE_BYTES];
  OK(make_pair(&seen_by_bob, 1, 2));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    OK(make_pair(&seen_by_alice, cases[i].of_alice, cases[i].of_bob));
    sc_safety_code(code, &seen_by_alice.alice, &seen_by_alice.bob);
    OK(sc_safety_code_compare(&match, SC_BYTES(code), &seen_by_bob.bob, &seen_by_bob.alice));
    CHECK(match == cases[i].match);
  }
  OK(make_side(&stranger, "0588672ccb97f40bb57238989226cf429b575ba355443f47bc76c5ab144a96c65b", "", 0));
  sc_safety_code(code, &stranger, &seen_by_bob.bob);
  OK(sc_safety_code_compare(&match, SC_BYTES(code), &seen_by_bob.bob, &seen_by_bob.alice));
  CHECK(match == SC_SAFETY_OTHER_PERSON);
  sc_safety_code(code, &seen_by_bob.alice, &stranger);
  OK(sc_safety_code_compare(&match, SC_BYTES(code), &seen_by_bob.bob, &seen_by_bob.alice));
  CHECK(match == SC_SAFETY_OTHER_PERSON);
  sc_safety_code(code, &seen_by_bob.bob, &seen_by_bob.alice);
  OK(sc_safety_code_compare(&match, SC_BYTES(code), &seen_by_bob.bob, &seen_by_bob.alice));
  CHECK(match == SC_SAFETY_OWN_CODE);
done:;
}

static void codes_have_a_text_form(sc_test *t) {
  pair p;
  sc_safety_match match;
  uint8_t code[SC_SAFETY_CODE_BYTES];
  char text[SC_BASE64_CHARS(SC_SAFETY_CODE_BYTES) + 1];
  OK(make_pair(&p, 1, 2));
  sc_safety_code(code, &p.alice, &p.bob);
  CHECK(sc_base64_encode(text, SC_BYTES(code), SC_BASE64_URL) == SC_SAFETY_CODE_CHARS);
  CHECK(memcmp(text, "U1JOM", 5) == 0);
  OK(sc_safety_code_compare_text(&match, sc_bytes_text(text), &p.bob, &p.alice));
  CHECK(match == SC_SAFETY_EQUAL);
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare_text(&match, sc_bytes_make(text, 175), &p.bob, &p.alice));
  text[10] = '+';
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare_text(&match, sc_bytes_text(text), &p.bob, &p.alice));
done:;
}

static void other_bytes_are_no_code(sc_test *t) {
  static const uint8_t no_point[SC_KEY_BYTES] = {
      0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  pair p;
  sc_safety_match match;
  uint8_t code[SC_SAFETY_CODE_BYTES + 1] = {0};
  OK(make_pair(&p, 1, 2));
  sc_safety_code(code, &p.alice, &p.bob);
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare(&match, sc_bytes_make(code, 131), &p.bob, &p.alice));
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare(&match, sc_bytes_make(code, 133), &p.bob, &p.alice));
  memcpy(code + 4, no_point, sizeof no_point);
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare(&match, sc_bytes_make(code, 132), &p.bob, &p.alice));
  sc_safety_code(code, &p.alice, &p.bob);
  code[3] = '4';
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare(&match, sc_bytes_make(code, 132), &p.bob, &p.alice));
  CHECK(match == SC_SAFETY_OTHER_PERSON);
done:;
}

/* SHA-256 of the two keys of the pair without devices, and a version. */
static void older_codes_say_only_that_the_accounts_are_equal(sc_test *t) {
  pair p;
  sc_safety_match match;
  uint8_t code[4 + 32 + 32 + 1] = {'S', 'R', 'N', '2'};
  OK(make_pair(&p, 1, 2));
  sc_test_hex_into(code + 4, 32, "0b37f59d1b15ea54bfc7575fc83d3c3266757a6f2fbbf87ce48772b655b225bf");
  sc_test_hex_into(code + 36, 32, "cb7f2c128d7a06a423cdeb5be276f0d0c6c17ae002dc157c5804d094f8058733");
  OK(sc_safety_code_compare(&match, SC_BYTES(code), &p.bob, &p.alice));
  CHECK(match == SC_SAFETY_ACCOUNTS_EQUAL);
  code[4] ^= 1;
  OK(sc_safety_code_compare(&match, SC_BYTES(code), &p.bob, &p.alice));
  CHECK(match == SC_SAFETY_OTHER_PERSON);
  FAILS(SC_ERR_SAFETY_CODE, sc_safety_code_compare(&match, sc_bytes_make(code, 67), &p.bob, &p.alice));
done:;
}

SUITE(ratchet_safety_number, "ratchet/safety_number",
      {"numbers are the known ones", numbers_are_the_known_ones},
      {"the order and number of times of devices do not matter",
       the_order_and_number_of_times_of_devices_do_not_matter},
      {"only accounts with few devices have numbers", only_accounts_with_few_devices_have_numbers},
      {"typed digits are compared without their spaces", typed_digits_are_compared_without_their_spaces},
      {"codes are compared crosswise", codes_are_compared_crosswise},
      {"codes have a text form", codes_have_a_text_form},
      {"other bytes are no code", other_bytes_are_no_code},
      {"older codes say only that the accounts are equal", older_codes_say_only_that_the_accounts_are_equal});
