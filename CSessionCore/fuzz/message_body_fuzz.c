/* Reading what contents say. A body that was read keeps every rule, and is written and read again as the
 * same.
 *
 * The first byte chooses the sender and the place of a message that is then judged as received and sent. */
#include "message/fields.h"
#include "sealed.h"

static void judge(const sc_message_body *body, uint8_t choice) {
  static const sc_id people[] = {{{SC_ID_STANDARD, 1}}, {{SC_ID_STANDARD, 2}}};
  const sc_message_place place = (sc_message_place)(1 << (choice % 5));
  const sc_id *sender = &people[choice >> 7];
  sc_message_rule received = sc_message_body_check_received(body, place, sender, &people[0], body->sent_ms);
  REQUIRE(received != SC_RULE_NONE ||
          (sc_message_traits_of(body->kind)->destinations & (unsigned)place) != 0 ||
          body->kind == SC_MESSAGE_LEGACY_CONFIG);
  sc_message_rule sent = sc_message_body_check_sending(body, place, NULL);
  REQUIRE(sent != SC_RULE_NONE || !body->has_sync_target || place == SC_PLACE_OWN_DEVICES);
}

static void prove(const sc_message_body *body) {
  static const sc_id group = {{SC_ID_GROUP, 1}};
  static const sc_id sender = {{SC_ID_STANDARD, 1}};
  static const sc_keypair reader;
  const sc_group_evidence found = {SC_PLACE_GROUP, &group, &sender, body->sent_ms};
  sc_verified_group_update verified;
  sc_message_rule broken;
  sc_status status = sc_group_update_verify(&verified, fuzz_env(), &body->of.group, &found, &reader, &broken);
  REQUIRE((status == SC_OK) == (broken == SC_RULE_NONE));
  REQUIRE(status != SC_OK || !verified.is_by_admin); /* no account has this group's secret */
}

static void write_and_read_again(const sc_message_body *body) {
  sc_buffer written, again;
  sc_content *content;
  const sc_message_body *reread;
  sc_message_rule broken;
  sc_buffer_init(&written, fuzz_env());
  sc_buffer_init(&again, fuzz_env());
  sc_status status = sc_message_body_write(&written, body, &broken);
  REQUIRE(status == SC_OK || status == SC_ERR_TOO_LARGE);
  if (status == SC_OK) {
    REQUIRE(sc_content_parse(&content, fuzz_env(), sc_buffer_bytes(&written)) == SC_OK);
    REQUIRE(sc_content_body(&reread, content, &broken) == SC_OK && reread->kind == body->kind);
    REQUIRE(sc_message_body_write(&again, reread, &broken) == SC_OK);
    REQUIRE(sc_bytes_same(sc_buffer_bytes(&written), sc_buffer_bytes(&again)));
    sc_content_free(content);
  }
  sc_buffer_free(&written);
  sc_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sc_content *content;
  const sc_message_body *body;
  sc_message_rule broken;
  if (size == 0 || sc_content_parse(&content, fuzz_env(), sc_bytes_make(data + 1, size - 1)) != SC_OK)
    return 0;
  sc_status status = sc_content_body(&body, content, &broken);
  REQUIRE(status == SC_OK || status == SC_ERR_MESSAGE_RULE);
  REQUIRE((status == SC_OK) == (broken == SC_RULE_NONE) && (status == SC_OK) == (body != NULL));
  if (status == SC_OK) {
    REQUIRE(sc_message_body_check(body) == SC_RULE_NONE);
    judge(body, data[0]);
    write_and_read_again(body);
    if (body->kind >= SC_MESSAGE_GROUP_INVITE && body->kind <= SC_MESSAGE_GROUP_CONTENT_DELETION)
      prove(body);
  }
  sc_content_free(content);
  return 0;
}
