#include "session-core/message/audio.h"

#include <string.h>

#include "support/test.h"

/* Files are written as text: hexadecimal digits, in the order of the format. */
static sc_status write(sc_buffer *out, const char *const *parts, size_t count) {
  sc_status status = SC_OK;
  for (size_t i = 0; i < count && status == SC_OK; i++)
    status = sc_test_hex(out, parts[i]);
  return status;
}

/* A chain of frames, all but the head zero. */
static sc_status write_frames(sc_buffer *out, const uint8_t *head, size_t head_len, size_t size, int count) {
  sc_status status = SC_OK;
  for (int i = 0; i < count && status == SC_OK; i++) {
    uint8_t *frame;
    status = sc_buffer_extend(&frame, out, size);
    if (status != SC_OK)
      break;
    memset(frame, 0, size);
    memcpy(frame, head, head_len);
  }
  return status;
}

static sc_audio inspected(const sc_buffer *file) {
  sc_audio audio;
  sc_audio_inspect(&audio, sc_buffer_bytes(file));
  return audio;
}

#define FTYP                                                                                                 \
  "00000010"                                                                                                 \
  "66747970"                                                                                                 \
  "4d344120"                                                                                                 \
  "00000000"
/* A track whose handler is sound: trak(44) { mdia(36) { hdlr(28) } } */
#define TRACK(handler)                                                                                       \
  "0000002c"                                                                                                 \
  "7472616b"                                                                                                 \
  "00000024"                                                                                                 \
  "6d646961"                                                                                                 \
  "0000001c"                                                                                                 \
  "68646c72"                                                                                                 \
  "00000000"                                                                                                 \
  "00000000" handler "00000000"                                                                              \
  "00000000"
#define SOUND TRACK("736f756e")
#define PICTURES TRACK("76696465")
/* mvhd(28): 1000 units a second, then the length */
#define HEADER(length)                                                                                       \
  "0000001c"                                                                                                 \
  "6d766864"                                                                                                 \
  "00000000"                                                                                                 \
  "00000000"                                                                                                 \
  "00000000"                                                                                                 \
  "000003e8" length
/* mvhd(40) of version 1 */
#define LONG_HEADER(length)                                                                                  \
  "00000028"                                                                                                 \
  "6d766864"                                                                                                 \
  "01000000"                                                                                                 \
  "0000000000000000"                                                                                         \
  "0000000000000000"                                                                                         \
  "000003e8" length

static void an_mp4_file_states_its_length(sc_test *t) {
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  const char *const parts[] = {FTYP,
                               "00000050"
                               "6d6f6f76",
                               HEADER("00003039"), SOUND};
  OK(write(&file, parts, 4));
  sc_audio audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_MP4 && audio.has_length && audio.milliseconds == 12345);
  sc_buffer_clear(&file);
  const char *const longer[] = {FTYP,
                                "0000005c"
                                "6d6f6f76",
                                LONG_HEADER("0000000000000bb8"), SOUND};
  OK(write(&file, longer, 4));
  audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_MP4 && audio.milliseconds == 3000);
done:
  sc_buffer_free(&file);
}

static void an_impossible_length_is_unknown(sc_test *t) {
  static const char *const headers[] = {
      HEADER("00000000"), /* none: a stream */
      HEADER("ffffffff"), /* unknown */
      HEADER("fffffffe"), /* seven weeks */
      "0000000c"
      "6d766864"
      "00000000" /* no room for it; the rest is filled */
      "00000010"
      "66726565"
      "00000000"
      "00000000",
  };
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
    sc_buffer_clear(&file);
    const char *const parts[] = {FTYP,
                                 "00000050"
                                 "6d6f6f76",
                                 headers[i], SOUND};
    OK(write(&file, parts, 4));
    sc_audio audio = inspected(&file);
    CHECK(audio.format == SC_AUDIO_MP4 && !audio.has_length && audio.milliseconds == 0);
  }
  sc_buffer_clear(&file);
  const char *const huge[] = {FTYP,
                              "0000005c"
                              "6d6f6f76",
                              LONG_HEADER("8000000000000000"), SOUND};
  OK(write(&file, huge, 4));
  CHECK(inspected(&file).format == SC_AUDIO_MP4 && !inspected(&file).has_length);
