/* The D-Bus client of libsystemd, loaded at its first use: where the library is missing, the program works
 * without a desktop. Only functions with a fixed number of arguments are used, because Swift cannot call
 * others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

typedef struct sd_bus_error {
  const char *name;
  const char *message;
  int needs_free;
} sd_bus_error;

/* Called while the connection is processed. Negative numbers are errors. */
typedef int (*sd_bus_handler)(sd_bus_message *message, void *user, sd_bus_error *error);

/* name, result, parameters */
#define BUS_FUNCTIONS(X)                                                                                     \
  X(sd_bus_new, int, (sd_bus * *out))                                                                        \
  X(sd_bus_set_address, int, (sd_bus * bus, const char *address))                                            \
  X(sd_bus_set_bus_client, int, (sd_bus * bus, int is_client))                                               \
  X(sd_bus_set_exit_on_disconnect, int, (sd_bus * bus, int exits))                                           \
  X(sd_bus_start, int, (sd_bus * bus))                                                                       \
  X(sd_bus_get_fd, int, (sd_bus * bus))                                                                      \
  X(sd_bus_get_events, int, (sd_bus * bus))                                                                  \
  X(sd_bus_get_timeout, int, (sd_bus * bus, uint64_t * out))                                                 \
  X(sd_bus_process, int, (sd_bus * bus, sd_bus_message * *out))                                              \
  X(sd_bus_get_unique_name, int, (sd_bus * bus, const char **out))                                           \
  X(sd_bus_send, int, (sd_bus * bus, sd_bus_message * message, uint64_t * cookie))                           \
  X(sd_bus_send_to, int,                                                                                     \
    (sd_bus * bus, sd_bus_message * message, const char *destination, uint64_t *cookie))                     \
  X(sd_bus_call_async, int,                                                                                  \
    (sd_bus * bus, sd_bus_slot * *slot, sd_bus_message * message, sd_bus_handler handler, void *user,        \
     uint64_t timeout))                                                                                      \
  X(sd_bus_add_match_async, int,                                                                             \
    (sd_bus * bus, sd_bus_slot * *slot, const char *match, sd_bus_handler handler, sd_bus_handler installed, \
     void *user))                                                                                            \
  X(sd_bus_add_object, int,                                                                                  \
    (sd_bus * bus, sd_bus_slot * *slot, const char *path, sd_bus_handler handler, void *user))               \
  X(sd_bus_slot_unref, sd_bus_slot *, (sd_bus_slot * slot))                                                  \
  X(sd_bus_flush_close_unref, sd_bus *, (sd_bus * bus))                                                      \
  X(sd_bus_message_new_method_call, int,                                                                     \
    (sd_bus * bus, sd_bus_message * *out, const char *destination, const char *path, const char *interface,  \
     const char *member))                                                                                    \
  X(sd_bus_message_new_signal, int,                                                                          \
    (sd_bus * bus, sd_bus_message * *out, const char *path, const char *interface, const char *member))      \
  X(sd_bus_message_new_method_return, int, (sd_bus_message * call, sd_bus_message * *out))                   \
  X(sd_bus_message_new_method_error, int,                                                                    \
    (sd_bus_message * call, sd_bus_message * *out, const sd_bus_error *error))                               \
  X(sd_bus_message_append_basic, int, (sd_bus_message * message, char type, const void *value))              \
  X(sd_bus_message_append_array, int, (sd_bus_message * message, char type, const void *bytes, size_t size)) \
  X(sd_bus_message_open_container, int, (sd_bus_message * message, char type, const char *contents))         \
  X(sd_bus_message_close_container, int, (sd_bus_message * message))                                         \
  X(sd_bus_message_peek_type, int, (sd_bus_message * message, char *type, const char **contents))            \
  X(sd_bus_message_read_basic, int, (sd_bus_message * message, char type, void *out))                        \
  X(sd_bus_message_read_array, int, (sd_bus_message * message, char type, const void **bytes, size_t *size)) \
  X(sd_bus_message_enter_container, int, (sd_bus_message * message, char type, const char *contents))        \
  X(sd_bus_message_exit_container, int, (sd_bus_message * message))                                          \
  X(sd_bus_message_is_method_error, int, (sd_bus_message * message, const char *name))                       \
  X(sd_bus_message_get_error, const sd_bus_error *, (sd_bus_message * message))                              \
  X(sd_bus_message_get_sender, const char *, (sd_bus_message * message))                                     \
  X(sd_bus_message_get_path, const char *, (sd_bus_message * message))                                       \
  X(sd_bus_message_get_interface, const char *, (sd_bus_message * message))                                  \
  X(sd_bus_message_get_member, const char *, (sd_bus_message * message))                                     \
  X(sd_bus_message_unref, sd_bus_message *, (sd_bus_message * message))

#define BUS_FIELD(name, result, parameters) result(*name) parameters;

/* The functions, by their names in the library. */
typedef struct {
  BUS_FUNCTIONS(BUS_FIELD)
} bus_functions;

/* The functions; NULL if the library, or one of them, is missing. */
const bus_functions *bus_load(void);

/* A descriptor that becomes readable when it is rung, until it is silenced; -1 with errno. */
int bus_bell(void);
void bus_ring(int bell);
void bus_silence(int bell);

/* Why `bus_load` returned NULL; NULL if it did not. */
const char *bus_missing(void);
