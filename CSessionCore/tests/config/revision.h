/* Shared by the tests of config messages: paths, and messages parsed from text. */
#ifndef SC_TESTS_CONFIG_REVISION_H
#define SC_TESTS_CONFIG_REVISION_H

#include "config/message.h"
#include "support/test.h"

#define TEXT(text) sc_config_string(sc_bytes_text(text))
#define PATH1(a) ((sc_config_path){(const sc_bytes[]){sc_bytes_text(a)}, 1})
#define PATH2(a, b) ((sc_config_path){(const sc_bytes[]){sc_bytes_text(a), sc_bytes_text(b)}, 2})
#define PATH3(a, b, c)                                                                                       \
  ((sc_config_path){(const sc_bytes[]){sc_bytes_text(a), sc_bytes_text(b), sc_bytes_text(c)}, 3})

/* The hash of the initial state, which nearly every config begins with. */
#define INITIAL_HASH "ea173b57beca8af18c3519a7bbf69c3e7a05d1c049fa9558341d8ebb48b0c965"

static inline sc_status parse_text(sc_config_message **out, const sc_env *env, const char *text,
                                   const sc_config_rules *rules) {
  return sc_config_message_parse(out, env, sc_bytes_text(text), rules);
}

/* Writes and parses it again, as another device would. */
static inline sc_status send(sc_config_message **out, const sc_config_message *message,
                             const sc_config_rules *rules, const sc_env *env) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, env);
  sc_status status = sc_config_message_write(&bytes, message, rules);
  *out = NULL;
  if (status == SC_OK)
    status = sc_config_message_parse(out, env, sc_buffer_bytes(&bytes), rules);
  sc_buffer_free(&bytes);
  return status;
}

/* A published message: `parent` incremented, with one edit. */
static inline sc_status follow(sc_config_message **out, const sc_config_message *parent, sc_config_path path,
                               sc_config_value value, const sc_config_rules *rules, const sc_env *env) {
  sc_config_message *edited;
  *out = NULL;
  sc_status status = sc_config_message_increment(&edited, parent, rules);
  if (status != SC_OK)
    return status;
  status = sc_config_message_set(edited, path, value);
  if (status == SC_OK)
    status = send(out, edited, rules, env);
  sc_config_message_free(edited);
  return status;
}

/* The initial state, as every device knows it. */
static inline sc_status begin(sc_config_message **out, const sc_env *env) {
  return parse_text(out, env, "d1:#i0e1:&de1:<le1:=dee", NULL);
}

static inline void free_all(sc_config_message **messages, size_t count) {
  for (size_t i = 0; i < count; i++)
    sc_config_message_free(messages[i]);
}

/* Parses and merges; unparsable texts count as rejected. */
static inline sc_status merge_texts(sc_config_message **out, sc_config_merged *how, const sc_env *env,
                                    const char *const *texts, size_t count, const sc_config_rules *rules) {
  enum { most = 8 };
  sc_config_message *messages[most] = {0};
  sc_status status = count <= most ? SC_OK : SC_ERR_ARGUMENT;
  *out = NULL;
  for (size_t i = 0; i < count && status != SC_ERR_NO_MEMORY && status != SC_ERR_ARGUMENT; i++)
    status = parse_text(&messages[i], env, texts[i], rules);
  if (status != SC_ERR_NO_MEMORY && status != SC_ERR_ARGUMENT)
    status = sc_config_message_merge(out, how, (const sc_config_message *const *)messages, count, rules);
  free_all(messages, most);
  return status;
}

#endif
