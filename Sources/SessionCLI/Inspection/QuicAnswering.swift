import SessionCore
import SessionEndpoint

/// A QUIC peer that replies to a few commands and logs them, until its task is cancelled.
struct QuicAnswering: Sendable {
  let address: NetworkAddress
  let identity: NetworkIdentity
  var options: NetworkEndpoint.Options
  let asJSON: Bool

  func run(_ io: CommandIO) async throws -> CommandOutput {
    var options = options
    options.handlers = [
      "echo": { request in
        io.tell("echo, \(request.body.count) bytes, from \(request.peerAddress)")
        return request.body
      },
      "ping": { request in
        io.tell("ping from \(request.peerAddress)")
        return Array("pong".utf8)
      },
    ]
    let endpoint = try NetworkEndpoint(at: address, options: options)
    // The caller may be waiting for this line: flush it.
    try SessionTool.write(greeting(at: endpoint.address), to: io)
    for await event in endpoint.events { io.tell(Self.line(event)) }
    let counts = try await endpoint.counts()
    await endpoint.stop()
    return CommandOutput(notes: ["stopped after \(counts.connectionsAccepted) connections"])
  }

  private func greeting(at address: NetworkAddress) -> CommandOutput {
    let key = identity.publicKey.hex
    guard asJSON else {
      return CommandOutput(fields: [
        ("key", .text(key)), ("address", .text("\(address)")), ("alpn", .text(options.protocolName)),
      ])
    }
    return CommandOutput(json: [
      "key": .string(key), "address": .string("\(address)"), "alpn": .string(options.protocolName),
    ])
  }

  private static func line(_ event: NetworkEndpoint.Event) -> String {
    switch event {
    case .accepted(let address, let key): "\(address) connected, key \(key?.hex ?? "not shown")"
    case .left(let address, _, let reason): "\(address) is gone: \(reason)"
    case .connected(let peer): "connected to \(peer.address)"
    case .closed(let peer, let reason): "the connection to \(peer.address) is gone: \(reason)"
    }
  }
}
