#include <stdio.h>

#include "cast.h"
#include "support/test.h"

typedef struct scene {
  cast cast;
  sc_group_update update;
  sc_group_evidence found;
  sc_verified_group_update verified;
  sc_id members[2];
  sc_bytes hashes[2];
  uint8_t signature[64];
  uint8_t access[SC_SUBACCOUNT_ACCESS_BYTES];
  sc_message_rule broken;
} scene;

static sc_status scene_begin(scene *s, sc_message_kind kind) {
  memset(s, 0, sizeof *s);
  sc_status status = cast_init(&s->cast);
  s->update.kind = kind;
  s->members[0] = s->cast.alice_id;
  s->members[1] = s->cast.bob_id;
  s->hashes[0] = sc_bytes_text("a");
  s->hashes[1] = sc_bytes_text("b");
  s->found = (sc_group_evidence){SC_PLACE_GROUP, &s->cast.group, &s->cast.alice_id, CAST_SENT_MS};
  return status;
}

/* Signs the update as the group, for Bob if it is an invitation. */
static sc_status sign(scene *s, const sc_env *env) {
  s->update.signature = SC_BYTES(s->signature);
  return sc_group_update_sign(s->signature, env, &s->update, &s->cast.group_pair, CAST_SENT_MS,
                              &s->cast.bob_id, &s->broken);
}

/* Bob proves the update. */
static sc_status verify(scene *s, const sc_env *env) {
  return sc_group_update_verify(&s->verified, env, &s->update, &s->found, &s->cast.bob, &s->broken);
}

static bool signs_text(const scene *s, const char *text) {
  return sc_ed25519_verify(SC_BYTES(s->cast.group_pair.public_key), sc_bytes_text(text),
                           SC_BYTES(s->signature)) == SC_OK;
}

static void fill_invite(scene *s) {
  s->found.place = SC_PLACE_CONTACT;
  s->found.group = NULL;
  s->update.of.invite = (sc_group_invite){s->cast.group, sc_bytes_text("Friends"), SC_BYTES(s->access)};
}

static void the_signed_text_is_that_of_the_protocol(sc_test *t) {
  scene s;
  char expected[300], alice[SC_ID_CHARS + 1], bob[SC_ID_CHARS + 1];
  OK(scene_begin(&s, SC_MESSAGE_GROUP_INVITE));
  sc_id_format(alice, &s.cast.alice_id);
  sc_id_format(bob, &s.cast.bob_id);
  fill_invite(&s);
  OK(sign(&s, t->env));
  snprintf(expected, sizeof expected, "INVITE%s1750000000123", bob);
  CHECK(signs_text(&s, expected));
  s.update.kind = SC_MESSAGE_GROUP_INFO_CHANGE;
  s.update.of.info = (sc_group_info_change){SC_GROUP_INFO_DISAPPEARING, {0}, 5};
  OK(sign(&s, t->env));
  CHECK(signs_text(&s, "INFO_CHANGE31750000000123"));
  s.update.kind = SC_MESSAGE_GROUP_MEMBER_CHANGE;
  s.update.of.members = (sc_group_member_change){SC_GROUP_MEMBERS_PROMOTED, s.members, 2, false};
  OK(sign(&s, t->env));
  CHECK(signs_text(&s, "MEMBER_CHANGE31750000000123"));
  s.update.kind = SC_MESSAGE_GROUP_CONTENT_DELETION;
  s.update.of.deletion = (sc_group_deletion){s.members, 2, s.hashes, 2};
  OK(sign(&s, t->env));
  snprintf(expected, sizeof expected, "DELETE_CONTENT1750000000123%s%sab", alice, bob);
  CHECK(signs_text(&s, expected));
  s.update.kind = SC_MESSAGE_GROUP_MEMBER_LEFT;
  FAILS(SC_ERR_ARGUMENT, sign(&s, t->env));
done:;
}

static void an_invitation_is_for_one_account_at_one_time(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_INVITE));
  OK(sc_subaccount_grant(s.access, &s.cast.group_pair, &s.cast.bob_id, SC_SUBACCOUNT_MEMBER));
  fill_invite(&s);
  OK(sign(&s, t->env));
  OK(verify(&s, t->env));
  CHECK(s.verified.is_by_admin && s.broken == SC_RULE_NONE);
  SAME(SC_BYTES(s.cast.group.bytes), SC_BYTES(s.verified.group.bytes));
  s.found.sent_ms++;
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_GROUP_SIGNATURE);
  s.found.sent_ms--;
  s.found.place = SC_PLACE_GROUP;
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_GROUP_PLACE);
  s.found.place = SC_PLACE_CONTACT;
  FAILS(SC_ERR_MESSAGE_RULE,
        sc_group_update_verify(&s.verified, t->env, &s.update, &s.found, &s.cast.eve, &s.broken));
  CHECK(s.broken == SC_RULE_GROUP_SIGNATURE);
