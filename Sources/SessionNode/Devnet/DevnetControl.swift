public import SessionCore

/// What lets other processes of the same user look at a devnet, and change it: an endpoint on loopback that admits one
/// key, which lies in the devnet's folder.
public final class DevnetControl: Sendable {
  static let protocolName = "session-devnet"

  private let endpoint: NetworkEndpoint

  /// Begins to listen, and writes down where. `down` is called when somebody asks the devnet to end.
  public init(_ devnet: Devnet, down: @escaping @Sendable () async -> Void) throws(SessionError) {
    let keys = try NodeKeys.random()
    var options = NetworkEndpoint.Options(identity: keys.identity)
    options.protocolName = Self.protocolName
    func handle(_ command: DevnetCommand.Name, _ body: @escaping @Sendable (String) async throws -> String) {
      options.handlers[command.rawValue] = { request in
        guard request.peerKey == keys.publicKey else { throw NetworkRefusal(403, "Forbidden") }
        do {
          return Array(try await body(String(decoding: request.body, as: UTF8.self)).utf8)
        } catch {
          throw NetworkRefusal(400, "Bad Request", details: "\(error)")
        }
      }
    }
    handle(.status) { _ in await devnet.status().text }
    handle(.kill) { text in
      try await devnet.kill(try DevnetCommand.number(text))
      return ""
    }
    handle(.start) { text in
      try await devnet.revive(try DevnetCommand.number(text))
      return ""
    }
    handle(.weather) { text in
      let change = try WeatherChange(parsing: text)
      try await devnet.change(change)
      return ""
    }
    handle(.down) { _ in
      await down()
      return ""
    }
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
    try Self.write(keys, endpoint.address, to: devnet.controlFile)
  }

  public func stop() async { await endpoint.stop() }

  private static func write(
    _ keys: NodeKeys, _ address: NetworkAddress, to path: String
  ) throws(SessionError) {
    let file = try PendingFile(for: path, replacing: true)
    try keys.withSeed { (seed) throws(SessionError) in
      var text = Array("\(address)\n\(seed.withUnsafeBytes { Array($0) }.hex)\n".utf8)
      defer { text.wipe() }
      try file.write(text.span)
    }
    try file.commit()
  }
}

/// A devnet of another process.
public struct DevnetRemote: Sendable {
  private let endpoint: NetworkEndpoint
  private let peer: NetworkPeer

  /// Throws `noDevnet` where none has begun.
  public init(folder: String) throws {
    guard var text = try? OpenFile(reading: folder + "/control").readAll(upTo: 1024) else {
      throw NodeFailure.noDevnet(folder)
    }
    defer { text.wipe() }
    let lines = text.split(separator: UInt8(ascii: "\n"))
    guard lines.count == 2 else { throw NodeFailure.noDevnet(folder) }
    let keys = try NodeKeys(seed: SecretBytes(copying: try [UInt8](hex: lines[1])))
    let address = try NetworkAddress(parsing: String(decoding: lines[0], as: UTF8.self))
    var options = NetworkEndpoint.Options(identity: keys.identity)
    options.protocolName = DevnetControl.protocolName
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
    peer = try NetworkPeer(address: address, key: keys.publicKey)
  }

  public func status() async throws -> DevnetStatus {
    guard let status = DevnetStatus(parsing: try await send(.status)) else {
      throw NodeFailure.devnetRequest("the devnet is of another version of this program")
    }
    return status
  }

  public func kill(_ number: Int) async throws { _ = try await send(.kill, "\(number)") }

  public func start(_ number: Int) async throws { _ = try await send(.start, "\(number)") }

  /// Changes the weather at a node, or at all.
  public func change(_ change: WeatherChange) async throws { _ = try await send(.weather, change.text) }

  /// Has the devnet end. It closes the connection then, perhaps before its answer has left.
  public func down() async throws {
    do {
      _ = try await send(.down)
    } catch SessionError.Code.quicClosed {
      return
    }
  }

  public func close() async { await endpoint.stop() }

  private func send(_ command: DevnetCommand.Name, _ text: String = "") async throws -> String {
    do throws(SessionError) {
      let reply = try await endpoint.request(
        command.rawValue, body: Array(text.utf8), to: peer, timeout: .seconds(30))
      return String(decoding: reply, as: UTF8.self)
    } catch {
      guard let refusal = error.refusal else { throw error }
      let text = String(decoding: refusal.body, as: UTF8.self)
      throw NodeFailure.devnetRequest(String(text.split(separator: "\n").last ?? ""))
    }
  }
}

/// What is said to a devnet, as text.
enum DevnetCommand {
  enum Name: String {
    case status
    case kill
    case start
    case weather
    case down
  }

  static func number(_ text: String) throws(NodeFailure) -> Int {
    guard let number = Int(text) else { throw .devnetRequest("'\(text)' is no number of a node") }
    return number
  }
}
