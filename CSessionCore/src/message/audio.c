/* Each format has a reader of its own, which returns true if the file has that format, and sets a length if
 * it can. Formats without a container are believed only if their frames follow each other to the end. */
#include "session-core/message/audio.h"

#include <string.h>

#include "../base/text.h"

enum {
  tag_head = 10,       /* of an ID3 tag before the sound */
  tag_tail = 128,      /* the size of an ID3 tag behind it */
  box_head = 8,        /* size and type */
  large_box_head = 16, /* the same with a size of 64 bits */
  most_boxes = 4096,   /* that are looked at in one box */
  adts_head = 7,
  adts_samples = 1024,
  mp3_head = 4,
  ogg_head = 27,
  wav_head = 12,
  chunk_head = 8,
  wav_format = 16,
  flac_info = 34,
  opus_rate = 48000,
  fewest_frames = 2,
};

static uint64_t big(sc_bytes from, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++)
    value = value << 8 | from.ptr[at + i];
  return value;
}

static uint64_t little(sc_bytes from, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i > 0; i--)
    value = value << 8 | from.ptr[at + i - 1];
  return value;
}

static bool has_text(sc_bytes bytes, size_t at, const char *text) {
  size_t len = strlen(text);
  return at <= bytes.len && bytes.len - at >= len && memcmp(bytes.ptr + at, text, len) == 0;
}

static sc_bytes from(sc_bytes bytes, size_t at) {
  return at < bytes.len ? sc_bytes_make(bytes.ptr + at, bytes.len - at) : sc_bytes_make(bytes.ptr, 0);
}

/* Sets the length, unless there is none, or it is implausible. */
static void set_length(sc_audio *out, uint64_t units, uint64_t per_second) {
  if (per_second == 0 || units / per_second > SC_AUDIO_MAX_MS / 1000)
    return;
  uint64_t milliseconds = units / per_second * 1000 + units % per_second * 1000 / per_second;
  if (units == 0 || milliseconds > SC_AUDIO_MAX_MS)
    return;
  out->has_length = true;
  out->milliseconds = milliseconds;
}

/* --- MP4 --- */

typedef struct box {
  char type[4];
  sc_bytes content;
} box;

static bool is_type(const box *found, const char *type) {
  return memcmp(found->type, type, sizeof found->type) == 0;
}

/* Takes a box off the front. False for what is none, or larger than what is there. */
static bool take_box(box *out, sc_bytes *rest) {
  if (rest->len < box_head)
    return false;
  uint64_t size = big(*rest, 0, 4);
  size_t head = box_head;
  if (size == 1) {
    if (rest->len < large_box_head)
      return false;
    head = large_box_head;
    size = big(*rest, box_head, 8);
  } else if (size == 0) {
    size = rest->len;
  }
  if (size < head || size > rest->len)
    return false;
  memcpy(out->type, rest->ptr + 4, sizeof out->type);
  out->content = sc_bytes_make(rest->ptr + head, (size_t)size - head);
  *rest = from(*rest, (size_t)size);
  return true;
}

static bool find_box(sc_bytes *out, sc_bytes in, const char *type) {
  box found;
  for (int i = 0; i < most_boxes && take_box(&found, &in); i++) {
    if (is_type(&found, type)) {
      *out = found.content;
      return true;
    }
  }
  return false;
}

/* The length in the header of the whole, of version 0 or 1; all ones, or zero, mean that it is unknown. */
static void read_movie_length(sc_audio *out, sc_bytes head) {
  bool is_long = head.len > 0 && head.ptr[0] == 1;
  size_t at = is_long ? 20 : 12;
  size_t width = is_long ? 8 : 4;
  if (head.len < at + 4 + width || head.ptr[0] > 1)
    return;
  uint64_t units = big(head, at + 4, width);
  if (units != (is_long ? UINT64_MAX : UINT32_MAX))
    set_length(out, units, big(head, at, 4));
}

/* True if the tracks are sound, and none of them pictures. */
static bool is_sound(sc_bytes movie) {
  bool has_sound = false;
  box found;
  for (int i = 0; i < most_boxes && take_box(&found, &movie); i++) {
    sc_bytes media;
    sc_bytes handler;
    if (!is_type(&found, "trak") || !find_box(&media, found.content, "mdia") ||
        !find_box(&handler, media, "hdlr"))
      continue;
    if (has_text(handler, 8, "vide"))
      return false;
    has_sound = has_sound || has_text(handler, 8, "soun");
  }
  return has_sound;
}

