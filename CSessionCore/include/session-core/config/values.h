/* Values of several configs: limits, pictures, and choices that are stored as numbers. Texts are UTF-8;
 * limits are in bytes. */
#ifndef SC_CONFIG_VALUES_H
#define SC_CONFIG_VALUES_H

#include <stdbool.h>

#include "../base/api.h"
#include "../base/bytes.h"

SC_API_BEGIN

#define SC_CONFIG_MAX_NAME_BYTES 100
#define SC_CONFIG_MAX_PICTURE_URL_BYTES 223
#define SC_CONFIG_PICTURE_KEY_BYTES 32

/* The location of a picture and its key; both are empty if there is no picture. */
typedef struct sc_config_picture {
  sc_bytes url;
  sc_bytes key; /* SC_CONFIG_PICTURE_KEY_BYTES */
} sc_config_picture;

static inline bool sc_config_picture_is_set(const sc_config_picture *picture) {
  return picture->url.len > 0 && picture->key.len == SC_CONFIG_PICTURE_KEY_BYTES;
}

typedef enum sc_config_notify {
  SC_CONFIG_NOTIFY_DEFAULT = 0,
  SC_CONFIG_NOTIFY_ALL = 1,
  SC_CONFIG_NOTIFY_NONE = 2,
  SC_CONFIG_NOTIFY_MENTIONS = 3,
} sc_config_notify;

/* When the messages of a conversation disappear. */
typedef enum sc_config_expiry {
  SC_CONFIG_EXPIRE_NEVER = 0,
  SC_CONFIG_EXPIRE_AFTER_SEND = 1,
  SC_CONFIG_EXPIRE_AFTER_READ = 2,
} sc_config_expiry;

/* A setting that may be undecided. */
typedef enum sc_config_choice {
  SC_CONFIG_UNDECIDED = 0,
  SC_CONFIG_NO = 1,
  SC_CONFIG_YES = 2,
} sc_config_choice;

/* The priority of a hidden conversation; 0 is ordinary, greater is pinned, the greatest first. */
#define SC_CONFIG_PRIORITY_HIDDEN (-1)

SC_API_END

#endif
