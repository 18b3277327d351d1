#include "session-core/message/content.h"

#include "parsed.h"

struct sc_content {
  const sc_env *env;
  sc_parsed parsed;
};

sc_status sc_content_parse(sc_content **out, const sc_env *env, sc_bytes bytes) {
  *out = NULL;
  if (bytes.len > SC_CONTENT_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_content *content = sc_allocate(env, sizeof *content);
  if (content == NULL)
    return SC_ERR_NO_MEMORY;
  content->env = env;
  sc_status status = sc_parsed_read(&content->parsed, env, &sc__content__descriptor, bytes);
  if (status == SC_OK)
    *out = content;
  else
    sc_content_free(content);
  return status;
}

const Sc__Content *sc_content_fields(const sc_content *content) {
  return (const Sc__Content *)content->parsed.message;
}

void sc_content_free(sc_content *content) {
  if (content == NULL)
    return;
  sc_parsed_free(&content->parsed);
  sc_release(content->env, content);
}

sc_status sc_content_write(sc_buffer *out, const Sc__Content *fields) {
  sc_buffer_clear(out);
  sc_status status = sc_parsed_append(out, &fields->base);
  if (status == SC_OK && out->len > SC_CONTENT_MAX_BYTES)
    status = SC_ERR_TOO_LARGE;
  if (status != SC_OK)
    sc_buffer_clear(out);
  return status;
}
