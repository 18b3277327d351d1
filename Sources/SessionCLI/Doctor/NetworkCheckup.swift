import SessionBase
import SessionCore

/// Looks at the network of an account: whether there is a way in, what its nodes think the time is, and whether those that
/// keep messages answer.
struct NetworkCheckup: Sendable {
  let options: Network.Options
  /// The account whose swarm to find.
  let id: SessionID?
  let timeout: Duration
  let now: @Sendable () -> UInt64

  /// From where on a clock is too wrong for nodes to accept what is signed by it, in milliseconds.
  static let intolerable: Int64 = 60_000
  static let noticeable: Int64 = 10_000

  func findings() async throws -> [Finding] {
    let network = try Network(options)
    try await network.start()
    let findings: Result<[Finding], any Error>
    do { findings = .success(try await look(at: network)) } catch { findings = .failure(error) }
    await network.stop()
    return try findings.get()
  }

  private func look(at network: Network) async throws -> [Finding] {
    let isConnected: Bool? = try await withinTime(timeout) {
      for await status in network.status where status.state == .connected { return true }
      return false
    }
    guard isConnected == true else {
      let why = network.currentStatus.failure.map { ": \($0)" } ?? ""
      return [
        .failed(
          "network", "no path through the network\(why)",
          advice:
            "Check that this machine is connected and that no firewall blocks UDP; 'session net reset' clears cached data.",
          .unavailable)
      ]
    }
    let counts = try await network.counts()
    var findings: [Finding] = [
      .ok("network", "connected; \(counts.usableNodes) of \(counts.nodes) nodes can be used")
    ]
    findings.append(try await time(of: network))
    if let id { findings.append(try await swarm(of: id, network)) }
    return findings
  }

  private func time(of network: Network) async throws -> Finding {
    do {
      let before = now()
      let answer = try await withinTime(timeout) { try await network.send(Storage.Info(), to: .anyNode) }
      guard let answer else { return Self.silent("time", "no node reported the time") }
      let middle = before + (max(now(), before) - before) / 2
      return Self.time(ahead: Int64(clamping: middle) - Int64(clamping: answer.reply.time.milliseconds))
    } catch let error as SessionError {
      return .failed("time", error)
    }
  }

  /// The finding for a clock that is this many milliseconds ahead of a node's.
  static func time(ahead: Int64) -> Finding {
    let seconds = Double(abs(ahead) / 100) / 10
    let text = "the clock is \(seconds) seconds \(ahead < 0 ? "behind" : "ahead of") the network"
    if abs(ahead) >= intolerable {
      return .failed(
        "time", text, advice: "Set the clock of this machine, for example with an NTP client.", .system)
    }
    if abs(ahead) >= noticeable {
      return .warning("time", text, advice: "Set the clock of this machine, for example with an NTP client.")
    }
    return .ok("time", "the clock agrees with the network")
  }

  private func swarm(of id: SessionID, _ network: Network) async throws -> Finding {
    do {
      let nodes = try await withinTime(timeout) { try await network.swarm(of: id) }
      guard let nodes, !nodes.isEmpty else {
        return Self.silent("swarm", "no node is known that stores the messages of this account")
      }
      return .ok("swarm", "\(nodes.count) nodes store the messages of this account")
    } catch let error as SessionError {
      return .failed("swarm", error)
    }
  }

  private static func silent(_ check: String, _ text: String) -> Finding {
    .failed(check, text, advice: "Try again later; --timeout waits longer.", .unavailable)
  }
}