done:;
}

static void access_granted_to_another_account_is_refused(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_INVITE));
  OK(sc_subaccount_grant(s.access, &s.cast.group_pair, &s.cast.alice_id, SC_SUBACCOUNT_MEMBER));
  fill_invite(&s);
  OK(sign(&s, t->env));
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_GROUP_ACCESS);
done:;
}

static void an_invitation_is_signed_for_an_account_by_its_group(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_INVITE));
  fill_invite(&s);
  FAILS(SC_ERR_MESSAGE_RULE, sc_group_update_sign(s.signature, t->env, &s.update, &s.cast.group_pair,
                                                  CAST_SENT_MS, NULL, &s.broken));
  CHECK(s.broken == SC_RULE_GROUP_INVITEE);
  FAILS(SC_ERR_MESSAGE_RULE, sc_group_update_sign(s.signature, t->env, &s.update, &s.cast.backend,
                                                  CAST_SENT_MS, &s.cast.bob_id, &s.broken));
  CHECK(s.broken == SC_RULE_GROUP_ID);
done:;
}

static void a_promotion_proves_itself(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_PROMOTION));
  s.update.of.promotion =
      (sc_group_promotion){sc_bytes_make(s.cast.group_pair.secret, 32), sc_bytes_text("Friends")};
  s.found.place = SC_PLACE_CONTACT;
  OK(verify(&s, t->env));
  CHECK(s.verified.is_by_admin);
  SAME(SC_BYTES(s.cast.group.bytes), SC_BYTES(s.verified.group.bytes));
done:;
}

static void a_change_is_not_another_one(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_INFO_CHANGE));
  s.update.of.info.what = SC_GROUP_INFO_PICTURE;
  OK(sign(&s, t->env));
  OK(verify(&s, t->env));
  CHECK(s.verified.is_by_admin);
  s.update.of.info.what = SC_GROUP_INFO_NAME;
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_GROUP_SIGNATURE);
done:;
}

static void a_member_deletes_own_messages_alone(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_CONTENT_DELETION));
  s.update.of.deletion = (sc_group_deletion){s.members, 2, s.hashes, 2};
  OK(verify(&s, t->env));
  const sc_group_deletion *own = &s.verified.update.of.deletion;
  CHECK(!s.verified.is_by_admin && own->member_count == 1 && own->hash_count == 2);
  SAME(SC_BYTES(s.cast.alice_id.bytes), SC_BYTES(own->members[0].bytes));
  s.update.of.deletion = (sc_group_deletion){&s.members[1], 1, NULL, 0};
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_DELETION_OTHERS);
  OK(sign(&s, t->env));
  OK(verify(&s, t->env));
  CHECK(s.verified.is_by_admin && s.verified.update.of.deletion.member_count == 1);
done:;
}

static void members_speak_for_themselves(sc_test *t) {
  scene s;
  OK(scene_begin(&s, SC_MESSAGE_GROUP_MEMBER_LEFT));
  OK(verify(&s, t->env));
  CHECK(!s.verified.is_by_admin);
  SAME(SC_BYTES(s.cast.group.bytes), SC_BYTES(s.verified.group.bytes));
  s.found.place = SC_PLACE_COMMUNITY;
  FAILS(SC_ERR_MESSAGE_RULE, verify(&s, t->env));
  CHECK(s.broken == SC_RULE_GROUP_PLACE);
done:;
}

SUITE(message_group_proof, "message/group_proof",
      {"the signed text is that of the protocol", the_signed_text_is_that_of_the_protocol},
      {"an invitation is for one account at one time", an_invitation_is_for_one_account_at_one_time},
      {"access granted to another account is refused", access_granted_to_another_account_is_refused},
      {"an invitation is signed for an account, by its group",
       an_invitation_is_signed_for_an_account_by_its_group},
      {"a promotion proves itself", a_promotion_proves_itself},
      {"a change is not another one", a_change_is_not_another_one},
      {"a member deletes only their own messages", a_member_deletes_own_messages_alone},
      {"members speak for themselves", members_speak_for_themselves});