done:
  sc_buffer_free(&file);
}

static void a_film_is_no_recording(sc_test *t) {
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  const char *const film[] = {FTYP,
                              "0000007c"
                              "6d6f6f76",
                              HEADER("00003039"), SOUND, PICTURES};
  OK(write(&file, film, 5));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
  sc_buffer_clear(&file);
  const char *const silent[] = {FTYP,
                                "00000024"
                                "6d6f6f76",
                                HEADER("00003039")};
  OK(write(&file, silent, 3));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
  sc_buffer_clear(&file);
  const char *const cut[] = {FTYP,
                             "00000051"
                             "6d6f6f76",
                             HEADER("00003039"), SOUND};
  OK(write(&file, cut, 4));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
done:
  sc_buffer_free(&file);
}

/* AAC-LC, 44.1 kHz, mono, frames of 32 bytes. */
static const uint8_t adts[] = {0xff, 0xf1, 0x50, 0x40, 0x04, 0x00, 0xfc};
/* MPEG-1 layer III, 128 kbit/s, 44.1 kHz: frames of 417 bytes. */
static const uint8_t mp3[] = {0xff, 0xfb, 0x90, 0x00};

static void frames_are_counted(sc_test *t) {
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(write_frames(&file, adts, sizeof adts, 32, 100));
  sc_audio audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_ADTS && audio.milliseconds == 100 * 1024 * 1000 / 44100);
  sc_buffer_clear(&file);
  OK(write_frames(&file, mp3, sizeof mp3, 417, 100));
  audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_MP3 && audio.milliseconds == 100 * 1152 * 1000 / 44100);
done:
  sc_buffer_free(&file);
}

static void tags_and_descriptions_are_no_sound(sc_test *t) {
  sc_buffer file;
  uint8_t *tail;
  sc_buffer_init(&file, t->env);
  OK(sc_test_hex(&file, "494433"
                        "0300"
                        "00"
                        "00000004"
                        "00000000"));
  OK(write_frames(&file, mp3, sizeof mp3, 417, 11));
  memcpy(file.ptr + 14 + 36, "Xing", 4);
  OK(sc_buffer_extend(&tail, &file, 128));
  memset(tail, 0, 128);
  memcpy(tail, "TAG", 3);
  sc_audio audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_MP3 && audio.milliseconds == 10 * 1152 * 1000 / 44100);
done:
  sc_buffer_free(&file);
}

static void frames_must_follow_each_other(sc_test *t) {
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(write_frames(&file, mp3, sizeof mp3, 417, 10));
  OK(sc_buffer_append(&file, sc_bytes_text("and a text behind it")));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
  sc_buffer_clear(&file);
  OK(write_frames(&file, mp3, sizeof mp3, 417, 1));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
  sc_buffer_clear(&file);
  OK(sc_buffer_append(&file, sc_bytes_text("a text that is called voice.m4a")));
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
  sc_buffer_clear(&file);
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
done:
  sc_buffer_free(&file);
}

/* A page of a stream: the position, the serial number, and a packet of up to 255 bytes. */
static sc_status write_page(sc_buffer *out, uint64_t position, uint8_t serial, sc_bytes packet) {
  uint8_t head[28] = {'O', 'g', 'g', 'S', 0, 0};
  for (size_t i = 0; i < 8; i++)
    head[6 + i] = (uint8_t)(position >> (8 * i));
  head[14] = serial;
  head[26] = 1;
  head[27] = (uint8_t)packet.len;
  sc_status status = sc_buffer_append(out, SC_BYTES(head));
  return status == SC_OK ? sc_buffer_append(out, packet) : status;
}

