#include "support/test.h"

static const sc_message_timer after_send = {SC_TIMER_AFTER_SEND, 3600};
static const sc_message_timer after_read = {SC_TIMER_AFTER_READ, 3600};
static const sc_message_timer off = {SC_TIMER_OFF, 0};
static const uint64_t two_weeks_ms = (uint64_t)14 * 24 * 60 * 60 * 1000;

static void every_kind_has_a_row_and_a_name(sc_test *t) {
  for (int kind = 0; kind < SC_MESSAGE_KINDS; kind++) {
    CHECK(sc_message_traits_of((sc_message_kind)kind) != NULL);
    CHECK(strlen(sc_message_kind_name((sc_message_kind)kind)) > 3);
  }
  CHECK(sc_message_traits_of((sc_message_kind)SC_MESSAGE_KINDS) == NULL);
  CHECK(sc_message_kind_name((sc_message_kind)SC_MESSAGE_KINDS) == NULL);
done:;
}

static void only_old_configs_have_no_destination(sc_test *t) {
  for (int kind = 0; kind < SC_MESSAGE_KINDS; kind++)
    CHECK((sc_message_traits_of((sc_message_kind)kind)->destinations == 0) ==
          (kind == SC_MESSAGE_LEGACY_CONFIG));
done:;
}

static void a_timer_shortens_the_life_of_messages_that_disappear_after_sending(sc_test *t) {
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, off, SC_PLACE_CONTACT) == two_weeks_ms);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, after_send, SC_PLACE_CONTACT) == 3600000);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, after_read, SC_PLACE_CONTACT) == two_weeks_ms);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, after_read, SC_PLACE_OWN_DEVICES) == 3600000);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, after_read, SC_PLACE_GROUP) == 3600000);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_UNSEND, after_send, SC_PLACE_CONTACT) == two_weeks_ms);
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_TYPING, after_send, SC_PLACE_CONTACT) == 20000);
  const sc_message_timer longest = {SC_TIMER_AFTER_SEND, UINT32_MAX};
  CHECK(sc_message_lifetime_ms(SC_MESSAGE_VISIBLE, longest, SC_PLACE_CONTACT) == two_weeks_ms);
done:;
}

static void the_place_decides_when_a_timer_starts(sc_test *t) {
  const sc_message_timer unspecified = {SC_TIMER_UNSPECIFIED, 60};
  CHECK(sc_message_timer_mode(off, SC_PLACE_CONTACT) == SC_TIMER_OFF);
  CHECK(sc_message_timer_mode(unspecified, SC_PLACE_CONTACT) == SC_TIMER_AFTER_READ);
  CHECK(sc_message_timer_mode(unspecified, SC_PLACE_GROUP) == SC_TIMER_AFTER_SEND);
  CHECK(sc_message_timer_mode(after_send, SC_PLACE_CONTACT) == SC_TIMER_AFTER_SEND);
  CHECK(sc_message_timer_mode(after_read, SC_PLACE_GROUP) == SC_TIMER_AFTER_SEND);
  CHECK(sc_message_timer_mode(after_read, SC_PLACE_COMMUNITY) == SC_TIMER_OFF);
  CHECK(sc_message_timer_mode(after_read, SC_PLACE_INBOX) == SC_TIMER_OFF);
done:;
}

static void every_rule_has_its_own_id_and_a_sentence(sc_test *t) {
  for (int rule = 1; *sc_message_rule_id((sc_message_rule)rule) != 0; rule++) {
    const char *text = sc_message_rule_text((sc_message_rule)rule);
    CHECK(strlen(text) > 10 && text[strlen(text) - 1] != '.');
    for (int other = 1; other < rule; other++)
      CHECK(strcmp(sc_message_rule_id((sc_message_rule)other), sc_message_rule_id((sc_message_rule)rule)) !=
            0);
  }
  CHECK(*sc_message_rule_id(SC_RULE_NONE) == 0 && *sc_message_rule_text((sc_message_rule)10000) == 0);
done:;
}

SUITE(message_kinds, "message/kinds", {"every kind has a row and a name", every_kind_has_a_row_and_a_name},
      {"only old configs have no destination", only_old_configs_have_no_destination},
      {"a timer shortens the life of messages that disappear after sending",
       a_timer_shortens_the_life_of_messages_that_disappear_after_sending},
      {"the place decides when a timer starts", the_place_decides_when_a_timer_starts},
      {"every rule has its own id and a sentence", every_rule_has_its_own_id_and_a_sentence});
