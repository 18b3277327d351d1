#include <stdlib.h>

#include "message/fields.h"
#include "support/test.h"

static sc_status parse_hex(sc_content **out, const sc_env *env, const char *hex) {
  sc_buffer bytes;
  sc_buffer_init(&bytes, env);
  *out = NULL;
  sc_status status = sc_test_hex(&bytes, hex);
  if (status == SC_OK)
    status = sc_content_parse(out, env, sc_buffer_bytes(&bytes));
  sc_buffer_free(&bytes);
  return status;
}

/* Parses, then writes what was parsed. */
static sc_status rewrite_hex(sc_buffer *out, const char *hex) {
  sc_content *content;
  sc_status status = parse_hex(&content, out->env, hex);
  if (status == SC_OK)
    status = sc_content_write(out, sc_content_fields(content));
  sc_content_free(content);
  return status;
}

static void a_text_is_read(sc_test *t) {
  sc_content *content;
  OK(parse_hex(&content, t->env, "0a080a026869388ff4037888ab03"));
  const Sc__Content *fields = sc_content_fields(content);
  CHECK(fields->data_message != NULL && strcmp(fields->data_message->body, "hi") == 0);
  CHECK(fields->data_message->has_timestamp && fields->data_message->timestamp == 64015);
  CHECK(fields->has_sig_timestamp && fields->sig_timestamp == 54664);
  CHECK(fields->typing_message == NULL && !fields->has_expiration_timer);
done:
  sc_content_free(content);
}

static void empty_content_has_no_fields(sc_test *t) {
  sc_content *content;
  OK(sc_content_parse(&content, t->env, sc_bytes_make(NULL, 0)));
  CHECK(sc_content_fields(content)->data_message == NULL);
done:
  sc_content_free(content);
}

static void each_protobuf_error_is_named(sc_test *t) {
  static const char *const cases[] = {
      "0000",             /* field number 0 */
      "0a060a0268690000", /* inside a message */
      "0a00800000",       /* padding taken for content */
      "9303",             /* an unknown group */
      "9403",             /* the end of one */
      "0b0c",             /* a known field as a group */
      "0e",
      "0f", /* wire types there are not */
  };
  sc_content *content = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    FAILS(SC_ERR_PROTO_TAG, parse_hex(&content, t->env, cases[i]));
  CHECK(content == NULL);
done:
  sc_content_free(content);
}

static void invalid_content_is_named(sc_test *t) {
  static const char *const cases[] = {
      "0a", /* cut off in every place */
      "0a06",
      "0a060a026869",
      "0a040a0368",
      "7880808080808080808080",   /* a number without end */
      "788080808080808080808001", /* of eleven bytes */
      "0a868080808000",           /* a length of six bytes */
      "2a050801120180",           /* packed numbers cut off */
      "0a025200",                 /* a preview without its URL */
      "0a025a00",                 /* a reaction without anything */
      "0a0412020a00",             /* an attachment whose id is no number */
      "0a021200",                 /* one without id */
      "1a0608092a026162",         /* a call of an unknown type */
      "1a020801",                 /* one without its id */
      "32020801",                 /* typing without its action */
      "32040a001000",             /* with a time that is text */
      "0a010a"                    /* a message in two parts, cut within a record */
      "0a020161",
      "0a03420108" /* the same, further in */
      "0a06420407120161",
  };
  sc_content *content = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    FAILS(SC_ERR_CONTENT, parse_hex(&content, t->env, cases[i]));
  CHECK(content == NULL);
done:
  sc_content_free(content);
}

static void a_known_field_with_the_wrong_wire_type_is_ignored(sc_test *t) {
  sc_content *content;
  OK(parse_hex(&content, t->env,
               "0805"                 /* the data message as a number */
               "7a0100"               /* the time as bytes */
               "6d01000000"           /* the timer as four bytes */
               "89010807060504030201" /* the signature as eight */
               "2805"                 /* the receipt as a number */
               ));
  const Sc__Content *fields = sc_content_fields(content);
  CHECK(fields->data_message == NULL && fields->receipt_message == NULL && !fields->has_sig_timestamp);
  CHECK(!fields->has_expiration_timer && !fields->has_pro_sig_for_community_message_only);
done:
  sc_content_free(content);
}