static bool read_mp4(sc_audio *out, sc_bytes file) {
  sc_bytes movie;
  sc_bytes head;
  if (!has_text(file, 4, "ftyp") || !find_box(&movie, file, "moov") || !is_sound(movie))
    return false;
  if (find_box(&head, movie, "mvhd"))
    read_movie_length(out, head);
  return true;
}

/* --- AAC and MP3 --- */

/* The sound without the tags before and behind it. */
static sc_bytes without_tags(sc_bytes file) {
  if (has_text(file, 0, "ID3") && file.len >= tag_head) {
    size_t size = 0;
    for (size_t i = 6; i < tag_head; i++)
      size = size << 7 | (file.ptr[i] & 0x7f);
    size_t footer = (file.ptr[5] & 0x10) != 0 ? tag_head : 0;
    file = from(file, tag_head + size + footer);
  }
  if (file.len >= tag_tail && has_text(file, file.len - tag_tail, "TAG"))
    file.len -= tag_tail;
  return file;
}

typedef struct frame {
  size_t size;
  uint32_t samples;
  uint32_t rate;
} frame;

typedef bool frame_reader(frame *out, sc_bytes bytes);

static bool read_adts_frame(frame *out, sc_bytes bytes) {
  static const uint32_t rates[] = {96000, 88200, 64000, 48000, 44100, 32000, 24000,
                                   22050, 16000, 12000, 11025, 8000,  7350};
  if (bytes.len < adts_head || bytes.ptr[0] != 0xff || (bytes.ptr[1] & 0xf6) != 0xf0)
    return false;
  size_t rate = bytes.ptr[2] >> 2 & 0xf;
  if (rate >= sizeof rates / sizeof rates[0])
    return false;
  out->rate = rates[rate];
  out->size = (size_t)(bytes.ptr[3] & 3) << 11 | (size_t)bytes.ptr[4] << 3 | bytes.ptr[5] >> 5;
  out->samples = adts_samples * ((uint32_t)(bytes.ptr[6] & 3) + 1);
  return out->size >= adts_head;
}

static bool read_mp3_frame(frame *out, sc_bytes bytes) {
  static const uint16_t kilobits[2][15] = {
      {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}, /* version 1 */
      {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},     /* versions 2 and 2.5 */
  };
  static const uint32_t rates[4][3] = {
      {11025, 12000, 8000}, {0, 0, 0}, {22050, 24000, 16000}, {44100, 48000, 32000}};
  if (bytes.len < mp3_head || bytes.ptr[0] != 0xff || (bytes.ptr[1] & 0xe6) != 0xe2)
    return false;
  size_t version = bytes.ptr[1] >> 3 & 3;
  size_t kilobit = bytes.ptr[2] >> 4;
  size_t rate = bytes.ptr[2] >> 2 & 3;
  bool is_first = version == 3;
  if (version == 1 || kilobit == 0 || kilobit == 15 || rate == 3)
    return false;
  out->rate = rates[version][rate];
  out->samples = is_first ? 1152 : 576;
  uint32_t bits = 1000U * kilobits[is_first ? 0 : 1][kilobit];
  out->size = out->samples / 8 * bits / out->rate + (bytes.ptr[2] >> 1 & 1);
  return out->size > mp3_head;
}

/* True for a frame of an MP3 file that describes the others and has no sound. */
static bool is_description(sc_bytes frame_bytes) {
  static const size_t places[] = {13, 21, 36}; /* behind the side information; it depends on the channels */
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    if (has_text(frame_bytes, places[i], "Xing") || has_text(frame_bytes, places[i], "Info") ||
        has_text(frame_bytes, places[i], "VBRI"))
      return true;
  }
  return false;
}

/* Counts frames that follow each other to the end; the last one may be cut. */
static bool read_frames(sc_audio *out, sc_bytes rest, frame_reader *read) {
  uint64_t samples = 0;
  uint32_t rate = 0;
  size_t frames = 0;
  while (rest.len > 0) {
    frame next;
    if (!read(&next, rest) || (rate != 0 && next.rate != rate)) {
      /* A tag or a cut head at the end is no sound, and anything else no such file. */
      if (rest.len >= adts_head && !has_text(rest, 0, "APETAGEX"))
        return false;
      break;
    }
    rate = next.rate;
    if (next.size > rest.len)
      break;
    if (frames > 0 || !is_description(sc_bytes_make(rest.ptr, next.size)))
      samples += next.samples;
    frames++;
    rest = from(rest, next.size);
  }
  if (frames < fewest_frames)
    return false;
  set_length(out, samples, rate);
  return true;
}

