/* Values to choose among, and a plain text form of records. */
#ifndef SC_TESTS_SCHEDULES_VALUES_H
#define SC_TESTS_SCHEDULES_VALUES_H

#include "session-core/session-core.h"
#include "support/draws.h"

/* The first byte names the record, the rest is constant; records below 100 are for random edits. */
void value_id(sc_id *out, sc_id_kind kind, unsigned record);

/* Own records are numbered from here on. */
enum { first_own_record = 100 };

/* They may be empty. */
sc_bytes draw_name(draws *from);
sc_config_picture draw_picture(draws *from);
/* Small, and sometimes not positive. */
int32_t draw_number(draws *from);
/* In seconds, sometimes 0. */
int64_t draw_time(draws *from);
sc_bytes draw_url(draws *from);
sc_bytes draw_room(draws *from);
const uint8_t *draw_server_key(draws *from);

/* Fills `out` with this many incompressible letters. */
void draw_letters(char *out, size_t count, draws *from);

/* Appends to a description; the first failure ends it. */
typedef struct description {
  sc_buffer *out;
  sc_status status;
} description;

void describe_number(description *to, int64_t number);
void describe_bytes(description *to, sc_bytes bytes);
void describe_text(description *to, const char *text);
void describe_id(description *to, const sc_id *id);
void describe_picture(description *to, const sc_config_picture *picture);
/* Reaching the end of a walk is not an error. */
sc_status description_end(const description *to, sc_status walk);

#endif