static void an_unknown_enum_value_is_ignored(sc_test *t) {
  sc_content *content = NULL;
  OK(parse_hex(&content, t->env, "6009"));
  CHECK(!sc_content_fields(content)->has_expiration_type);
  sc_content_free(content);
  OK(parse_hex(&content, t->env, "60016009"));
  CHECK(sc_content_fields(content)->expiration_type == SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_READ);
  sc_content_free(content);
  OK(parse_hex(&content, t->env, "60ffffffffffffffffff01"));
  CHECK(!sc_content_fields(content)->has_expiration_type);
  sc_content_free(content);
  /* Numbers of more than 32 bits are truncated, as in other clients. */
  OK(parse_hex(&content, t->env, "608280808010"));
  CHECK(sc_content_fields(content)->expiration_type == SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND);
done:
  sc_content_free(content);
}

static void numbers_are_truncated_to_the_size_of_their_field(sc_test *t) {
  sc_content *content;
  OK(parse_hex(&content, t->env,
               "68ffffffffffffffffff01"
               "78ffffffffffffffffff01"
               "52020804"
               "0a04b0068002"));
  const Sc__Content *fields = sc_content_fields(content);
  CHECK(fields->expiration_timer == UINT32_MAX && fields->sig_timestamp == UINT64_MAX);
  CHECK(fields->message_request_response->is_approved == 1);
done:
  sc_content_free(content);
}

static void a_repeated_singular_message_is_merged(sc_test *t) {
  sc_content *content = NULL;
  OK(parse_hex(&content, t->env,
               "0a040a026869"
               "7801"
               "0a023805"
               "0a030a0179"));
  CHECK(strcmp(sc_content_fields(content)->data_message->body, "y") == 0);
  CHECK(sc_content_fields(content)->data_message->timestamp == 5);
  sc_content_free(content);
  /* Its required fields may arrive one by one. */
  OK(parse_hex(&content, t->env,
               "32020805"
               "32021001"));
  CHECK(sc_content_fields(content)->typing_message->timestamp == 5);
  sc_content_free(content);
  /* Nothing between the parts is taken for a part. */
  OK(parse_hex(&content, t->env,
               "32020805"
               "4a050806120161"
               "310807000000000000"
               "32021001"));
  CHECK(sc_content_fields(content)->typing_message->timestamp == 5);
  CHECK(sc_content_fields(content)->unsend_request->timestamp == 6);
  sc_content_free(content);
  /* The fields of an inner message may arrive one by one as well. */
  OK(parse_hex(&content, t->env,
               "0a0442020807"
               "0a054203120161"));
  CHECK(sc_content_fields(content)->data_message->quote->id == 7);
  CHECK(strcmp(sc_content_fields(content)->data_message->quote->author, "a") == 0);
  sc_content_free(content);
  /* Repeated fields are all kept. */
  OK(parse_hex(&content, t->env,
               "0a0552030a0161"
               "0a0552030a0162"));
  CHECK(sc_content_fields(content)->data_message->n_preview == 2);
  CHECK(strcmp(sc_content_fields(content)->data_message->preview[1]->url, "b") == 0);
done:
  sc_content_free(content);
}

static void repeated_numbers_may_be_packed(sc_test *t) {
  sc_content *content;
  OK(parse_hex(&content, t->env,
               "2a0c"
               "0801"
               "10ac02"
               "1203"
               "01ac02"
               "1004"));
  const Sc__ReceiptMessage *receipt = sc_content_fields(content)->receipt_message;
  CHECK(receipt->n_timestamp == 4);
  CHECK(receipt->timestamp[0] == 300 && receipt->timestamp[1] == 1 && receipt->timestamp[2] == 300 &&
        receipt->timestamp[3] == 4);
done:
  sc_content_free(content);
}

static void strings_are_read_without_their_nuls(sc_test *t) {
  sc_content *content = NULL;
  OK(parse_hex(&content, t->env, "0a070a050061006200"));
  CHECK(strcmp(sc_content_fields(content)->data_message->body, "ab") == 0);
  sc_content_free(content);
  OK(parse_hex(&content, t->env, "0a020a00"));
  CHECK(strcmp(sc_content_fields(content)->data_message->body, "") == 0);
done:
  sc_content_free(content);
}

static void unknown_fields_are_kept_and_written_last(sc_test *t) {
  sc_buffer expected, written;
  sc_buffer_init(&expected, t->env);
  sc_buffer_init(&written, t->env);
  OK(rewrite_hex(&written, "c80c05"
                           "7801"
                           "0a07"
                           "fa3e0161"
                           "0a0178"
                           "3a020b0c"));
  OK(sc_test_hex(&expected, "0a07"
                            "0a0178"
                            "fa3e0161"
                            "7801"
                            "c80c05"
                            "3a020b0c"));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&written));
done:
  sc_buffer_free(&expected);
  sc_buffer_free(&written);
}

