/* The ratchet room: messages between devices with forward secrecy: a key stolen later does not open them.
 *
 * Every device publishes prekeys in a bundle (`bundle.h`). A device starts a session with another one from
 * its bundle, and from then on each message has its own key, which is gone once it was used (`session.h`).
 * One message has a slot for each device of the recipient's account (`envelope.h`); its body is a bt dict
 * (`body.h`).
 *
 * A program stores what changes: the state of each session it sealed or opened with, the keys of messages
 * that were skipped, the marks of messages that were opened, and the starts that were seen. It commits the
 * states in the transaction that stores the sealed bytes, or what was opened, and uploads those same bytes
 * however often it must: a state that was used is never used again. */
#ifndef SC_RATCHET_H
#define SC_RATCHET_H

#include "ratchet/body.h"
#include "ratchet/bundle.h"
#include "ratchet/device.h"
#include "ratchet/envelope.h"
#include "ratchet/session.h"

#endif
