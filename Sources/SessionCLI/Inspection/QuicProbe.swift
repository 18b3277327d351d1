import SessionCore
import SessionEndpoint

/// One command to a QUIC peer, and what came of it.
struct QuicProbe: Sendable {
  struct Answer: Sendable {
    let peer: NetworkPeer
    let reply: [UInt8]
    /// Until both sides had proved their keys.
    let handshake: Duration
    /// From then on.
    let answering: Duration
  }

  let peer: NetworkPeer
  let options: NetworkEndpoint.Options
  let timeout: Duration

  func send(_ command: String, _ body: [UInt8]) async throws -> Answer {
    let endpoint = try NetworkEndpoint(at: .any(reaching: peer.address), options: options)
    do {
      let answer = try await send(command, body, from: endpoint)
      await endpoint.stop()
      return answer
    } catch {
      await endpoint.stop()
      throw CommandFailure(error, refusedBy: peer)
    }
  }

  private func send(_ command: String, _ body: [UInt8], from endpoint: NetworkEndpoint) async throws -> Answer
  {
    let clock = ContinuousClock()
    let start = clock.now
    async let connected = endpoint.events.first { $0 == .connected(peer) }.map { _ in clock.now }
    let reply = try await endpoint.request(command, body: body, to: peer, timeout: timeout)
    let end = clock.now
    let opened = min(await connected ?? end, end)
    return Answer(peer: peer, reply: reply, handshake: opened - start, answering: end - opened)
  }
}

extension QuicProbe.Answer {
  /// For a person.
  var notes: [String] {
    [
      "peer       \(peer.key.hex) at \(peer.address)",
      "handshake  \(handshake.microseconds) \u{B5}s",
      "reply      \(reply.count) bytes after \(answering.microseconds) \u{B5}s",
    ]
  }

  var json: JSONObject {
    [
      "address": .string("\(peer.address)"), "key": .string(peer.key.hex),
      "handshake_us": .integer(handshake.microseconds), "reply_us": .integer(answering.microseconds),
      "reply": .string(reply.base64),
    ]
  }
}

extension Duration {
  fileprivate var microseconds: UInt64 {
    let (seconds, attoseconds) = max(self, .zero).components
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}

extension CommandFailure {
  /// The failure of a request; the peer's own words, where it had some.
  fileprivate init(_ error: any Error, refusedBy peer: NetworkPeer) {
    guard let refusal = (error as? SessionError)?.refusal else {
      self.init(error, subject: "\(peer.address)")
      return
    }
    self.init(
      status: .unavailable, message: "the peer refused: \(ShownBytes.textOrHex(refusal.body))",
      advice: "It was reached and has the key: check the command and its body.")
  }
}
