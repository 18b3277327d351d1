/* Links that open the program: `session:ID?text=…&name=…` for a person, `session:LINK` with the
 * percent-encoded link of a room, `session:?chat=NUMBER` for a conversation of this device, and the https
 * link of a room itself.
 *
 * A link only says what to show: no parameter names a file, sends, accepts, joins or changes anything. Texts
 * are as their author wrote them, and have to be cleaned before a terminal shows them. Nothing allocates. */
#ifndef SC_MESSAGE_SESSION_LINK_H
#define SC_MESSAGE_SESSION_LINK_H

#include "../base/api.h"
#include "../base/bytes.h"
#include "../crypto/id.h"

SC_API_BEGIN

#define SC_SESSION_LINK_MAX_CHARS 4096

typedef enum sc_session_link_kind {
  SC_SESSION_LINK_PERSON,
  SC_SESSION_LINK_ROOM,
  SC_SESSION_LINK_CHAT,
} sc_session_link_kind;

/* The parts of a link. Texts are valid UTF-8 without a NUL; `ptr` is NULL for one that the link does not
 * have. */
typedef struct sc_session_link {
  sc_session_link_kind kind;
  sc_id person;  /* a standard id */
  uint64_t chat; /* the number of the conversation, 1 to INT64_MAX */
  sc_bytes room; /* the decoded link of the room, unchecked: sc_community_link_parse_full reads it */
  sc_bytes text; /* what the person may send */
  sc_bytes name; /* what the author of the link calls the person */
} sc_session_link;

/* Parses a link. The parts point into `storage`. Unknown parameters are ignored. Checks in this order:
 * SC_ERR_LINK_LENGTH; SC_ERR_LINK for another scheme, or a character that links cannot have;
 * SC_ERR_LINK_ENCODING; SC_ERR_LINK_REPEATED; SC_ERR_LINK_TARGET. */
SC_API SC_NODISCARD sc_status sc_session_link_parse(sc_session_link *out, char storage[SC_AT_LEAST(4096)],
                                                    sc_bytes link);

SC_API_END

#endif
