/* Scripts: the steps of several devices with configs of one type, and their results.
 *
 * Steps that every config knows (create, push, confirm_pushed, merge, dump, raw_set and those of the keys)
 * are run here; those of a type are in its topic, as a table. */
#ifndef SC_TESTS_VECTORS_CONFIG_SCRIPT_H
#define SC_TESTS_VECTORS_CONFIG_SCRIPT_H

#include "topics.h"

typedef struct script_label {
  struct script_label *next;
  sc_bytes name;
  sc_bytes bytes; /* the result of a push or a dump */
} script_label;

typedef struct script {
  known_case *c;        /* whose `json` is the step at hand */
  const sc_json *whole; /* the case */
  uint64_t now_ms;      /* the wall clock */
  bool restored;        /* the device at hand was made from a dump */
  bool names_differ;    /* a name was truncated differently from the reference: values that contain it are not
                           compared */
  script_label *labels;
  sc_config_hashes current;  /* of the device at hand, before the step */
  sc_config_hashes disputed; /* on which we and the reference differ; see script_decisions_print */
} script;

typedef struct script_step {
  const char *name;
  /* Runs the step and compares the outputs with its result; returns how the operation ended. */
  sc_status (*run)(script *s, void *object);
} script_step;

typedef struct script_type {
  /* Makes an object of this type from a dump, or a new one when that is empty. */
  sc_status (*create)(void **out, script *s, sc_bytes dump);
  void (*destroy)(void *object);
  sc_config *(*config)(void *object);
  const script_step *steps;
  size_t step_count;
} script_type;

/* Runs the case; SC_OK if all steps went as recorded. */
sc_status script_run(known_case *c, const script_type *type);

/* At the end of a topic's file: SCRIPT_TOPIC(config_group_info, "config_group_info", create, destroy, config,
 * {"set_name", set_name}, …) */
#define SCRIPT_TOPIC(identifier, create, destroy, config, ...)                                               \
  static const script_step identifier##_steps[] = {__VA_ARGS__};                                             \
  static const script_type identifier##_type = {create, destroy, config, identifier##_steps,                 \
                                                sizeof identifier##_steps / sizeof identifier##_steps[0]};   \
  static sc_status run_##identifier(known_case *c) {                                                         \
    return script_run(c, &identifier##_type);                                                                \
  }                                                                                                          \
  TOPIC(identifier, {"script", run_##identifier})

/* The steps that every config knows. */
extern const script_step script_common_steps[];
extern const size_t script_common_step_count;

/* The script results on which we differ from the recording, and why. */
void script_decisions_print(void);

/* From now on lists of hashes may contain or omit this one. */
void script_dispute(script *s, sc_bytes hash);

/* Remembers what a step gave under the label it has, if it has one; looks one up by the label in `field`. */
void script_remember(script *s, sc_bytes bytes);
sc_bytes script_recall(script *s, const char *field);

/* Enters a member of the current value, to compare its content; afterwards returns to the value this call
 * returned. A missing member is a flaw. */
const sc_json *script_enter(script *s, const char *field);
void script_leave(script *s, const sc_json *back);

/* The account that owns the case's configs. */
sc_keypair script_account(script *s);

/* Inputs of a step. */
sc_status script_id(sc_id *out, script *s, const char *field);
sc_config_picture script_picture(script *s); /* of the fields url and key */
/* A name that the step allows to be too long. */
sc_bytes script_uncut_name(script *s, const char *field);

/* The inputs for creating a group's config. */
typedef struct script_group {
  sc_id id;
  sc_ed25519_pair pair;
  const sc_ed25519_pair *admin; /* the pair, or NULL */
  known_list keys;
} script_group;

sc_status script_read_group(script_group *out, script *s);

/* Outputs, compared with members of the current value. Empty texts and the number 0 may be recorded as null.
 */
void script_same_text(script *s, const char *field, sc_bytes actual);
void script_same_integer(script *s, const char *field, int64_t actual);
void script_same_picture(script *s, const char *field, const sc_config_picture *actual);
void script_same_hex_or_null(script *s, const char *field, sc_bytes actual);

/* For a step that erases: returns `status`, and compares whether a record was erased. */
sc_status script_told_erased(script *s, sc_status status, bool erased);

/* A list of hashes, in this order. */
void script_same_texts(script *s, const char *field, const sc_bytes *actual, size_t count);

#endif
