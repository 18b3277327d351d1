/* The frames of a request stream: "N:" and a bt list of N bytes, which is a command, a reply or an error.
 *
 * The reader takes a stream apart however it was cut. A frame that lies whole in the bytes at hand is read
 * where it is; only what is incomplete is copied and kept, at most one frame unless more is held on purpose.
 */
#ifndef SC_NETWORK_QUIC_FRAME_H
#define SC_NETWORK_QUIC_FRAME_H

#include "blocks.h"

typedef enum sc_quic_frame_kind {
  SC_QUIC_FRAME_COMMAND,
  SC_QUIC_FRAME_REPLY,
  SC_QUIC_FRAME_ERROR,
} sc_quic_frame_kind;

typedef struct sc_quic_frame {
  sc_quic_frame_kind kind;
  int64_t id;
  sc_bytes name; /* of commands */
  sc_bytes body;
} sc_quic_frame;

enum {
  sc_quic_most_length_digits = 8, /* of the largest list */
  sc_quic_largest_list = 10000000,
  /* of everything before the body: length, list, type, id, name and the body's length */
  sc_quic_largest_head = 320,
};

/* Reads a list. Lenient where peers are: spare zeros in the id, any elements after the body; an unknown type
 * is a command without a name. SC_ERR_REQUEST_FRAME. */
SC_NODISCARD sc_status sc_quic_frame_parse(sc_quic_frame *out, sc_bytes list);

/* Writes what comes before the body of a frame, and 'e' comes behind it. `name` has at most
 * SC_QUIC_MAX_COMMAND_BYTES bytes. Returns the length of the head and gives that of the whole frame. */
size_t sc_quic_frame_head(uint8_t out[static sc_quic_largest_head], size_t *frame_len,
                          const sc_quic_frame *frame);

typedef struct sc_quic_frame_reader {
  sc_quic_blocks *blocks;
  size_t largest; /* list */
  uint8_t *kept;  /* NULL when nothing is */
  size_t capacity;
  size_t begin;
  size_t end;
} sc_quic_frame_reader;

/* `blocks` is where its memory comes from, and must outlive it. */
void sc_quic_frame_reader_init(sc_quic_frame_reader *reader, sc_quic_blocks *blocks, size_t largest_list);
void sc_quic_frame_reader_free(sc_quic_frame_reader *reader);

/* The next frame of the kept bytes and the input, from which it takes what it needs; its views last until the
 * next call. SC_ERR_TRUNCATED when there is no whole frame yet, all input being kept. SC_ERR_REQUEST_FRAME,
 * SC_ERR_REQUEST_TOO_LARGE and SC_ERR_NO_MEMORY are the end of the stream. */
SC_NODISCARD sc_status sc_quic_frame_next(sc_quic_frame *out, sc_quic_frame_reader *reader, sc_bytes *input);

/* Keeps the input unread, behind what is kept. */
SC_NODISCARD sc_status sc_quic_frame_hold(sc_quic_frame_reader *reader, sc_bytes input);

/* Bytes kept and not read. */
static inline size_t sc_quic_frame_kept(const sc_quic_frame_reader *reader) {
  return reader->end - reader->begin;
}

#endif
