#include "session-core/message/content.h"

#include "../base/utf8.h"
#include "fields.h"

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
  *content = (sc_content){.env = env};
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

sc_status sc_content_read_body(const sc_message_body **out, sc_content *content, bool with_pro,
                               sc_message_rule *broken) {
  *out = NULL;
  sc_arena *arena = &content->parsed.arena;
  sc_message_body *body = sc_arena_take(arena, sizeof *body);
  if (body == NULL)
    return SC_ERR_NO_MEMORY;
  sc_status status = sc_body_read(body, arena, sc_content_fields(content), with_pro, broken);
  if (status == SC_OK)
    *out = body;
  return status;
}

sc_status sc_content_body(const sc_message_body **out, sc_content *content, sc_message_rule *broken) {
  return sc_content_read_body(out, content, true, broken);
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

static sc_status write_body(sc_buffer *out, char *body, uint64_t sent_ms) {
  Sc__DataMessage data = SC__DATA_MESSAGE__INIT;
  Sc__Content fields = SC__CONTENT__INIT;
  data.body = body;
  fields.data_message = &data;
  fields.has_sig_timestamp = true;
  fields.sig_timestamp = sent_ms;
  return sc_content_write(out, &fields);
}

sc_status sc_content_write_text(sc_buffer *out, sc_bytes text, uint64_t sent_ms) {
  sc_buffer body;
  sc_buffer_clear(out);
  if (!sc_utf8_is_valid(text) || (text.len > 0 && memchr(text.ptr, 0, text.len) != NULL))
    return SC_ERR_UTF8;
  if (text.len > SC_CONTENT_MAX_BYTES)
    return SC_ERR_TOO_LARGE;
  sc_buffer_init(&body, out->env);
  sc_status status = sc_buffer_append(&body, text);
  if (status == SC_OK)
    status = sc_buffer_append_byte(&body, 0);
  if (status == SC_OK)
    status = write_body(out, (char *)body.ptr, sent_ms);
  sc_buffer_free(&body);
  return status;
}
