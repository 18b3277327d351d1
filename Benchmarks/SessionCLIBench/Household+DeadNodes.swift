import Household
import Measuring
import SessionNode

extension Household {
  /// Compares the time of sending just after four nodes have died, unknown to the sender, with the time when all nodes
  /// live. Targets: the median is at most 1.3 times as long, the 95th percentile at most three times.
  func measureDeadNodes(from sender: String, to recipient: String) throws {
    func times() -> (half: Double, most: Double) {
      let times = (0..<40).map { _ in
        session.run(["send", recipient, "--account", sender, "--wait", "sent", "Hello"]) * 1e3
      }.sorted()
      return (times.part(0.5), times.part(0.95))
    }
    let usual = times()
    try finish { [net] in
      for number in [2, 5, 8, 10] { try await net.kill(number) }
    }
    let slow = times()
    for (name, now, before, most) in [("p50", slow.half, usual.half, 1.3), ("p95", slow.most, usual.most, 3)]
    {
      let ratio = now / before
      print(
        "command/send with dead nodes, 4 of 12: \(name) \(now.rounded(to: 0)) ms, with all of them "
          + "\(before.rounded(to: 0)) ms: \(ratio.rounded(to: 2)) times; target \(most): \(judged(ratio <= most))"
      )
    }
  }
}
