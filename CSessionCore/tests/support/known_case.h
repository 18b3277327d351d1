/* One case of a file of known answers: its inputs are read by field name, our outputs are compared with the
 * recorded ones, and the verdict describes the first difference.
 *
 * The functions below never fail at the call. An input the library's types cannot express (a key of 31 bytes
 * where the header requires 32) refuses the case; a missing or non-hexadecimal field is a flaw of the case.
 * Both are recorded, a harmless value is returned, and known_case_verdict decides. Everything returned
 * belongs to the case, until known_case_end. */
#ifndef SC_TESTS_KNOWN_CASE_H
#define SC_TESTS_KNOWN_CASE_H

#include <stdbool.h>

#include "session-core/session-core.h"
#include "test_env.h"

enum { known_flaw_chars = 320 };

typedef struct known_memory known_memory;

typedef struct known_case {
  const sc_json *json;
  bool accepts;           /* the recorded answer is an output, not a refusal */
  sc_status refusal;      /* of an input, before any call */
  sc_test_env randomness; /* memory is counted; known_env gives it to the library */
  known_memory *memory;
  char flaw[known_flaw_chars]; /* the first difference; empty when there is none */
} known_case;

void known_case_begin(known_case *out, const sc_json *json, bool accepts);
void known_case_end(known_case *c);

/* After the case ran and ended with `status`: true if it passed; otherwise the flaw says why not. */
bool known_case_verdict(known_case *c, sc_status status);

/* The same for a case that must end with a status accepted by `is_ours`; the recorded status is ignored. */
bool known_case_verdict_of(known_case *c, sc_status status, bool (*is_ours)(sc_status), const char *outcome);

/* Inputs. A field that is null is absent; an absent one refuses the case with SC_ERR_ARGUMENT. */
bool known_has(const known_case *c, const char *field);
const sc_json *known_field(known_case *c, const char *field);
sc_bytes known_text(known_case *c, const char *field);
int64_t known_integer(known_case *c, const char *field);
uint64_t known_unsigned(known_case *c, const char *field);
bool known_flag(known_case *c, const char *field);
sc_bytes known_hex(known_case *c, const char *field);

/* Hexadecimal text of exactly `size` bytes; another length refuses the case with SC_ERR_KEY_SIZE. */
const uint8_t *known_array(known_case *c, const char *field, size_t size);
const uint8_t *known_key(known_case *c, const char *field);

/* The same for any value of the case's document. */
sc_bytes known_hex_of(known_case *c, const sc_json *value);

typedef struct known_list {
  const sc_bytes *items;
  size_t count;
} known_list;

/* A list of hexadecimal texts. */
known_list known_hex_list(known_case *c, const char *field);

/* An empty buffer, and room for `count` byte strings. */
sc_buffer *known_buffer(known_case *c);
sc_bytes *known_bytes_array(known_case *c, size_t count);

/* The environment to run the case in: counts memory, draws seeded bytes. */
const sc_env *known_env(known_case *c);

/* The same, but with exactly these random bytes; drawing more or fewer is a flaw. */
const sc_env *known_draws(known_case *c, sc_bytes recorded);

/* Outputs: compared with the recorded field. Nothing is compared if the recorded answer is a refusal. */
void known_same(known_case *c, const char *field, sc_bytes actual);
void known_same_text(known_case *c, const char *field, sc_bytes actual);
void known_same_id(known_case *c, const char *field, const sc_id *actual);
void known_same_integer(known_case *c, const char *field, int64_t actual);
void known_same_flag(known_case *c, const char *field, bool actual);
void known_same_list(known_case *c, const char *field, const sc_bytes *actual, size_t count);

/* Another error in our answer. The first flaw is kept. */
void known_differs(known_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
