/* The format and length of a recording, read from its container. Nothing is decoded.
 *
 * Nothing allocates, and no input fails: what cannot be read has an unknown format or length. Sizes and
 * counts in the file are never trusted beyond the bytes that are there. Calls are independent of each other.
 */
#ifndef SC_MESSAGE_AUDIO_H
#define SC_MESSAGE_AUDIO_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

typedef enum sc_audio_format {
  SC_AUDIO_UNKNOWN = 0,
  SC_AUDIO_MP4 = 1,  /* with sound and no pictures */
  SC_AUDIO_ADTS = 2, /* AAC without a container */
  SC_AUDIO_MP3 = 3,
  SC_AUDIO_OGG = 4,
  SC_AUDIO_WAV = 5,
  SC_AUDIO_FLAC = 6,
} sc_audio_format;

/* The longest length that is believed; a longer one is unknown. */
#define SC_AUDIO_MAX_MS 86400000

typedef struct sc_audio {
  sc_audio_format format;
  bool has_length;
  uint64_t milliseconds; /* 0 if the length is unknown */
} sc_audio;

/* Examines a whole file. */
SC_API void sc_audio_inspect(sc_audio *out, sc_bytes file);

SC_API_END

#endif
