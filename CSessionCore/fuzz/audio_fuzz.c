/* Recordings: whatever the bytes, a length is believable, and belongs to a known format. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_audio audio;
  sc_audio again;
  sc_audio_inspect(&audio, sc_bytes_make(data, size));
  REQUIRE(audio.format >= SC_AUDIO_UNKNOWN && audio.format <= SC_AUDIO_FLAC);
  REQUIRE(audio.has_length || audio.milliseconds == 0);
  REQUIRE(audio.milliseconds <= SC_AUDIO_MAX_MS);
  REQUIRE(!audio.has_length || audio.format != SC_AUDIO_UNKNOWN);
  sc_audio_inspect(&again, sc_bytes_make(data, size));
  REQUIRE(again.format == audio.format && again.milliseconds == audio.milliseconds);
  return 0;
}
