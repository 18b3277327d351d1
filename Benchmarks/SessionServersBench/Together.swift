import Dispatch

/// Runs a closure once for each connection, all at the same time: each waits for its answers on a thread of its own.
func together(_ connections: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<connections {
    DispatchQueue(label: "session.bench.connection").async(group: group) { body(index) }
  }
  group.wait()
}
