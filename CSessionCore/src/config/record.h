/* Writing the fields of a record, a dict whose keys are single letters, as part of a change. Fields that are
 * not written are unchanged; writing an empty value erases a field. */
#ifndef SC_CONFIG_RECORD_H
#define SC_CONFIG_RECORD_H

#include "change.h"
#include "fields.h"
#include "session-core/config/values.h"

/* The maximum number of fields written at once; no record has more. */
enum { sc_config_most_writes = 32 };

typedef struct sc_config_write {
  sc_bytes key;
  sc_config_value value;
  bool erases;
} sc_config_write;

typedef struct sc_config_record {
  sc_config_change *change;
  sc_config_path path;
  bool exists;
  sc_config_entry before;                        /* if it exists */
  sc_config_write writes[sc_config_most_writes]; /* in the order of their keys */
  size_t count;
} sc_config_record;

/* Begins the record at the end of a path, which may be new; all data for an empty path. The keys of the path
 * are borrowed until the change ends, written values until the record ends. Until then edit only this
 * record. */
void sc_config_record_begin(sc_config_record *out, sc_config_change *change, sc_config_path path);

/* Adds the record to the change. A record without fields is removed. */
void sc_config_record_end(sc_config_record *record);

/* The fields as they were when the record was begun. */
void sc_config_record_before(sc_config_fields *out, const sc_config_record *record);

/* True if it now has no fields. */
bool sc_config_record_is_empty(const sc_config_record *record);

void sc_config_write_integer(sc_config_record *record, const char *key, int64_t number); /* even 0 */
void sc_config_write_nonzero(sc_config_record *record, const char *key, int64_t number);
void sc_config_write_positive(sc_config_record *record, const char *key, int64_t number);
void sc_config_write_flag(sc_config_record *record, const char *key, bool flag);
void sc_config_write_string(sc_config_record *record, const char *key, sc_bytes text); /* unless empty */
void sc_config_write_always(sc_config_record *record, const char *key, sc_bytes text); /* even empty */
/* Erases both fields unless the picture has a URL and a key. */
void sc_config_write_picture(sc_config_record *record, const char *url_key, const char *key_key,
                             const sc_config_picture *picture);
void sc_config_write_nothing(sc_config_record *record, const char *key);

/* Checks a text to be written: SC_ERR_UTF8, then `too_long` over `most` bytes. */
SC_NODISCARD sc_status sc_config_check_text(sc_bytes text, size_t most, sc_status too_long);
/* SC_ERR_UTF8, SC_ERR_CONFIG_NAME. */
SC_NODISCARD sc_status sc_config_check_name(sc_bytes name);
/* SC_ERR_UTF8, SC_ERR_CONFIG_PICTURE. A picture without a valid key counts as none, which is allowed. */
SC_NODISCARD sc_status sc_config_check_picture(const sc_config_picture *picture);

#endif
