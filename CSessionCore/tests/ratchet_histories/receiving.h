/* Opening what arrives: the same for a device and for the thief's copy of one. */
#ifndef SC_TESTS_RATCHET_HISTORIES_RECEIVING_H
#define SC_TESTS_RATCHET_HISTORIES_RECEIVING_H

#include "history.h"

/* Opens a message with the sessions of a device, or with a start in it. `*used` is the session it came in. */
sc_status receive(history *h, device *reader, held_session **used, sc_buffer *body,
                  const sc_ratchet_envelope *envelope, bool was_opened, const delivery *d);

/* Saves a session and loads it again. */
void reload(history *h, held_session *held);

#endif
