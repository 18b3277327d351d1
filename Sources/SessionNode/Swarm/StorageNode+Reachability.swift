import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionService

extension StorageNode {
  /// Calls other nodes to test them. Nil when the task must end.
  func testOthers() async -> Void? {
    guard !Task.isCancelled else { return nil }
    guard let membership else { return () }
    let others = membership.file.nodes.filter { $0.isFunded && $0.key != keys.publicKey }
    let due = Set(reachability.due(others.map(\.key), now: MachineClock.nanoseconds))
    await withTaskGroup { group in
      for other in others where due.contains(other.key) { group.addTask { await self.test(other) } }
    }
    return ()
  }

  private func test(_ other: NodeRecord) async {
    async let answersOverHTTPS = answersHTTPS(other)
    let isThere = await answersPing(other)
    let isHeardOverHTTPS = await answersOverHTTPS
    // A cancelled test proves nothing.
    guard !Task.isCancelled else { return }
    let wasThere = reachability.isReachable(other.key) ?? true
    if isThere {
      reachability.passed(other.key, now: MachineClock.nanoseconds)
    } else {
      reachability.failed(other.key, now: MachineClock.nanoseconds)
    }
    if isThere {
      health.isThere(other.key)
      if reachability.tried(other.key, answersHTTPS: isHeardOverHTTPS) {
        tell(of: other, answers: isHeardOverHTTPS, over: " over HTTPS")
      }
    }
    if isThere != wasThere { tell(of: other, answers: isThere) }
  }

  private func tell(of other: NodeRecord, answers: Bool, over way: String = "") {
    options.log(
      answers ? .info : .warning, answers ? "node answers again\(way)" : "node does not reply\(way)",
      ["key": other.key.hex, "address": "\(other.address)"])
  }

  private func answersPing(_ other: NodeRecord) async -> Bool {
    let reply = try? await endpoint?.request("snode_ping", to: other.peer, timeout: options.pingTimeout)
    return reply == Array("pong".utf8)
  }
}
