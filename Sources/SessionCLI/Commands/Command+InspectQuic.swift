import SessionCore
import SessionEndpoint

extension Command {
  static let inspectQuic = Command(
    name: "inspect quic",
    summary: "send a command to a QUIC peer, or run one that replies",
    discussion: """
      With --connect, sends one command to a peer and prints the reply: raw, or readable on a terminal. The times of
      the handshake and of the reply go to standard error. The peer must prove that it has the key before anything is
      sent. With --json the reply is base64.

      With --listen, prints its key and address, then replies to commands and logs them until interrupted: 'echo'
      returns the body, 'ping' returns "pong".
      """,
    arguments: [
      .init(name: "CMD", summary: "the command to send", isOptional: true),
      .init(name: "BODY|-", summary: "the body of the command; empty by default", isOptional: true),
    ],
    options: [
      .init(
        name: "connect", value: "HOST:PORT",
        summary: "the IP address of the peer: 192.0.2.1:22021, [::1]:22021"),
      .init(name: "key", value: "KEY", summary: "the peer's Ed25519 key, 64 hexadecimal digits"),
      .init(name: "timeout", value: "SECONDS", summary: "how long to wait for the reply; 10 by default"),
      .init(name: "listen", value: "HOST:PORT", summary: "where to listen; port 0 lets the system choose"),
      .init(
        name: "key-seed", value: "SEED",
        summary: "the seed of a test key, 64 hexadecimal digits; a fresh key by default"),
      .init(
        name: "alpn", value: "NAME",
        summary: "the protocol; \(NetworkEndpoint.Options().protocolName) by default"),
      .json,
    ],
    examples: [
      .init(
        line: "session inspect quic --listen 127.0.0.1:0", summary: "reply until interrupted"),
      .init(
        line: "session inspect quic echo Hello --connect 127.0.0.1:22021 --key 3b6a\u{2026}da29",
        summary: "show the reply of the peer"),
    ],
    rpc: .none(.isLocal)
  ) { invocation, io in
    switch (invocation["connect"], invocation["listen"]) {
    case (let address?, nil): try await invocation.probe(address, io)
    case (nil, let address?): try await invocation.serve(address, io)
    default: throw invocation.misuse("give either --connect or --listen")
    }
  }
}

extension Invocation {
  fileprivate func probe(_ address: String, _ io: CommandIO) async throws -> CommandOutput {
    guard let command = arguments.first else { throw misuse("CMD is missing") }
    guard let key = try key("key") else { throw misuse("--connect needs --key KEY") }
    let peer = try NetworkPeer(address: networkAddress(address, "connect"), key: key)
    let body = try body(io)
    let probe = QuicProbe(peer: peer, options: try endpointOptions(), timeout: try timeout())
    let answer = try await cancelledBySignals { try await probe.send(command, body) }
    if has("json") { return CommandOutput(json: answer.json) }
    return CommandOutput(
      data: io.isTerminal ? [.text(ShownBytes.textOrHex(answer.reply) + "\n")] : [.bytes(answer.reply)],
      notes: answer.notes)
  }

  fileprivate func serve(_ address: String, _ io: CommandIO) async throws -> CommandOutput {
    guard arguments.isEmpty else { throw misuse("--listen sends nothing, so it takes no CMD") }
    for option in ["key", "timeout"] where self[option] != nil {
      throw misuse("--\(option) goes with --connect")
    }
    var options = try endpointOptions()
    let identity = try options.identity ?? .random()
    options.identity = identity
    let answering = QuicAnswering(
      address: try networkAddress(address, "listen"), identity: identity, options: options,
      asJSON: has("json"))
    return try await cancelledBySignals { try await answering.run(io) }
  }

  private func endpointOptions() throws -> NetworkEndpoint.Options {
    var options = NetworkEndpoint.Options()
    if let name = self["alpn"] {
      guard 1...32 ~= name.utf8.count else { throw misuse("--alpn has at most 32 bytes") }
      options.protocolName = name
    }
    if var seed = try key("key-seed") {
      defer { seed.wipe() }
      options.identity = try NetworkIdentity(seed: SecretBytes(copying: seed))
    }
    return options
  }

  private func networkAddress(_ text: String, _ option: String) throws(CommandFailure) -> NetworkAddress {
    guard let address = try? NetworkAddress(parsing: text) else {
      throw .usage(
        "--\(option): this is no IP address with a port",
        advice: "Give one like 192.0.2.1:22021 or [2001:db8::1]:22021; names are not looked up.")
    }
    return address
  }

  private func body(_ io: CommandIO) throws -> [UInt8] {
    guard arguments.count > 1 else { return [] }
    return arguments[1] == "-" ? try io.read(nil, InputLimits.request) : Array(arguments[1].utf8)
  }

  private func timeout() throws(CommandFailure) -> Duration {
    guard let text = self["timeout"] else { return .seconds(10) }
    guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
      throw misuse("--timeout is a number of seconds, a day at most")
    }
    return .seconds(seconds)
  }
}
