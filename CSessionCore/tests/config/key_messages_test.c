#include "config/key_messages.h"

#include "support/test.h"

/* Marks a message for a generation, as if it had just been loaded. */
SC_NODISCARD static sc_status mark(sc_key_messages *messages, int64_t generation, const char *hash,
                                   const char *content) {
  bool changed = false;
  sc_key_message *message;
  sc_status status = sc_key_messages_reserve(messages, 1);
  if (status == SC_OK)
    status = sc_key_messages_hold(&message, &changed, messages, sc_bytes_text(hash), sc_bytes_text(content));
  if (status != SC_OK)
    return status;
  (void)sc_key_messages_mark(messages, generation, message);
  sc_key_messages_give_back(messages, message);
  return SC_OK;
}

/* True if these are the hashes, in order; each has one letter. */
static bool spells(const sc_key_messages *messages, const char *letters) {
  if (messages->message_count != strlen(letters))
    return false;
  for (size_t i = 0; i < messages->message_count; i++)
    if (messages->messages[i]->hash[0] != letters[i])
      return false;
  return true;
}

static void messages_are_sorted_by_hash(sc_test *t) {
  sc_key_messages messages = {.env = t->env};
  OK(mark(&messages, 1, "b", "B"));
  OK(mark(&messages, 0, "c", "C"));
  OK(mark(&messages, 2, "a", "A"));
  OK(mark(&messages, 2, "a", "A"));
  CHECK(spells(&messages, "abc") && messages.mark_count == 3 && messages.kept_bytes == 3);
  CHECK(messages.marks[0].generation == 0 && messages.marks[2].generation == 2);
  SAME(sc_bytes_text("A"), sc_key_message_content(messages.messages[0]));
done:
  sc_key_messages_free(&messages);
}

static void a_message_lives_as_long_as_its_last_generation(sc_test *t) {
  sc_key_messages messages = {.env = t->env};
  OK(mark(&messages, 1, "a", "A"));
  OK(mark(&messages, 3, "a", "A"));
  OK(mark(&messages, 2, "b", "B"));
  CHECK(!sc_key_messages_drop_below(&messages, 1));
  CHECK(sc_key_messages_drop_below(&messages, 2));
  CHECK(spells(&messages, "ab") && messages.mark_count == 2);
  CHECK(sc_key_messages_drop_below(&messages, 3));
  CHECK(spells(&messages, "a") && messages.kept_bytes == 1);
  CHECK(sc_key_messages_drop_all(&messages));
  CHECK(spells(&messages, "") && messages.kept_bytes == 0 && !sc_key_messages_drop_all(&messages));
done:
  sc_key_messages_free(&messages);
}

static void content_may_be_added_later(sc_test *t) {
  sc_key_messages messages = {.env = t->env};
  bool changed = false;
  sc_key_message *message = NULL;
  OK(mark(&messages, 1, "a", ""));
  CHECK(sc_key_message_content(messages.messages[0]).len == 0);
  OK(sc_key_messages_hold(&message, &changed, &messages, sc_bytes_text("a"), sc_bytes_text("A")));
  CHECK(changed);
  SAME(sc_bytes_text("A"), sc_key_message_content(message));
  sc_key_messages_give_back(&messages, message);
  changed = false;
  OK(sc_key_messages_hold(&message, &changed, &messages, sc_bytes_text("a"), sc_bytes_text("other")));
  CHECK(!changed);
  SAME(sc_bytes_text("A"), sc_key_message_content(message));
  sc_key_messages_give_back(&messages, message);
done:
  sc_key_messages_free(&messages);
}

static void a_released_message_without_marks_is_removed(sc_test *t) {
  sc_key_messages messages = {.env = t->env};
  bool changed = false;
  sc_key_message *message = NULL;
  OK(sc_key_messages_hold(&message, &changed, &messages, sc_bytes_text("a"), sc_bytes_text("A")));
  CHECK(changed && spells(&messages, "a"));
  sc_key_messages_give_back(&messages, message);
  sc_key_messages_give_back(&messages, NULL);
  CHECK(spells(&messages, ""));
done:
  sc_key_messages_free(&messages);
}

static void content_beyond_the_limit_is_not_kept(sc_test *t) {
  static uint8_t large[SC_GROUP_MAX_KEPT_BYTES];
  sc_key_messages messages = {.env = t->env};
  bool changed = false;
  sc_key_message *held[3] = {NULL};
  OK(sc_key_messages_hold(&held[0], &changed, &messages, sc_bytes_text("a"),
                          sc_bytes_make(large, sizeof large - 1)));
  OK(sc_key_messages_hold(&held[1], &changed, &messages, sc_bytes_text("b"), sc_bytes_make(large, 2)));
  OK(sc_key_messages_hold(&held[2], &changed, &messages, sc_bytes_text("c"), sc_bytes_make(large, 1)));
  CHECK(held[0]->content_len == sizeof large - 1 && held[1]->content_len == 0 && held[2]->content_len == 1);
  CHECK(messages.kept_bytes == sizeof large);
done:
  sc_key_messages_free(&messages);
}

static void a_new_mark_replaces_the_lowest_when_full(sc_test *t) {
  sc_key_messages messages = {.env = t->env};
  bool changed = false;
  sc_key_message *message = NULL;
  OK(sc_key_messages_reserve(&messages, 2 * SC_GROUP_MAX_ACTIVE));
  OK(sc_key_messages_hold(&message, &changed, &messages, sc_bytes_text("a"), sc_bytes_text("A")));
  for (int64_t i = 1; i <= SC_GROUP_MAX_ACTIVE; i++)
    CHECK(sc_key_messages_mark(&messages, i, message));
  CHECK(!sc_key_messages_mark(&messages, 5, message));
  CHECK(!sc_key_messages_mark(&messages, 0, message));
  CHECK(messages.marks[0].generation == 1);
  CHECK(sc_key_messages_mark(&messages, SC_GROUP_MAX_ACTIVE + 1, message));
  CHECK(messages.mark_count == SC_GROUP_MAX_ACTIVE && messages.marks[0].generation == 2);
  OK(sc_key_messages_reserve(&messages, 1));
  CHECK(message->marks == SC_GROUP_MAX_ACTIVE + 1);
done:
  sc_key_messages_free(&messages);
}

SUITE(config_key_messages, "config/key_messages",
      {"messages are sorted by hash", messages_are_sorted_by_hash},
      {"a message lives as long as its last generation", a_message_lives_as_long_as_its_last_generation},
      {"content may be added later", content_may_be_added_later},
      {"a released message without marks is removed", a_released_message_without_marks_is_removed},
      {"content beyond the limit is not kept", content_beyond_the_limit_is_not_kept},
      {"a new mark replaces the lowest when full", a_new_mark_replaces_the_lowest_when_full});
