import FoundationEssentials
import Glibc
package import SessionBase
import SessionCore
package import SessionMessaging
package import SessionStorage
import Synchronization

/// The program that holds an account, reached over its socket.
package final class RemoteHolder: AccountHolder {
  /// Why a holder cannot be used.
  package enum Refusal: Error, Hashable {
    /// It is gone, or never listened.
    case gone
    /// It did not greet in time.
    case silent
    /// It is another version of this program.
    case version(String)
    /// It runs as another user, or keeps its accounts elsewhere.
    case foreign
    /// It does not serve this account.
    case otherAccount
  }

  private let client: RPCClient
  private let lostCall = Mutex(false)
  private let stream: AsyncStream<HolderNews>
  private let telling: AsyncStream<HolderNews>.Continuation

  /// How long a holder may take to greet.
  private static let timeout = Duration.seconds(5)

  /// Reaches the holder of an account over its socket, and makes sure that it is one of this user's.
  package init(of account: String, at path: String, dataRoot: String, version: String) async throws {
    let (stream, telling) = AsyncStream.makeStream(of: HolderNews.self, bufferingPolicy: .bufferingNewest(64))
    (self.stream, self.telling) = (stream, telling)
    do {
      client = try RPCClient(to: path) { method, params in
        guard method == "x.news",
          let news = try? JSONDecoder().decode(HolderNews.self, from: Data(params.description.utf8))
        else { return }
        telling.yield(news)
      }
    } catch {
      throw Refusal.gone
    }
    guard client.serverUser == geteuid() else { throw Refusal.foreign }
    try await Self.greet(client, account, FileIdentity(of: dataRoot), version)
    do {
      let isFollowing = try await withinTime(Self.timeout) { [client] in try await client.call("x.news") }
      guard isFollowing != nil else { throw Refusal.silent }
    } catch is RPCClient.Gone {
      throw Refusal.gone
    }
  }

  private static func greet(
    _ client: RPCClient, _ account: String, _ dataRoot: FileIdentity, _ version: String
  ) async throws {
    let greeting: JSONValue
    do {
      let reply = try await withinTime(timeout) {
        try await client.call(
          "hello",
          [
            "client": "session", "version": .string(version), "account": .string(account),
            "internal": .integer(Greeting.internalVersion),
          ])
      }
      guard let reply else { throw Refusal.silent }
      greeting = reply
    } catch is RPCClient.Gone {
      throw Refusal.gone
    } catch let error as RPCError {
      throw error.kind == "no-account" ? Refusal.otherAccount : error
    }
    guard greeting["data_root"]?.string == dataRoot.text else { throw Refusal.foreign }
    guard greeting["internal"]?.integer == Greeting.internalVersion else {
      throw Refusal.version(greeting["version"]?.string ?? "unknown")
    }
  }

  package func perform(_ call: MessengerCall) async throws -> MessengerReply {
    let (passed, files) = try call.passingFiles()
    do {
      let text = try InternalJSON.text(of: passed)
      let reply = try await client.call("x.call", params: "{\"call\":\(text)}", files)
      return try JSONDecoder().decode(MessengerReply.self, from: Data(reply.description.utf8))
    } catch let error as RPCError {
      // The holder is about to end, and did nothing.
      guard error.kind != "stopping" else { throw HolderGone() }
      let crossed = error.crossed
      let wasCancelled = crossed is CancellationError || error.kind == "cancelled"
      guard !wasCancelled || Task.isCancelled else { throw HolderGone() }
      throw crossed
    } catch let gone as RPCClient.Gone {
      if gone.wasSent, !call.isRepeatable { lostCall.withLock { $0 = true } }
      throw HolderGone()
    }
  }

  /// Calls a method that every client may call.
  package func call(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    do { return try await client.call(method, params) } catch is RPCClient.Gone { throw HolderGone() }
  }

  /// True if the holder ended before it replied to a call that must not be repeated.
  package var hasLostCall: Bool { lostCall.withLock { $0 } }

  /// Has the daemon close an account, in whatever state it is, until the returned connection ends.
  package static func park(
    _ account: String, at path: String, dataRoot: String, version: String
  ) async throws -> RPCClient {
    do {
      let client = try RPCClient(to: path)
      guard client.serverUser == geteuid() else { throw Refusal.foreign }
      try await greet(client, account, FileIdentity(of: dataRoot), version)
      _ = try await client.call("x.park")
      return client
    } catch is FileError {
      throw Refusal.gone
    } catch is RPCClient.Gone {
      throw Refusal.gone
    }
  }

  /// Has the daemon open an account that needs a secret, which no text of a call contains.
  package static func unlock(
    _ account: String, _ secret: KeySecret, over client: RPCClient
  ) async throws {
    var handedOver = try secret.handedOver()
    defer { handedOver.content.wipe() }
    let file = try PassedFile(holding: handedOver.content)
    do {
      let params: JSONValue = ["name": .string(account)]
      _ = try await client.call(handedOver.method, params: params.description, [file])
    } catch let error as RPCError {
      throw error.crossed
    }
  }

  package func news() -> AsyncStream<HolderNews> { stream }

  /// Returns when the holder is gone, or the task is cancelled.
  package func waitUntilGone() async { await client.waitUntilGone() }

  package var isGone: Bool { client.isGone }

  package func close() async {
    client.close()
    telling.finish()
  }
}

/// The holder of an account ended before it replied to a call.
package struct HolderGone: Error, Sendable {
  package init() {}
}

extension KeySecret {
  /// The method that takes it in another program, and the bytes that go there.
  fileprivate func handedOver() throws(StorageError) -> (method: String, content: [UInt8]) {
    switch self {
    case .passphrase(let passphrase): ("account.unlock", passphrase.reveal())
    case .key(let key): ("x.unlock", try key.handedOver().hexDigits())
    }
  }
}