static void many_fields_are_read(sc_test *t) {
  enum { count = 300 };
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  sc_content *content = NULL;
  uint8_t receipt[] = {0x2a, 0xda, 0x04, 0x08, 0x01};
  OK(sc_buffer_append(&bytes, SC_BYTES(receipt)));
  for (int i = 0; i < count; i++) {
    uint8_t time[] = {0x10, (uint8_t)(i % 100)};
    OK(sc_buffer_append(&bytes, SC_BYTES(time)));
  }
  OK(sc_content_parse(&content, t->env, sc_buffer_bytes(&bytes)));
  CHECK(sc_content_fields(content)->receipt_message->n_timestamp == count);
  CHECK(sc_content_fields(content)->receipt_message->timestamp[count - 1] == 99);
done:
  sc_buffer_free(&bytes);
  sc_content_free(content);
}

static void content_size_is_limited(sc_test *t) {
  sc_buffer bytes, written;
  sc_buffer_init(&bytes, t->env);
  sc_buffer_init(&written, t->env);
  sc_content *content = NULL;
  uint8_t *room;
  enum { text_at = 8, text_len = SC_CONTENT_MAX_BYTES - text_at };
  OK(sc_buffer_extend(&room, &bytes, SC_CONTENT_MAX_BYTES + 1));
  memset(room, 'x', bytes.len);
  sc_test_hex_into(room, text_at, "0abc843d0ab8843d");
  sc_bytes largest = sc_bytes_make(room, SC_CONTENT_MAX_BYTES);
  OK(sc_content_parse(&content, t->env, largest));
  OK(sc_content_write(&written, sc_content_fields(content)));
  SAME(largest, sc_buffer_bytes(&written));
  FAILS(SC_ERR_TOO_LARGE,
        sc_content_write(&written, &(Sc__Content){
                                       .base = PROTOBUF_C_MESSAGE_INIT(&sc__content__descriptor),
                                       .data_message = sc_content_fields(content)->data_message,
                                       .has_sig_timestamp = true,
                                   }));
  CHECK(written.len == 0);
  sc_content_free(content);
  content = NULL;
  FAILS(SC_ERR_TOO_LARGE, sc_content_parse(&content, t->env, sc_buffer_bytes(&bytes)));
  CHECK(content == NULL);
done:
  sc_buffer_free(&bytes);
  sc_buffer_free(&written);
  sc_content_free(content);
}

static void fields_are_written_in_ascending_order(sc_test *t) {
  sc_buffer written, expected;
  sc_buffer_init(&written, t->env);
  sc_buffer_init(&expected, t->env);
  char body[] = "hi";
  Sc__DataMessage data = SC__DATA_MESSAGE__INIT;
  data.body = body;
  data.has_timestamp = true;
  data.timestamp = 5;
  Sc__Content content = SC__CONTENT__INIT;
  content.data_message = &data;
  content.has_expiration_type = true;
  content.expiration_type = SC__CONTENT__EXPIRATION_TYPE__DELETE_AFTER_SEND;
  content.has_expiration_timer = true;
  content.expiration_timer = 86400;
  content.has_sig_timestamp = true;
  content.sig_timestamp = 5;
  OK(sc_content_write(&written, &content));
  OK(sc_test_hex(&expected, "0a060a0268693805"
                            "6002"
                            "6880a305"
                            "7805"));
  SAME(sc_buffer_bytes(&expected), sc_buffer_bytes(&written));
done:
  sc_buffer_free(&written);
  sc_buffer_free(&expected);
}

static void content_without_a_required_field_is_not_written(sc_test *t) {
  sc_buffer written;
  sc_buffer_init(&written, t->env);
  Sc__UnsendRequest unsend = SC__UNSEND_REQUEST__INIT;
  Sc__Content content = SC__CONTENT__INIT;
  content.unsend_request = &unsend;
  OK(sc_buffer_append_byte(&written, 1));
  FAILS(SC_ERR_CONTENT, sc_content_write(&written, &content));
  CHECK(written.len == 0);
done:
  sc_buffer_free(&written);
}

static void freeing_null_is_harmless(sc_test *t) {
  (void)t;
  sc_content_free(NULL);
}