static void the_last_position_of_ogg_counts(sc_test *t) {
  static const uint8_t opus[19] = {'O', 'p', 'u', 's', 'H', 'e', 'a', 'd', 1, 1, 0x38, 0x01};
  static const uint8_t vorbis[30] = {1, 'v', 'o', 'r', 'b', 'i', 's', 0, 0, 0, 0, 1, 0x44, 0xac};
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  OK(write_page(&file, 0, 7, SC_BYTES(opus)));
  OK(write_page(&file, 48000 * 5 + 312, 7, sc_bytes_text("sound")));
  OK(write_page(&file, 48000 * 9, 8, sc_bytes_text("another stream")));
  OK(write_page(&file, UINT64_MAX, 7, sc_bytes_text("a packet that goes on")));
  sc_audio audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_OGG && audio.milliseconds == 5000);
  sc_buffer_clear(&file);
  OK(write_page(&file, 0, 7, SC_BYTES(vorbis)));
  OK(write_page(&file, 44100 * 2, 7, sc_bytes_text("sound")));
  CHECK(inspected(&file).milliseconds == 2000);
  sc_buffer_clear(&file);
  OK(write_page(&file, 44100, 7, sc_bytes_text("unknown codec")));
  CHECK(inspected(&file).format == SC_AUDIO_OGG && !inspected(&file).has_length);
done:
  sc_buffer_free(&file);
}

/* 8,000 bytes a second. */
#define WAV_HEAD(riff)                                                                                       \
  "52494646" riff "57415645"                                                                                 \
  "666d7420"                                                                                                 \
  "10000000"                                                                                                 \
  "0100"                                                                                                     \
  "0100"                                                                                                     \
  "401f0000"                                                                                                 \
  "401f0000"                                                                                                 \
  "0100"                                                                                                     \
  "0800"                                                                                                     \
  "64617461"

static void wav_is_measured_by_its_rate(sc_test *t) {
  static const char *const sizes[] = {"a00f0000", "ffffffff", "00000000"};
  sc_buffer file;
  uint8_t *sound;
  sc_buffer_init(&file, t->env);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    sc_buffer_clear(&file);
    const char *const parts[] = {WAV_HEAD("00000000"), sizes[i]};
    OK(write(&file, parts, 2));
    OK(sc_buffer_extend(&sound, &file, 4000));
    memset(sound, 0, 4000);
    sc_audio audio = inspected(&file);
    CHECK(audio.format == SC_AUDIO_WAV && audio.milliseconds == 500);
  }
  sc_buffer_truncate(&file, 30);
  CHECK(inspected(&file).format == SC_AUDIO_WAV && !inspected(&file).has_length);
done:
  sc_buffer_free(&file);
}

static void flac_states_its_samples(sc_test *t) {
  sc_buffer file;
  sc_buffer_init(&file, t->env);
  /* 44,100 samples a second, 88,200 in all. */
  OK(sc_test_hex(&file, "664c6143"
                        "80000022"
                        "10001000"
                        "000000"
                        "000000"
                        "0ac442f0"
                        "00015888"
                        "00000000000000000000000000000000"));
  sc_audio audio = inspected(&file);
  CHECK(audio.format == SC_AUDIO_FLAC && audio.milliseconds == 2000);
  sc_buffer_truncate(&file, 40);
  CHECK(inspected(&file).format == SC_AUDIO_UNKNOWN);
done:
  sc_buffer_free(&file);
}

SUITE(message_audio, "message/audio", {"an MP4 file states its length", an_mp4_file_states_its_length},
      {"an impossible length is unknown", an_impossible_length_is_unknown},
      {"a film is no recording", a_film_is_no_recording}, {"frames are counted", frames_are_counted},
      {"tags and descriptions are no sound", tags_and_descriptions_are_no_sound},
      {"frames must follow each other", frames_must_follow_each_other},
      {"the last position of Ogg counts", the_last_position_of_ogg_counts},
      {"WAV is measured by its rate", wav_is_measured_by_its_rate},
      {"FLAC states its samples", flac_states_its_samples});
