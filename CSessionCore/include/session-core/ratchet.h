/* The ratchet room: messages between devices with forward secrecy: a key stolen later does not open them.
 *
 * Every device publishes prekeys in a bundle (`bundle.h`). A device starts a session with another one from
 * its bundle, and from then on each message has its own key, which is erased after use (`session.h`). One
 * message has a slot for each device of the recipient's account (`envelope.h`); its body is a bt dict
 * (`body.h`).
 *
 * The program stores everything that changes: the state of each session used to seal or open, the keys of
 * skipped messages, the marks of opened messages, and the starts seen. It commits the states in the
 * transaction that stores the sealed bytes or the opened message, and uploads those same bytes as often as
 * needed: a used state must never be used again. */
#ifndef SC_RATCHET_H
#define SC_RATCHET_H

#include "ratchet/body.h"
#include "ratchet/bundle.h"
#include "ratchet/device.h"
#include "ratchet/envelope.h"
#include "ratchet/safety_number.h"
#include "ratchet/session.h"

#endif
