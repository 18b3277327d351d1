/* Stories about groups: the devices of a few people, each with the group's keys, its info and its members. */
#ifndef SC_TESTS_VECTORS_GROUP_STORY_H
#define SC_TESTS_VECTORS_GROUP_STORY_H

#include "story.h"

enum { most_group_clients = 16 };

typedef struct group_client {
  sc_bytes name;
  sc_keypair user;
  sc_group_keys *keys; /* NULL when the client could not be made */
  sc_group_info *info;
  sc_group_members *members;
} group_client;

typedef struct group_story {
  sc_id group_id;
  sc_ed25519_pair group;
  group_client clients[most_group_clients];
  size_t client_count;
} group_story;

/* The client of a step; its absence is a flaw. */
group_client *group_acting(group_story *story, known_case *c);

void group_client_free(group_client *client);

/* Gives the keys to info and members. */
sc_status group_hand_on(group_client *client, bool dirty);

/* A member's id among the arguments of a step. */
sc_id group_id_argument(known_case *c, sc_status *status);

/* Steps with info and members. */
sc_status group_info_set_name(void *story, known_case *c);
sc_status group_info_state(void *story, known_case *c);
sc_status group_member_set(void *story, known_case *c);
sc_status group_member_erase(void *story, known_case *c);
sc_status group_members_state(void *story, known_case *c);
sc_status group_push_info(void *story, known_case *c);
sc_status group_push_members(void *story, known_case *c);
sc_status group_confirm_info(void *story, known_case *c);
sc_status group_confirm_members(void *story, known_case *c);
sc_status group_merge_info(void *story, known_case *c);
sc_status group_merge_members(void *story, known_case *c);
sc_status group_dump_info(void *story, known_case *c);
sc_status group_dump_members(void *story, known_case *c);

#endif
