/* The fields of a record as a table: one row a field, for reading, checking and writing alike.
 *
 * A config type says in its table which keys its records have and what each holds; rules that hold for
 * one field alone stay in code. */
#ifndef SC_SRC_CONFIG_FIELD_TABLE_H
#define SC_SRC_CONFIG_FIELD_TABLE_H

#include "record.h"

typedef enum sc_field_form {
  SC_FIELD_FLAG,     /* bool: 1, or no field */
  SC_FIELD_NUMBER,   /* int32_t of either sign; no field for 0 */
  SC_FIELD_AMOUNT,   /* int32_t above 0, or no field */
  SC_FIELD_CHOICE,   /* an enum of 0…`limit`; no field for 0 */
  SC_FIELD_ANSWER,   /* sc_config_choice: 0 for no, or no field for what is undecided */
  SC_FIELD_INTEGER,  /* int64_t of either sign; no field for 0 */
  SC_FIELD_SECONDS,  /* int64_t above 0, or no field; old clients stored milliseconds or microseconds */
  SC_FIELD_POSITIVE, /* int64_t above 0, or no field */
  SC_FIELD_TIME,     /* int64_t of 1…SC_CONFIG_MAX_SECONDS, or no field */
  SC_FIELD_TEXT,     /* sc_bytes: UTF-8 of at most `limit` bytes, or of as many as a name may have */
  SC_FIELD_FIXED,    /* sc_bytes of `limit` bytes, or no field */
  SC_FIELD_PICTURE,  /* sc_config_picture: its address; its key is the field `second` */
  SC_FIELD_BITS,     /* uint64_t as a set; never written with the record, for devices change single bits */
} sc_field_form;

typedef struct sc_field_row {
  const char *key;
  sc_field_form form;
  size_t offset; /* in the struct that holds the record */
  int64_t limit;
  const char *second;
  sc_status too_long; /* of texts: refused with this, instead of cut */
  bool is_kept_empty; /* of texts: written even if empty */
  bool is_read_only;
} sc_field_row;

/* Rows in the ascending order of their keys. */
typedef struct sc_field_table {
  const sc_field_row *rows;
  size_t count;
} sc_field_table;

#define SC_FIELD_TABLE(list) ((sc_field_table){(list), sizeof(list) / sizeof((list)[0])})

/* Fills in the members of `out` that the table names; others stay. */
void sc_field_table_read(void *out, sc_field_table table, sc_config_fields *fields);

/* Writes the fields to a record. The change fails with SC_ERR_ARGUMENT for an unknown choice, SC_ERR_UTF8, a
 * row's `too_long`, or the status of sc_config_check_picture. A text that is already stored may stay: a bad
 * value of another client must not make a record uneditable. */
void sc_field_table_write(sc_config_record *record, sc_field_table table, const void *value);

/* Writes the one field of a key, for configs whose fields are edited one by one. `member` is what its row's
 * form says. The change fails as above. */
void sc_field_table_write_one(sc_config_record *record, sc_field_table table, const char *key,
                              const void *member);

#endif
