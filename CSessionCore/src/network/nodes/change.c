#include "change.h"

enum {
  least_usual = 8,
  percent_a_day = 3,
  most_days = 10, /* that count */
};

size_t sc_change_count(const sc_node_pool *pool, const sc_node_list *list) {
  size_t kept = 0, changes = 0;
  for (size_t i = 0; i < sc_node_list_count(list); i++) {
    const sc_node *now = &sc_node_list_nodes(list)[i], *before = sc_node_pool_find(pool, now->key);
    kept += before != NULL;
    changes += before == NULL || !sc_node_agrees(before, now);
  }
  return changes + pool->count - kept;
}

size_t sc_change_usual(size_t nodes, sc_day since, sc_day today) {
  size_t days = since == 0 || since >= today ? 1 : today - since;
  size_t usual = nodes * percent_a_day * (days < most_days ? days : most_days) / 100;
  return usual > least_usual ? usual : least_usual;
}

bool sc_node_is_old(const sc_node *node, sc_day today) {
  return node->first_day == 0 || today >= node->first_day + sc_change_young_days;
}

void sc_change_date(sc_node_list *list, const sc_node_pool *pool, bool proved, sc_day today) {
  sc_node *nodes = list->table.records;
  size_t count = sc_node_list_count(list), old = 0;
  for (size_t i = 0; i < count; i++) {
    const sc_node *before = sc_node_pool_find(pool, nodes[i].key);
    nodes[i].first_day = before != NULL ? before->first_day : today;
    old += sc_node_is_old(&nodes[i], today);
  }
  if (pool->count > 0 && !(proved && old == 0))
    return;
  for (size_t i = 0; i < count; i++)
    nodes[i].first_day = 0;
}
