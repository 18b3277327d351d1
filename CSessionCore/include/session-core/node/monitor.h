/* Subscriptions to new messages: requests, replies, and the events that a node sends. All of it is bt.
 *
 * Parsed values borrow the parsed bytes. One thread at a time. */
#ifndef SC_NODE_MONITOR_H
#define SC_NODE_MONITOR_H

#include "storage.h"

SC_API_BEGIN

#define SC_STORAGE_MAX_MONITORED 64                        /* namespaces in one subscription */
#define SC_STORAGE_MAX_SUBSCRIPTIONS 256                   /* in one request */
#define SC_STORAGE_MONITOR_LIFE ((uint64_t)65 * 60 * 1000) /* milliseconds; renew it hourly */

typedef struct sc_storage_subscription {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_storage_auth auth;
  int16_t numbers[SC_STORAGE_MAX_MONITORED]; /* namespaces, ascending */
  size_t number_count;
  bool with_data;
  uint64_t signed_at; /* seconds */
} sc_storage_subscription;

/* Signs a subscription. SC_ERR_STORAGE_PARAMETER for namespaces that are missing, too many or not in order.
 */
SC_API SC_NODISCARD sc_status sc_storage_subscription_sign(sc_storage_subscription *subscription,
                                                           const sc_env *env,
                                                           const sc_storage_signer *signer);

/* Replaces `out` with a request for these subscriptions, at least one. SC_ERR_STORAGE_PARAMETER. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_write(sc_buffer *out,
                                                             const sc_storage_subscription *list,
                                                             size_t count);

/* The reply of a node to one subscription. */
typedef enum sc_storage_monitor_error {
  SC_STORAGE_MONITOR_OK = 0,
  SC_STORAGE_MONITOR_ARGUMENTS = 1,
  SC_STORAGE_MONITOR_PUBKEY = 2,
  SC_STORAGE_MONITOR_NAMESPACES = 3,
  SC_STORAGE_MONITOR_TIMESTAMP = 4,
  SC_STORAGE_MONITOR_SIGNATURE = 5,
  SC_STORAGE_MONITOR_SWARM = 6,
} sc_storage_monitor_error;

typedef struct sc_storage_subscription_reader {
  sc_bytes rest;
  bool is_list;
  size_t count; /* number of subscriptions in the request */
  size_t read;
} sc_storage_subscription_reader;

/* Starts reading a request: one dict, or a list of at most SC_STORAGE_MAX_SUBSCRIPTIONS.
 * SC_ERR_STORAGE_SYNTAX. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_begin(sc_storage_subscription_reader *out,
                                                             sc_bytes request);

/* Reads the next subscription; SC_ERR_NOT_FOUND after the last. `*error` tells what is wrong with it, if
 * anything; the signature is not checked. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_next(sc_storage_subscription *out,
                                                            sc_storage_monitor_error *error,
                                                            sc_storage_subscription_reader *reader);

/* Checks that the signer may subscribe; `*out` is the result. `judge` as for requests. */
SC_API SC_NODISCARD sc_status sc_storage_subscription_judge(sc_storage_monitor_error *out, const sc_env *env,
                                                            const sc_storage_subscription *subscription,
                                                            const sc_storage_judge *judge);

/* Replaces `out` with the replies to a request, as a list if the request was one. */
SC_API SC_NODISCARD sc_status sc_storage_monitor_answers_write(sc_buffer *out, bool is_list,
                                                               const sc_storage_monitor_error *errors,
                                                               size_t count);

/* Parses the replies to a request of `count` subscriptions. SC_ERR_STORAGE_REPLY. */
SC_API SC_NODISCARD sc_status sc_storage_monitor_answers_parse(sc_storage_monitor_error *out, size_t count,
                                                               sc_bytes answers);

/* A new message, announced by a node. */
typedef struct sc_storage_event {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_bytes hash;
  int16_t number;
  uint64_t timestamp;
  uint64_t expiry;
  bool has_data;
  sc_bytes data;
} sc_storage_event;

/* Parses an event. SC_ERR_STORAGE_REPLY for anything else, or data that does not match its hash. */
SC_API SC_NODISCARD sc_status sc_storage_event_parse(sc_storage_event *out, sc_bytes bytes);
SC_API SC_NODISCARD sc_status sc_storage_event_write(sc_buffer *out, const sc_storage_event *event);

SC_API_END

#endif
