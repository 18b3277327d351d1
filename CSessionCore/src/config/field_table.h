/* The fields of a record as a table: one row for each field, used for reading, checking and writing.
 *
 * The table of a config type lists the keys of its records and their types. Rules for a single field stay in
 * code. */
#ifndef SC_SRC_CONFIG_FIELD_TABLE_H
#define SC_SRC_CONFIG_FIELD_TABLE_H

#include "record.h"

typedef enum sc_field_form {
  SC_FIELD_FLAG,     /* bool: 1, or absent */
  SC_FIELD_NUMBER,   /* int32_t of either sign; absent for 0 */
  SC_FIELD_AMOUNT,   /* int32_t above 0, or absent */
  SC_FIELD_CHOICE,   /* an enum of 0…`limit`; absent for 0 */
  SC_FIELD_ANSWER,   /* sc_config_choice: 0 for no, absent if undecided */
  SC_FIELD_INTEGER,  /* int64_t of either sign; absent for 0 */
  SC_FIELD_SECONDS,  /* int64_t above 0, or absent; old clients stored milliseconds or microseconds */
  SC_FIELD_POSITIVE, /* int64_t above 0, or absent */
  SC_FIELD_TIME,     /* int64_t of 1…SC_CONFIG_MAX_SECONDS, or absent */
  SC_FIELD_TEXT,     /* sc_bytes: UTF-8 of at most `limit` bytes; 0 for the limit of names */
  SC_FIELD_FIXED,    /* sc_bytes of `limit` bytes, or absent */
  SC_FIELD_PICTURE,  /* sc_config_picture: its URL; its key is in the field `second` */
  SC_FIELD_BITS, /* uint64_t as a set; never written with the record, because devices change single bits */
} sc_field_form;

typedef struct sc_field_row {
  const char *key;
  sc_field_form form;
  size_t offset; /* in the struct that holds the record */
  int64_t limit;
  const char *second;
  sc_status too_long; /* status for texts that are too long; by default they are cut */
  bool is_kept_empty; /* for texts: written even if empty */
  bool is_read_only;
} sc_field_row;

/* Rows in ascending order of their keys. */
typedef struct sc_field_table {
  const sc_field_row *rows;
  size_t count;
} sc_field_table;

#define SC_FIELD_TABLE(list) ((sc_field_table){(list), sizeof(list) / sizeof((list)[0])})

/* Sets the members of `out` that the table lists; others are unchanged. */
void sc_field_table_read(void *out, sc_field_table table, sc_config_fields *fields);

/* Writes the fields to a record. The change fails with SC_ERR_ARGUMENT for an unknown choice, SC_ERR_UTF8, a
 * row's `too_long`, or the status of sc_config_check_picture. An invalid text that is already stored may
 * stay, so that another client's bad value does not make a record uneditable. */
void sc_field_table_write(sc_config_record *record, sc_field_table table, const void *value);

/* Writes one field, for configs whose fields are edited one by one. `member` has the type that its row
 * states. The change fails as above. */
void sc_field_table_write_one(sc_config_record *record, sc_field_table table, const char *key,
                              const void *member);

#endif
