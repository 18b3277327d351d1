/* Reads JSON objects by a table of their members. */
#ifndef SC_SRC_ARCHIVE_OBJECT_H
#define SC_SRC_ARCHIVE_OBJECT_H

#include "../base/arena.h"
#include "../base/json_cursor.h"

enum { sc_object_depth = 8, sc_object_most_members = 16 };

/* Where members are read to. */
typedef struct sc_object_place {
  void *into;
  sc_arena *arena;
  sc_buffer text; /* of the last string; wiped */
} sc_object_place;

typedef struct sc_object_member {
  const char *name;
  sc_status (*read)(sc_object_place *place, sc_json_cursor *cursor);
  bool optional;
} sc_object_member;

/* Reads the next value, which must be an object. Other members are passed over. SC_ERR_JSON_TYPE,
 * SC_ERR_NOT_FOUND for a missing member, or the status of a member's function. */
SC_NODISCARD sc_status sc_object_read(sc_object_place *place, sc_json_cursor *cursor,
                                      const sc_object_member *members, size_t count);

/* Take a string into the arena, and a list of strings. SC_ERR_JSON_TYPE, SC_ERR_TOO_LARGE for more than
 * `most`. */
SC_NODISCARD sc_status sc_object_text(sc_bytes *out, sc_object_place *place, sc_json_cursor *cursor);
SC_NODISCARD sc_status sc_object_list(sc_bytes **out, size_t *count, sc_object_place *place,
                                      sc_json_cursor *cursor, size_t most);

/* Takes a number that is not negative. SC_ERR_JSON_RANGE. */
SC_NODISCARD sc_status sc_object_count(int64_t *out, sc_json_cursor *cursor);

/* Reads a whole document: one object. */
SC_NODISCARD sc_status sc_object_document(sc_object_place *place, sc_bytes text,
                                          const sc_object_member *members, size_t count);

#endif
