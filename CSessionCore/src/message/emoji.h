/* The rules for a single emoji. */
#ifndef SC_MESSAGE_EMOJI_H
#define SC_MESSAGE_EMOJI_H

#include <stdbool.h>

#include "session-core/base/bytes.h"

/* True if a text is one character that is shown as an emoji: a flag, a keycap, or joined emoji, with skin
 * tones and variations. */
bool sc_is_one_emoji(sc_bytes text);

#endif
