/* The file of the sample of guards: lines of text, whose fields are separated by bars.
 *
 *   session-guards|1
 *   guard|KEY|SAMPLED|ENDS|CONFIRMED|NUMBER|UNLISTED|BACK UNTIL
 *   middle|KEY|ENDS
 *   walked|SECONDS
 *   growth|DAY          oldest first
 *   setback|DAY
 *
 * Days are counted from 1970, and 0 is none. */
#ifndef SC_SRC_NETWORK_GUARDS_SAMPLE_FILE_H
#define SC_SRC_NETWORK_GUARDS_SAMPLE_FILE_H

#include "sample.h"

#define SC_SAMPLE_FILE_MOST ((size_t)16 * 1024)

/* Reads the file. Invalid lines, duplicates and nodes beyond the limit are left out; a future day becomes
 * today. SC_ERR_NODE_FILE for a file of another version or without guards, and then `out` is empty;
 * SC_ERR_TOO_LARGE. */
SC_NODISCARD sc_status sc_sample_read(sc_sample *out, sc_day today, sc_bytes file);

/* Replaces `out` with the file. */
SC_NODISCARD sc_status sc_sample_write(sc_buffer *out, const sc_sample *sample);

#endif
