/* The result of calls that can fail: SC_OK, or one negative code for each failure that callers may need to
 * distinguish.
 *
 * The numbers are stable. sc_status_text describes a status for people. */
#ifndef SC_BASE_STATUS_H
#define SC_BASE_STATUS_H

#include "api.h"

SC_API_BEGIN

/* X(name, number, text) */
#define SC_STATUS_MAP(X)                                                                                     \
  X(NO_MEMORY, -1, "out of memory")                                                                          \
  X(NO_RANDOM, -2, "the system has no source of randomness")                                                 \
  X(ARGUMENT, -3, "invalid argument of a call")                                                              \
  X(STATE, -4, "call out of order")                                                                          \
  X(TOO_LARGE, -5, "larger than the limit")                                                                  \
  X(TRUNCATED, -6, "the data ends too early")                                                                \
  X(TRAILING, -7, "unexpected bytes after the end of the data")                                              \
  X(NOT_FOUND, -8, "no such entry")                                                                          \
  X(SINK, -9, "the receiver of the output refused it")                                                       \
  X(HEX, -20, "not hexadecimal text of the expected length")                                                 \
  X(BASE64, -21, "not base64 text of the expected length")                                                   \
  X(BASE32Z, -22, "not base32z text of the expected length")                                                 \
  X(UTF8, -23, "not valid UTF-8 text")                                                                       \
  X(BT_SYNTAX, -30, "not bt-encoded data")                                                                   \
  X(BT_TYPE, -31, "a bt value of another type was expected")                                                 \
  X(BT_RANGE, -32, "a bt integer does not fit its type")                                                     \
  X(BT_ORDER, -33, "bt dict keys are not in strictly ascending order")                                       \
  X(BT_DEPTH, -34, "bt containers are nested too deeply")                                                    \
  X(JSON_SYNTAX, -40, "not a JSON document")                                                                 \
  X(JSON_TYPE, -41, "a JSON value of another type was expected")                                             \
  X(JSON_RANGE, -42, "a JSON number does not fit its type")                                                  \
  X(JSON_DEPTH, -43, "JSON containers are nested too deeply")                                                \
  X(JSON_DUPLICATE_KEY, -44, "a JSON object has the same key twice")                                         \
  X(COMPRESSION, -50, "incomplete zstd frames, or frames with too large a window")                           \
  X(KEY_SIZE, -60, "a key of the wrong size")                                                                \
  X(KEY_INVALID, -61, "the public key is not a safe point of its curve")                                     \
  X(KEY_MISMATCH, -62, "the public half does not belong to the secret key")                                  \
  X(NONCE_SIZE, -63, "a nonce of the wrong size")                                                            \
  X(SIGNATURE_SIZE, -64, "a signature of the wrong size")                                                    \
  X(SIGNATURE, -65, "the signature does not match")                                                          \
  X(HASH_SIZE, -66, "a size that the hash function does not support")                                        \
  X(DECRYPT, -67, "decryption failed: wrong key or changed data")                                            \
  X(PASSPHRASE_COST, -68, "a passphrase cost outside the allowed range")                                     \
  X(SEED, -69, "not the seed of an account: 16 bytes, or 32 that end in 16 zeros")                           \
  X(ID_LENGTH, -80, "an id has 66 hexadecimal digits")                                                       \
  X(ID_HEX, -81, "an id has only the digits 0-9 and a-f")                                                    \
  X(ID_PREFIX, -82, "an id begins with 05, 03, 15, 25, 07 or 00")                                            \
  X(ID_KIND, -83, "an id of another kind was expected")                                                      \
  X(ID_BLIND, -84, "this id cannot be blinded")                                                              \
  X(PHRASE_TOO_SHORT, -90, "a recovery phrase has 13 words, this one has fewer")                             \
  X(PHRASE_TOO_LONG, -91, "a recovery phrase has 13 words, this one has more")                               \
  X(PHRASE_UNKNOWN_WORD, -92, "a word of the recovery phrase is not in the word list")                       \
  X(PHRASE_BAD_GROUP, -93, "three words of the recovery phrase do not fit together")                         \
  X(PHRASE_CHECKSUM, -94, "the last word of the recovery phrase does not match the others")                  \
  X(PHRASE_LENGTH, -96, "data for a phrase comes in groups of 4 bytes")                                      \
  X(RECIPIENT, -100, "a recipient is 32 bytes, or 33 that begin with 05")                                    \
  X(SENDER, -101, "the message was not written by its stated sender")                                        \
  X(FORMAT, -102, "the decrypted data has an unexpected form")                                               \
  X(VERSION, -103, "unknown version of the format")                                                          \
  X(NO_KEY, -104, "none of the keys decrypts it")                                                            \
  X(GROUP_DATA, -105, "a group message has neither or both of its two kinds of content")                     \
  X(KICK, -106, "not a valid notice of removal for this member")                                             \
  X(NAME_LENGTH, -110, "a name has 1 to 64 characters")                                                      \
  X(NAME_CHARACTERS, -111, "a name has letters, digits, _ and inner -")                                      \
  X(NAME_RECORD, -112, "the name does not belong to an account id")                                          \
  X(CIPHER, -113, "an unknown or refused cipher")                                                            \
  X(FILE_FORMAT, -120, "not a file of this format, or incomplete")                                           \
  X(FILE_DAMAGED, -121, "the file was changed or its key is wrong")                                          \
  X(FILE_SIZE, -122, "the file is shorter than its stated size")                                             \
  X(FILE_CHANGED, -123, "the file changed while it was being read")                                          \
  X(FILE_TOO_LARGE, -124, "the file is too large to send")                                                   \
  X(PROTO_TAG, -140, "invalid protobuf field")                                                               \
  X(WRAPPING, -141, "invalid outer wrapping of the message")                                                 \
  X(WRAPPING_EMPTY, -142, "the outer wrapping contains no message")                                          \
  X(ENVELOPE, -143, "invalid envelope, or missing type or time")                                             \
  X(ENVELOPE_SOURCE, -144, "invalid source in the envelope")                                                 \
  X(ENVELOPE_EMPTY, -145, "the envelope contains no content")                                                \
  X(CONTENT, -146, "invalid content of the message")                                                         \
  X(PRO_SIGNATURE_SIZE, -147, "a Pro signature of the wrong size")                                           \
  X(PRO_SIGNATURE_TWICE, -148, "a message with two Pro signatures")                                          \
  X(PRO_TIME, -149, "a message with Pro data needs a time")                                                  \
  X(PRO_PROOF, -150, "an incomplete Pro proof, or one with wrong sizes")                                     \
  X(MESSAGE_TIME, -151, "impossible or contradicting times in the message")                                  \
  X(MESSAGE_LENGTH, -152, "a text of more than 10000 characters cannot be sent")                             \
  X(MESSAGE_RULE, -153, "the message breaks a rule of its kind")                                             \
  X(FILE_URL, -154, "not the address of a file on a file server or in a community")                          \
  X(CONFIG_AUTHOR, -160, "the config was wrapped by another account")                                        \
  X(CONFIG_KIND, -161, "the wrapping contains a config of another kind")                                     \
  X(CONFIG_PART, -162, "invalid part of a config, or a part of another set")                                 \
  X(CONFIG_SET, -163, "the parts do not form their config message")                                          \
  X(CONFIG_READ_ONLY, -164, "only an admin of the group can change this")                                    \
  X(CONFIG_KEYLESS, -165, "the config has no key yet")                                                       \
  X(CONFIG_DUMP, -166, "not the saved state of a config")                                                    \
  X(CONFIG_NAME, -167, "a name of more than 100 bytes")                                                      \
  X(CONFIG_PICTURE, -168, "a picture's address of more than 223 bytes")                                      \
  X(CONFIG_DESCRIPTION, -169, "a description of more than 2000 bytes")                                       \
  X(CONFIG_LAYOUT, -170, "a part of the config message is missing or out of place")                          \
  X(CONFIG_SEQNO, -171, "a config revision number that is out of range")                                     \
  X(CONFIG_DATA, -172, "empty values or unordered sets in config data")                                      \
  X(CONFIG_DIFF, -173, "invalid changes of a config")                                                        \
  X(CONFIG_LAGGED, -174, "invalid or unordered earlier changes of a config")                                 \
  X(CONFIG_UNSIGNED, -175, "the config message must be signed and is not")                                   \
  X(CONFIG_NONE, -176, "no config message can be merged")                                                    \
  X(CONFIG_OTHER_KIND, -177, "a config message stored as another kind")                                      \
  X(CONFIG_UNREAD, -178, "not read after too many invalid messages: merge it without them")                  \
  X(GROUP_KEYS, -180, "not a group key message")                                                             \
  X(GROUP_GENERATION, -181, "generation of group keys out of range")                                         \
  X(GROUP_SUPPLEMENT, -182, "the supplement contains no group keys")                                         \
  X(SUBACCOUNT, -183, "this group did not grant the access to this member")                                  \
  X(SUBACCOUNT_RIGHTS, -184, "the access does not include the required rights")                              \
  X(ADDRESS, -200, "not an IP address with a port, like 192.0.2.1:443 or [2001:db8::1]:443")                 \
  X(QUIC_KEY, -201, "the peer has another key than the one expected")                                        \
  X(QUIC_PROTOCOL, -202, "the peer does not speak the expected protocol")                                    \
  X(QUIC_VERSION, -203, "the peer speaks no known version of QUIC")                                          \
  X(QUIC_HANDSHAKE, -204, "the peer aborted the handshake")                                                  \
  X(QUIC_REFUSED, -205, "the peer is not admitted")                                                          \
  X(QUIC_UNREACHABLE, -206, "the peer did not reply in time to connect")                                     \
  X(QUIC_IDLE, -207, "the connection was silent for too long")                                               \
  X(QUIC_RESET, -208, "the peer no longer knows the connection")                                             \
  X(QUIC_CLOSED, -209, "the peer closed the connection")                                                     \
  X(QUIC_VIOLATION, -210, "the peer broke the rules of the transport")                                       \
  X(QUIC_STREAM, -211, "the peer closed the stream of the request")                                          \
  X(QUIC_STOPPED, -212, "the endpoint or connection was shut down on this side")                             \
  X(QUIC_BUSY, -213, "a limit of the endpoint is reached, try again later")                                  \
  X(REQUEST_FRAME, -220, "invalid frame of a request, reply or error")                                       \
  X(REQUEST_TOO_LARGE, -221, "a request or reply larger than the limit")                                     \
  X(REQUEST_TIMEOUT, -222, "no reply came in time")                                                          \
  X(REQUEST_CANCELLED, -223, "the request was cancelled")                                                    \
  X(REQUEST_NAME, -224, "not the name of a command")                                                         \
  X(REQUEST_FAILED, -225, "the peer replied with an error")                                                  \
  X(RUNTIME_STOPPED, -240, "the runtime is stopping or has stopped")                                         \
  X(RUNTIME_BUSY, -241, "too many commands are waiting for the runtime, try again later")                    \
  X(RUNTIME_FULL, -242, "the runtime drives the maximum number of endpoints")                                \
  X(RUNTIME_THREAD, -243, "call on the wrong thread of the runtime")                                         \
  X(RUNTIME_GRACE, -244, "not everything was closed in time before the runtime stopped")                     \
  X(SOCKET_IN_USE, -250, "the address and port are in use by another socket")                                \
  X(SOCKET_ADDRESS, -251, "this machine does not have this address or address family")                       \
  X(SOCKET_PERMISSION, -252, "the system does not allow this address or port")                               \
  X(SYSTEM_LIMIT, -253, "the system has no more files, sockets or threads for this process")                 \
  X(SYSTEM, -254, "the system refused the operation")                                                        \
  X(ONION_BLOCK, -260, "a truncated onion block, or a control part that is not a JSON object")               \
  X(ONION_CONTROL, -261, "a missing or invalid field in the control part of an onion block")                 \
  X(ONION_HOPS, -262, "too many hops in an onion request")                                                   \
  X(ONION_URL, -263, "onion requests to this address are not allowed")                                       \
  X(ONION_LOOP, -264, "the next node of the onion request is the node itself")                               \
  X(ONION_UNAUTHENTICATED, -265, "the reply was not written by the destination")                             \
  X(ONION_REPLY, -266, "the reply of the destination has an unexpected form")                                \
  X(ONION_REQUEST, -267, "not a request to a server")                                                        \
  X(STORAGE_SYNTAX, -270, "neither valid JSON nor valid bt")                                                 \
  X(STORAGE_NO_METHOD, -271, "the call has no method")                                                       \
  X(STORAGE_NO_PARAMETERS, -272, "the call has no parameters")                                               \
  X(STORAGE_METHOD, -273, "unknown method of storage nodes")                                                 \
  X(STORAGE_PARAMETER, -274, "missing or invalid parameter")                                                 \
  X(STORAGE_BATCH, -275, "an empty, too long or nested batch")                                               \
  X(STORAGE_UNAUTHORIZED, -276, "the signer of the request lacks the rights for it")                         \
  X(STORAGE_LIFETIME, -277, "lifetime of a message out of range")                                            \
  X(STORAGE_CLOCK, -278, "a time too far from the clock of the node")                                        \
  X(STORAGE_REPLY, -279, "the reply of a storage node has an unexpected form")                               \
  X(STORAGE_NODE_SIGNATURE, -280, "wrong signature of a node of the swarm in the reply")                     \
  X(STORAGE_SWARM, -281, "the reply names no other usable node")                                             \
  X(NODE_TEXT, -290, "not the text of a node: key, address, ports, version and swarm")                       \
  X(NODE_LIST, -291, "not a list of nodes, or too few usable nodes")                                         \
  X(NODE_FILE, -292, "the saved file contains nothing usable")                                               \
  X(NO_SEEDS, -293, "no seed node of the network is known")                                                  \
  X(NO_SWARM, -294, "no swarm is known yet")                                                                 \
  X(NETWORK_SUSPENDED, -300, "the network is suspended")                                                     \
  X(NETWORK_CLOSED, -301, "the connection was closed on this side before the reply")                         \
  X(NETWORK_FULL, -302, "too many requests are waiting, try again later")                                    \
  X(NETWORK_NO_NODES, -303, "no nodes of the network are known or could be fetched")                         \
  X(NETWORK_UNKNOWN_NODE, -304, "no such node in the network")                                               \
  X(NETWORK_NO_PATH, -305, "no path through the network could be built")                                     \
  X(NETWORK_PATH, -306, "the path through the network failed")                                               \
  X(NETWORK_UNREACHABLE, -307, "the path cannot reach the destination")                                      \
  X(NETWORK_DESTINATION, -308, "every path includes the destination itself")                                 \
  X(NETWORK_CLOCK, -309, "the clock of this machine was wrong, repeat the request")                          \
  X(NETWORK_NO_LINK, -310, "this machine is not connected to any network")                                   \
  X(NETWORK_DOWN, -311, "no node of the network replies")                                                    \
  X(CONFIG_OWN_ID, -320, "an account cannot be its own contact")                                             \
  X(COMMUNITY_URL, -330, "not the URL of a community's server")                                              \
  X(COMMUNITY_ROOM, -331, "the room of a community has 1 to 64 letters, digits, - and _")                    \
  X(COMMUNITY_KEY, -332, "not the public key of a community's server")                                       \
  X(COMMUNITY_NO_KEY, -333, "the link does not say the public key of the community's server")                \
  X(RATCHET_FORMAT, -340, "not a message of the ratchet protocol")                                           \
  X(RATCHET_BUNDLE, -341, "not a bundle of prekeys of this account")                                         \
  X(RATCHET_BUNDLE_TIME, -342, "a bundle of prekeys that is out of date or from the future")                 \
  X(RATCHET_CERTIFICATE, -343, "not a valid certificate of a device")                                        \
  X(RATCHET_STATE, -344, "not the saved state of a session with a device")                                   \
  X(RATCHET_CLOSED, -345, "the session with a device can send no more: start a new one")                     \
  X(RATCHET_OTHER, -346, "no part of the message is for this device")                                        \
  X(RATCHET_DAMAGED, -347, "the message was forged or damaged")                                              \
  X(RATCHET_LOST_START, -348, "the prekeys of the message are gone, or it is from the future")               \
  X(RATCHET_BROKEN, -349, "the message does not continue its session")                                       \
  X(RATCHET_DUPLICATE, -350, "the message was opened before")                                                \
  X(RATCHET_BODY, -351, "the body of the message breaks a rule")                                             \
  X(SAFETY_DIGITS, -352, "not the 60 digits of a safety number")                                             \
  X(SAFETY_NUMBER, -353, "another safety number")                                                            \
  X(SAFETY_CODE, -354, "not the code of a safety number")                                                    \
  X(ARCHIVE_MAGIC, -360, "not an archive")                                                                   \
  X(ARCHIVE_VERSION, -361, "the archive was written by a newer program")                                     \
  X(ARCHIVE_HEADER, -362, "the header of the archive is invalid")                                            \
  X(ARCHIVE_NO_SLOT, -363, "the archive does not open with a secret of this kind")                           \
  X(ARCHIVE_WRONG_KEY, -364, "the archive has another passphrase or key, or belongs to another account")     \
  X(ARCHIVE_DAMAGED, -365, "the archive is damaged")                                                         \
  X(ARCHIVE_TRUNCATED, -366, "the end of the archive is missing")                                            \
  X(ARCHIVE_FRAME, -367, "a part of the archive has an invalid form")                                        \
  X(ARCHIVE_ORDER, -368, "a part of the archive is out of place")                                            \
  X(ARCHIVE_MANIFEST, -369, "the list of contents of the archive is invalid")                                \
  X(ARCHIVE_COUNTS, -370, "the archive has other contents than it states at its end")                        \
  X(ARCHIVE_FILE, -371, "a file in the archive differs from its stated size or hash")                        \
  X(ARCHIVE_DOWNGRADE, -372, "the archive needs a newer version of the program")                             \
  X(LINK, -380, "not a link that begins with session:, https: or http:")                                     \
  X(LINK_LENGTH, -381, "the link is longer than 4096 characters")                                            \
  X(LINK_ENCODING, -382, "the link has an invalid %, or text that is not UTF-8")                             \
  X(LINK_REPEATED, -383, "the link has the same parameter twice")                                            \
  X(LINK_TARGET, -384, "the link names no account, room or conversation")

typedef enum sc_status {
  SC_OK = 0,
#define SC_STATUS_ENUM(name, number, text) SC_ERR_##name = number,
  SC_STATUS_MAP(SC_STATUS_ENUM)
#undef SC_STATUS_ENUM
} sc_status;

/* Returns the name, such as "SC_ERR_HEX", or "SC_ERR_?" for an unknown number. */
SC_API const char *sc_status_name(sc_status status);

/* Returns an English sentence without a full stop. */
SC_API const char *sc_status_text(sc_status status);

SC_API_END

#endif
