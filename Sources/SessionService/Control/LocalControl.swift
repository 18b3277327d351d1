import FoundationEssentials
import Glibc
import SessionBase
package import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionStorage

/// Lets other processes of the same user inspect and change their server: an endpoint on loopback that admits one
/// key, which is stored in the server's folder.
package final class LocalControl: Sendable {
  /// Replies to a command with text. Errors are sent to the caller.
  package typealias Handler = @Sendable (String) async throws -> String

  private let endpoint: NetworkEndpoint
  private let file: String

  /// Starts listening, and writes its address.
  package init(_ protocolName: String, file: String, handlers: [String: Handler]) throws(SessionError) {
    let keys = try NodeKeys.random()
    var options = NetworkEndpoint.Options(identity: keys.identity)
    options.protocolName = protocolName
    options.handlers = handlers.mapValues { handler in
      { request in
        guard request.peerKey == keys.publicKey else { throw NetworkRefusal(403, "Forbidden") }
        do {
          return Array(try await handler(String(decoding: request.body, as: UTF8.self)).utf8)
        } catch {
          throw NetworkRefusal(400, "Bad Request", details: "\(error)")
        }
      }
    }
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
    self.file = file
    try Self.write(keys, endpoint.address, to: file)
  }

  /// Stops, and deletes the file, unless another server has replaced it.
  package func stop() async {
    let first = Array("\(endpoint.address)\n".utf8)
    await WorkerQueue("session.control").run { [file] in
      if let text = try? OpenFile(reading: file).readAll(upTo: 1024), text.starts(with: first) {
        unlink(file)
      }
    }
    await endpoint.stop()
  }

  /// Encodes a value as a reply.
  package static func text(of value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  private static func write(
    _ keys: NodeKeys, _ address: NetworkAddress, to path: String
  ) throws(SessionError) {
    try keys.withSeed { (seed) throws(SessionError) in
      var text = Array("\(address)\n\(seed.withUnsafeBytes { Array($0) }.hex)\n".utf8)
      defer { text.wipe() }
      try SessionError.files { () throws(FileError) in
        try PendingFile.write(text.span, to: path, replacing: true)
      }
    }
  }
}

/// A server of another process.
package struct LocalRemote: Sendable {
  private let endpoint: NetworkEndpoint
  private let peer: NetworkPeer

  /// Nil if no such server runs: a running one holds the lock next to the file.
  package init?(_ protocolName: String, file: String) throws {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    guard FileLock.isHeld(folder + "lock") else { return nil }
    guard var text = try? OpenFile(reading: file).readAll(upTo: 1024) else { return nil }
    defer { text.wipe() }
    let lines = text.split(separator: UInt8(ascii: "\n"))
    guard lines.count == 2 else { return nil }
    let keys = try NodeKeys(seed: SecretBytes(copying: try [UInt8](hex: lines[1])))
    let address = try NetworkAddress(parsing: String(decoding: lines[0], as: UTF8.self))
    var options = NetworkEndpoint.Options(identity: keys.identity)
    options.protocolName = protocolName
    endpoint = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
    peer = try NetworkPeer(address: address, key: keys.publicKey)
  }

  package func close() async { await endpoint.stop() }

  /// Has a command carried out. Throws `request` with the words of a server that refuses.
  package func send(
    _ command: String, _ text: String = "", timeout: Duration = .seconds(60)
  ) async throws -> String {
    do throws(SessionError) {
      let reply = try await endpoint.request(command, body: Array(text.utf8), to: peer, timeout: timeout)
      return String(decoding: reply, as: UTF8.self)
    } catch {
      guard let refusal = error.refusal else { throw error }
      let text = String(decoding: refusal.body, as: UTF8.self)
      throw ServiceFailure.request(String(text.split(separator: "\n").last ?? ""))
    }
  }

  /// The value of the reply to a command.
  package func value<Value: Decodable>(_ command: String, as type: Value.Type) async throws -> Value {
    try JSONDecoder().decode(type, from: Data(try await send(command).utf8))
  }

  /// Stops the server. It closes the connection then, perhaps before its reply arrives.
  package func end(_ command: String, timeout: Duration = .seconds(60)) async throws {
    do {
      _ = try await send(command, timeout: timeout)
    } catch SessionError.Code.quicClosed {
      return
    }
  }
}
