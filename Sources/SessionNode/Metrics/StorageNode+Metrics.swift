import SessionBase
public import SessionCore
public import SessionHTTP
public import SessionService
import Synchronization

extension MetricsServer {
  /// Starts to serve metrics. Throws `cannotListen` for an address that others can reach.
  public convenience init(_ node: StorageNode, at address: NetworkAddress) throws(HTTPError) {
    try self.init(at: address) { [weak node] in await node?.metricsText() }
  }
}

extension StorageNode {
  /// The metrics of the node for Prometheus.
  public func metricsText() async -> String {
    let status = await status()
    let onions = Dictionary(uniqueKeysWithValues: metrics.onions.counts.map { ($0.key, $0.count) })
    var text = MetricsText()
    text.add(
      "session_node_requests_total", .counter, "Replies by method, transport and code.",
      metrics.requests.counts.map {
        (["method": $0.key.method, "way": $0.key.way.rawValue, "code": "\($0.key.code)"], $0.count)
      })
    text.add(
      "session_node_onions_total", .counter, "Decrypted onion layers by content.",
      NodeMetrics.OnionRole.allCases.map { (["role": $0.rawValue], onions[$0] ?? 0) })
    text.add(
      "session_node_pushes_total", .counter, "Events sent to subscribers.",
      metrics.pushes.load(ordering: .relaxed))
    text.add("session_node_commits_total", .counter, "Commits of the store.", store.commitCount)
    text.add("session_node_messages", .gauge, "Messages in the store.", status.messages)
    text.add("session_node_subscriptions", .gauge, "Subscriptions to new messages.", status.subscriptions)
    text.add("session_node_debts", .gauge, "Requests queued for other members.", status.debts)
    text.add(
      "session_node_transfers", .gauge, "Nodes that the store is being transferred to.", status.transfers)
    text.add("session_node_ready", .gauge, "1 if the node serves its swarm.", status.isReady ? 1 : 0)
    text.add("session_node_list_height", .gauge, "Height of the list of nodes.", status.height)
    text.add("session_node_listed_nodes", .gauge, "Nodes of the network.", status.listedNodes)
    text.add("session_node_swarm_members", .gauge, "Other members of the swarm.", status.members.count)
    text.add(
      "session_node_swarm_members_reachable", .gauge, "Other members that replied to the last call.",
      status.members.filter { $0.isReachable ?? true }.count)
    text.add("session_node_memory_bytes", .gauge, "Memory of the process.", status.memory)
    text.add("session_node_uptime_seconds", .gauge, "Seconds since the node started.", status.uptimeSeconds)
    return text.text
  }
}
