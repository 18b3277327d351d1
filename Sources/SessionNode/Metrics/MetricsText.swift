/// Measurements in the text form that Prometheus reads.
package struct MetricsText {
  package enum Kind: String {
    case counter
    case gauge
  }

  package private(set) var text = ""

  package init() {}

  /// Adds a measurement without labels.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    let none: KeyValuePairs<String, String> = [:]
    add(name, kind, help, [(none, value)])
  }

  /// Adds a measurement once for each set of labels.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String,
    _ series: [(labels: KeyValuePairs<String, String>, value: some BinaryInteger)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in series {
      let pairs = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
      text += name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(value)\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}

extension StorageNode {
  /// What the node has done and holds, for Prometheus.
  public func metricsText() async -> String {
    let (status, counts) = (await status(), metrics.counts)
    var text = MetricsText()
    text.add(
      "session_node_requests_total", .counter, "Answers by method, way in and code.",
      counts.requests.sorted { $0.key < $1.key }.map {
        (["method": $0.key.method, "way": $0.key.way.rawValue, "code": "\($0.key.code)"], $0.value)
      })
    text.add(
      "session_node_onions_total", .counter, "Onion layers that were opened, by what was in them.",
      NodeMetrics.OnionRole.allCases.map { (["role": $0.rawValue], counts.onions[$0] ?? 0) })
    text.add("session_node_pushes_total", .counter, "Events that were told to subscribers.", counts.pushes)
    text.add("session_node_commits_total", .counter, "Commits of the store.", store.commitCount)
    text.add("session_node_messages", .gauge, "Messages in the store.", status.messages)
    text.add("session_node_subscriptions", .gauge, "Subscriptions to new messages.", status.subscriptions)
    text.add("session_node_debts", .gauge, "Requests that other members are owed.", status.debts)
    text.add("session_node_transfers", .gauge, "Nodes that a store is handed over to.", status.transfers)
    text.add("session_node_ready", .gauge, "1 where the node serves its swarm.", status.isReady ? 1 : 0)
    text.add("session_node_list_height", .gauge, "Height of the list of nodes.", status.height)
    text.add("session_node_listed_nodes", .gauge, "Nodes of the network.", status.listedNodes)
    text.add("session_node_swarm_members", .gauge, "Other members of the swarm.", status.members.count)
    text.add(
      "session_node_swarm_members_reachable", .gauge, "Other members that answered the last time.",
      status.members.filter { $0.isReachable ?? true }.count)
    text.add("session_node_memory_bytes", .gauge, "Memory of the process.", status.memory)
    text.add("session_node_uptime_seconds", .gauge, "Since the node began.", status.uptimeSeconds)
    return text.text
  }
}
