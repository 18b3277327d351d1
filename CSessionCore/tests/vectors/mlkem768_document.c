#include "crypto/keccak.h"
#include "documents.h"

typedef struct key_pair {
  uint8_t public_key[SC_MLKEM768_PUBLIC_BYTES];
  uint8_t secret[SC_MLKEM768_SECRET_BYTES];
} key_pair;

static sc_status make_keys(known_case *c) {
  key_pair keys;
  sc_mlkem768_from_seed(keys.public_key, keys.secret, known_array(c, "seed", SC_MLKEM768_SEED_BYTES));
  known_same(c, "ek", SC_BYTES(keys.public_key));
  known_same(c, "dk", SC_BYTES(keys.secret));
  return SC_OK;
}

static sc_status encapsulate(known_case *c) {
  uint8_t ciphertext[SC_MLKEM768_CIPHERTEXT_BYTES], shared[SC_MLKEM768_SHARED_BYTES];
  sc_bytes key = known_hex(c, "ek");
  sc_status status = sc_mlkem768_encapsulate(ciphertext, shared, known_draws(c, known_hex(c, "m")), key);
  if (status != SC_OK)
    return status;
  known_same(c, "ct", SC_BYTES(ciphertext));
  known_same(c, "ss", SC_BYTES(shared));
  return SC_OK;
}

static sc_status decapsulate(known_case *c, sc_bytes secret) {
  uint8_t shared[SC_MLKEM768_SHARED_BYTES];
  sc_status status = sc_mlkem768_check_secret(secret);
  if (status == SC_OK)
    status = sc_mlkem768_decapsulate(shared, secret, known_hex(c, "ct"));
  if (status == SC_OK)
    known_same(c, "ss", SC_BYTES(shared));
  return status;
}

/* The key of a case, its parts, and a message both ways. */
static sc_status whole_case(known_case *c) {
  sc_bytes seed = known_hex(c, "seed"), key = known_hex(c, "ek"), secret = known_hex(c, "dk");
  sc_status status = make_keys(c);
  if (seed.len == SC_MLKEM768_SEED_BYTES) {
    known_same(c, "d", sc_bytes_make(seed.ptr, 32));
    known_same(c, "z", sc_bytes_make(seed.ptr + 32, 32));
  }
  uint8_t hash[32];
  sc_keccak_hash(hash, sizeof hash, SC_SHA3_256, key, sc_bytes_make(NULL, 0));
  known_same(c, "h_ek", SC_BYTES(hash));
  if (status == SC_OK)
    status = encapsulate(c);
  return status != SC_OK ? status : decapsulate(c, secret);
}

static void run_whole_case(vector_report *report, const sc_json *json) {
  known_case c;
  known_case_begin(&c, json, true);
  sc_status status = whole_case(&c);
  vector_report_case(report, "cases", &c, status);
  const sc_json *rejected = vector_member(json, "reject");
  for (size_t i = 0; i < sc_json_count(rejected); i++) {
    known_case_begin(&c, json, true);
    sc_bytes secret = known_hex(&c, "dk");
    c.json = vector_element(rejected, i);
    status = decapsulate(&c, secret);
    vector_report_case(report, "reject", &c, status);
  }
}

static void begin_check(known_case *c, const sc_json *json) {
  known_case_begin(c, json, vector_says(json, "expect", "accept"));
  if (!c->accepts && !vector_says(json, "expect", "reject"))
    known_differs(c, "expect is neither accept nor reject");
}

/* A key that is accepted may come with a message. */
static void run_public_check(vector_report *report, const sc_json *json) {
  known_case c;
  begin_check(&c, json);
  sc_status status = sc_mlkem768_check_public(known_hex(&c, "ek"));
  if (known_has(&c, "m") && status == SC_OK)
    status = encapsulate(&c);
  vector_report_case(report, "ek_check", &c, status);
}

static const sc_json *case_named(const sc_json *cases, sc_bytes id) {
  for (size_t i = 0; i < sc_json_count(cases); i++) {
    sc_bytes name;
    const sc_json *json = vector_element(cases, i);
    if (sc_json_member_string(&name, json, "id") == SC_OK && sc_bytes_same(name, id))
      return json;
  }
  return NULL;
}

/* The key of another case with one byte changed. */
static sc_bytes changed_key(known_case *c, const sc_json *cases, const sc_json *change) {
  const sc_json *json = c->json;
  c->json = change;
  const sc_json *base = case_named(cases, known_text(c, "base"));
  uint64_t offset = known_unsigned(c, "offset"), value = known_unsigned(c, "value");
  c->json = base;
  sc_buffer *copy = known_buffer(c);
  if (base == NULL || sc_buffer_append(copy, known_hex(c, "dk")) != SC_OK || offset >= copy->len)
    known_differs(c, "the case it is based on has no such byte");
  else
    copy->ptr[offset] ^= (uint8_t)value;
  c->json = json;
  return sc_buffer_bytes(copy);
}

static void run_secret_check(vector_report *report, const sc_json *json, const sc_json *cases) {
  known_case c;
  begin_check(&c, json);
  const sc_json *change = vector_member(json, "dk_xor");
  sc_status status =
      sc_mlkem768_check_secret(change != NULL ? changed_key(&c, cases, change) : known_hex(&c, "dk"));
  vector_report_case(report, "dk_check", &c, status);
}

static sc_status decapsulate_recorded(known_case *c) {
  return decapsulate(c, known_hex(c, "dk"));
}

static void run_acvp(vector_report *report, const sc_json *acvp, const char *part,
                     sc_status (*run)(known_case *c)) {
  const sc_json *tests = vector_member(acvp, part);
  for (size_t i = 0; i < sc_json_count(tests); i++) {
    known_case c;
    known_case_begin(&c, vector_element(tests, i), true);
    sc_status status = run(&c);
    vector_report_case(report, part, &c, status);
  }
}

static void run(vector_report *report, const sc_json *document) {
  const sc_json *cases = vector_member(document, "cases"), *acvp = vector_member(document, "acvp");
  const sc_json *public_checks = vector_member(document, "ek_check");
  const sc_json *secret_checks = vector_member(document, "dk_check");
  for (size_t i = 0; i < sc_json_count(cases); i++)
    run_whole_case(report, vector_element(cases, i));
  for (size_t i = 0; i < sc_json_count(public_checks); i++)
    run_public_check(report, vector_element(public_checks, i));
  for (size_t i = 0; i < sc_json_count(secret_checks); i++)
    run_secret_check(report, vector_element(secret_checks, i), cases);
  run_acvp(report, acvp, "keygen", make_keys);
  run_acvp(report, acvp, "encaps", encapsulate);
  run_acvp(report, acvp, "decaps", decapsulate_recorded);
}

static bool recognises(const sc_json *document) {
  return vector_says(document, "algorithm", "ML-KEM-768");
}

const vector_document mlkem768_document = {"mlkem768", recognises, run};
