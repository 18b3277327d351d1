/* Being told of new messages: subscriptions, their answers, and what a node then sends. All of it is bt.
 *
 * Parsed values borrow the bytes they were read from. One thread at a time. */
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
  int16_t numbers[SC_STORAGE_MAX_MONITORED]; /* of namespaces, ascending */
  size_t number_count;
  bool with_data;
  uint64_t signed_at; /* seconds */
} sc_storage_subscription;

/* Signs it. SC_ERR_STORAGE_PARAMETER for namespaces that are none, too many or out of order. */
SC_API SC_NODISCARD sc_status sc_storage_subscription_sign(sc_storage_subscription *subscription,
                                                           const sc_env *env,
                                                           const sc_storage_signer *signer);

/* Replaces `out` with a request for these, at least one. SC_ERR_STORAGE_PARAMETER. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_write(sc_buffer *out,
                                                             const sc_storage_subscription *list,
                                                             size_t count);

/* What a node answers to one subscription. */
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
  size_t count; /* of those in the request */
  size_t read;
} sc_storage_subscription_reader;

/* Begins reading a request: one dict, or a list of at most SC_STORAGE_MAX_SUBSCRIPTIONS.
 * SC_ERR_STORAGE_SYNTAX. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_begin(sc_storage_subscription_reader *out,
                                                             sc_bytes request);

/* The next one, or SC_ERR_NOT_FOUND behind the last. `*error` says what is wrong with it, if anything is;
 * the signature is not checked yet. */
SC_API SC_NODISCARD sc_status sc_storage_subscriptions_next(sc_storage_subscription *out,
                                                            sc_storage_monitor_error *error,
                                                            sc_storage_subscription_reader *reader);

/* Checks that the signer may subscribe; `*out` is the result. `judge` as for requests. */
SC_API SC_NODISCARD sc_status sc_storage_subscription_judge(sc_storage_monitor_error *out, const sc_env *env,
                                                            const sc_storage_subscription *subscription,
                                                            const sc_storage_judge *judge);

/* Replaces `out` with the answers to a request, a list when the request was one. */
SC_API SC_NODISCARD sc_status sc_storage_monitor_answers_write(sc_buffer *out, bool is_list,
                                                               const sc_storage_monitor_error *errors,
                                                               size_t count);

/* Reads the answers to a request of `count` subscriptions. SC_ERR_STORAGE_REPLY. */
SC_API SC_NODISCARD sc_status sc_storage_monitor_answers_parse(sc_storage_monitor_error *out, size_t count,
                                                               sc_bytes answers);

/* A new message, as a node tells of it. */
typedef struct sc_storage_event {
  uint8_t account[SC_STORAGE_ACCOUNT_BYTES];
  sc_bytes hash;
  int16_t number;
  uint64_t timestamp;
  uint64_t expiry;
  bool has_data;
  sc_bytes data;
} sc_storage_event;

/* SC_ERR_STORAGE_REPLY for what is no event, or whose data does not have its hash. */
SC_API SC_NODISCARD sc_status sc_storage_event_parse(sc_storage_event *out, sc_bytes bytes);
SC_API SC_NODISCARD sc_status sc_storage_event_write(sc_buffer *out, const sc_storage_event *event);

SC_API_END

#endif