/* --- Ogg --- */

/* The samples a second of a stream, by its first packet, and the samples before the sound; 0 if unknown. */
static uint64_t ogg_rate(uint64_t *skipped, sc_bytes packet) {
  *skipped = 0;
  if (has_text(packet, 0, "OpusHead") && packet.len >= 19) {
    *skipped = little(packet, 10, 2);
    return opus_rate;
  }
  if (has_text(packet, 0, "\x01vorbis") && packet.len >= 16)
    return little(packet, 12, 4);
  if (has_text(packet, 0, "Speex   ") && packet.len >= 40)
    return little(packet, 36, 4);
  if (has_text(packet, 0, "\x7f\x46LAC") && packet.len >= 30)
    return big(packet, 27, 3) >> 4;
  return 0;
}

static bool read_ogg(sc_audio *out, sc_bytes file) {
  uint64_t rate = 0;
  uint64_t skipped = 0;
  uint64_t last = 0;
  uint64_t serial = 0;
  sc_bytes rest = file;
  bool is_first = true;
  if (!has_text(file, 0, "OggS"))
    return false;
  while (has_text(rest, 0, "OggS") && rest.len >= ogg_head) {
    size_t segments = rest.ptr[26];
    size_t size = ogg_head + segments;
    if (rest.len < size)
      break;
    for (size_t i = 0; i < segments; i++)
      size += rest.ptr[ogg_head + i];
    if (rest.len < size)
      break;
    uint64_t position = little(rest, 6, 8);
    if (is_first) {
      serial = little(rest, 14, 4);
      rate = ogg_rate(&skipped, sc_bytes_make(rest.ptr + ogg_head + segments, size - ogg_head - segments));
    }
    /* No packet ends on a page with all ones. */
    if (position != UINT64_MAX && little(rest, 14, 4) == serial)
      last = position;
    is_first = false;
    rest = from(rest, size);
  }
  if (last > skipped)
    set_length(out, last - skipped, rate);
  return true;
}

/* --- WAV and FLAC --- */

static bool read_wav(sc_audio *out, sc_bytes file) {
  uint64_t bytes_a_second = 0;
  if (!has_text(file, 0, "RIFF") || !has_text(file, 8, "WAVE"))
    return false;
  sc_bytes rest = from(file, wav_head);
  for (int i = 0; i < most_boxes && rest.len >= chunk_head; i++) {
    uint64_t size = little(rest, 4, 4);
    sc_bytes content = from(rest, chunk_head);
    /* A program that writes to a pipe does not know the size: it is then more than is there, or 0. */
    if (has_text(rest, 0, "data")) {
      set_length(out, size == 0 || size > content.len ? content.len : size, bytes_a_second);
      return true;
    }
    if (size > content.len)
      break;
    if (has_text(rest, 0, "fmt ") && size >= wav_format)
      bytes_a_second = little(content, 8, 4);
    rest = from(content, (size_t)(size + (size & 1)));
  }
  return true;
}

static bool read_flac(sc_audio *out, sc_bytes file) {
  if (!has_text(file, 0, "fLaC") || file.len < 8 + flac_info || (file.ptr[4] & 0x7f) != 0)
    return false;
  uint64_t rate = big(file, 18, 3) >> 4;
  set_length(out, big(file, 21, 5) & 0xfffffffffU, rate);
  return true;
}

void sc_audio_inspect(sc_audio *out, sc_bytes file) {
  memset(out, 0, sizeof *out);
  if (read_mp4(out, file))
    out->format = SC_AUDIO_MP4;
  else if (read_ogg(out, file))
    out->format = SC_AUDIO_OGG;
  else if (read_wav(out, file))
    out->format = SC_AUDIO_WAV;
  else if (read_flac(out, file))
    out->format = SC_AUDIO_FLAC;
  else if (read_frames(out, without_tags(file), read_adts_frame))
    out->format = SC_AUDIO_ADTS;
  else if (read_frames(out, without_tags(file), read_mp3_frame))
    out->format = SC_AUDIO_MP3;
}