static void a_text_is_written(sc_test *t) {
  static const uint8_t with_nul[] = {'a', 0, 'b'};
  sc_content *content = NULL;
  sc_buffer bytes;
  sc_buffer_init(&bytes, t->env);
  OK(sc_content_write_text(&bytes, sc_bytes_text("grüße"), 54664));
  OK(sc_content_parse(&content, t->env, sc_buffer_bytes(&bytes)));
  const Sc__Content *fields = sc_content_fields(content);
  CHECK(fields->data_message != NULL && strcmp(fields->data_message->body, "grüße") == 0);
  CHECK(fields->has_sig_timestamp && fields->sig_timestamp == 54664);
  FAILS(SC_ERR_UTF8, sc_content_write_text(&bytes, SC_BYTES(with_nul), 1));
  CHECK(bytes.len == 0);
  FAILS(SC_ERR_UTF8, sc_content_write_text(&bytes, sc_bytes_text("\xff"), 1));
done:
  sc_content_free(content);
  sc_buffer_free(&bytes);
}

/* Memory for ten times the message. */
static void *allocate_in_measure(void *user, size_t size) {
  size_t *left = user;
  if (size > *left)
    return NULL;
  *left -= size;
  return malloc(size);
}

static void release(void *user, void *ptr) {
  (void)user;
  free(ptr);
}

/* An empty message in a list takes two bytes, and a hundred times as many in memory. */
static void too_many_empty_values_are_refused(sc_test *t) {
  enum { inside = 200000, head = 4 };
  static const uint8_t forms[][2] = {{0x12, 0}, {0x52, 0}, {0x78, 0}}; /* the last is unknown */
  static uint8_t bytes[1 + head + inside];
  for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
    size_t left = 10 * sizeof bytes;
    const sc_env env = {.user = &left, .allocate = allocate_in_measure, .release = release};
    sc_content *content;
    bytes[0] = 0x0a; /* the data message */
    for (size_t i = 0; i < head; i++)
      bytes[1 + i] = (uint8_t)((inside >> (7 * i) & 0x7f) | (i + 1 < head ? 0x80 : 0));
    for (size_t i = 0; i < inside; i += 2)
      memcpy(bytes + 1 + head + i, forms[f], 2);
    FAILS(SC_ERR_TOO_LARGE, sc_content_parse(&content, &env, SC_BYTES(bytes)));
  }
done:;
}

/* Far more than any client writes. */
static void values_up_to_the_limit_are_read(sc_test *t) {
  static uint8_t bytes[3 + 2 * (SC_CONTENT_MAX_VALUES - 1)];
  enum { inside = sizeof bytes - 3 };
  sc_content *content = NULL;
  bytes[0] = 0x0a;
  bytes[1] = (uint8_t)(inside & 0x7f) | 0x80;
  bytes[2] = (uint8_t)(inside >> 7);
  for (size_t i = 0; i < inside; i += 2)
    memcpy(bytes + 3 + i, "\x78\x00", 2);
  OK(sc_content_parse(&content, t->env, SC_BYTES(bytes)));
done:
  sc_content_free(content);
}

static void text_must_be_utf_8(sc_test *t) {
  static const char *const bad[] = {"\x0a\x03\x0a\x01\xff", "\x0a\x04\x0a\x02\xc3\x28",
                                    "\x0a\x08\x0a\x01x\x0a\x03\xed\xa0\x80"};
  sc_content *content = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    FAILS(SC_ERR_UTF8, sc_content_parse(&content, t->env, sc_bytes_text(bad[i])));
  OK(sc_content_parse(&content, t->env, sc_bytes_text("\x0a\x04\x0a\x02\xc3\xa9")));
done:
  sc_content_free(content);
}

SUITE(message_content, "message/content",
      {"too many empty values are refused", too_many_empty_values_are_refused},
      {"values up to the limit are read", values_up_to_the_limit_are_read},
      {"text must be UTF-8", text_must_be_utf_8}, {"a text is written", a_text_is_written},
      {"a text is read", a_text_is_read}, {"empty content has no fields", empty_content_has_no_fields},
      {"each protobuf error is named", each_protobuf_error_is_named},
      {"invalid content is named", invalid_content_is_named},
      {"a known field with the wrong wire type is ignored",
       a_known_field_with_the_wrong_wire_type_is_ignored},
      {"an unknown enum value is ignored", an_unknown_enum_value_is_ignored},
      {"numbers are truncated to the size of their field", numbers_are_truncated_to_the_size_of_their_field},
      {"a repeated singular message is merged", a_repeated_singular_message_is_merged},
      {"repeated numbers may be packed", repeated_numbers_may_be_packed},
      {"strings are read without their NULs", strings_are_read_without_their_nuls},
      {"unknown fields are kept and written last", unknown_fields_are_kept_and_written_last},
      {"many fields are read", many_fields_are_read}, {"content size is limited", content_size_is_limited},
      {"fields are written in ascending order", fields_are_written_in_ascending_order},
      {"content without a required field is not written", content_without_a_required_field_is_not_written},
      {"freeing NULL is harmless", freeing_null_is_harmless});
