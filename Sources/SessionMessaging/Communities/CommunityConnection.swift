import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

/// The server refuses everything from us.
struct CommunityBan: Error, CustomStringConvertible {
  let description = "you are banned from the community server"
}

extension AccountContext {
  /// Returns what sends requests to a server; nil if we use none of its rooms.
  func connection(to url: String) async throws -> CommunityConnection? {
    guard let client = environment.communities,
      let server = try await database.read({ transaction in try transaction.communityServer(url) })
    else { return nil }
    return CommunityConnection(
      server: try CommunityServer(url, key: server.publicKey), context: self, client: client)
  }
}

/// The form of our ids in the last request that a server answered.
final class LastScheme: Sendable {
  private let scheme = Mutex<CommunityIdentity.Scheme?>(nil)

  var value: CommunityIdentity.Scheme? { scheme.withLock { $0 } }

  func set(_ new: CommunityIdentity.Scheme) { scheme.withLock { $0 = new } }
}

/// Sends requests to one community server, under the id that it requires.
struct CommunityConnection: Sendable {
  let server: CommunityServer
  let context: AccountContext
  let client: CommunityClient
  /// The form of our ids that a request needs, whatever the server takes; nil for the one that it takes.
  var scheme: CommunityIdentity.Scheme?
  /// The form of our ids that the server has taken, also while it has no row in the database.
  let lastScheme = LastScheme()

  /// Sends a request, and reads the answer. What the author has signed is not sent again under another id: the signature
  /// would be of somebody else.
  func perform<Answer>(_ call: CommunityCall<Answer>, isSignedByAuthor: Bool = false) async throws -> Answer {
    let reply = try await send(
      [call.request], inOrder: false, asBatch: false, mayRepeat: !isSignedByAuthor)
    return try call.answer(from: reply)
  }

  /// Sends a request, and tells only how the network or the server failed.
  func performing<Answer>(_ call: CommunityCall<Answer>) async throws(NetworkFailure) -> Answer {
    do { return try await perform(call) } catch let failure as NetworkFailure { throw failure } catch {
      throw NetworkFailure(.transient, "\(error)")
    }
  }

  /// Sends several requests as one. There is a reply to each; in order, none after the first that fails. Throws `CommunityBan`.
  func perform(_ requests: [CommunityRequest], inOrder: Bool) async throws -> [CommunityReply] {
    let reply = try await send(requests, inOrder: inOrder, asBatch: true)
    if reply.isBan { throw CommunityBan() }
    return try reply.replies(toBatchOf: requests.count, inOrder: inOrder)
  }

  /// Sends a request as it is. One that the server refuses for our id, our signature or our clock is signed anew, once
  /// for each.
  private func send(
    _ requests: [CommunityRequest], inOrder: Bool, asBatch: Bool, mayRepeat: Bool = true
  ) async throws -> CommunityReply {
    var scheme = try await knownScheme()
    var (mayLearnTime, mayChangeScheme, maySignAnew) = (true, true, true)
    while true {
      let identity = try CommunityIdentity(of: context.account, on: server.key, scheme: scheme)
      let time = try context.time()
      let reply =
        asBatch
        ? try await client.send(batch: requests, inOrder: inOrder, to: server, as: identity, at: time)
        : try await client.send(requests[0], to: server, as: identity, at: time)
      if reply.status == 425, mayLearnTime {
        mayLearnTime = false
        await context.learnTime(isUrgent: true)
      } else if reply.status == 401, maySignAnew, self.scheme == nil {
        maySignAnew = false
        let other = try await schemeAnew(before: scheme)
        guard mayRepeat || other == scheme else { throw Self.otherID }
        scheme = other
      } else if reply.requiresBlinding, mayChangeScheme, self.scheme == nil,
        let other = try await blinding(insteadOf: scheme)
      {
        guard mayRepeat else { throw Self.otherID }
        mayChangeScheme = false
        scheme = other
      } else {
        lastScheme.set(scheme)
        return reply
      }
    }
  }

  private static let otherID = NetworkFailure(
    .transient, "the community server wants another kind of id")

  /// Asks the server for its capabilities, without telling who asks.
  private func capabilities() async throws -> CommunityCapabilities {
    let call = CommunityCall<CommunityCapabilities>.capabilities
    return try call.answer(
      from: try await client.send(call.request, to: server, as: nil, at: try context.time()))
  }

  /// Asks a server again what it can do that refuses our signature, and returns the form of our ids that follows.
  private func schemeAnew(
    before scheme: CommunityIdentity.Scheme
  ) async throws -> CommunityIdentity.Scheme {
    let capabilities = try await capabilities()
    try await context.write { [server] transaction, _ in
      try transaction.take(capabilities, of: server.url)
    }
    return capabilities.scheme(before: scheme)
  }

  /// The known form of our ids on the server. While nothing is known they are blinded.
  private func knownScheme() async throws -> CommunityIdentity.Scheme {
    if let scheme { return scheme }
    return try await context.database.read { [server] transaction in
      try transaction.communityServer(server.url)?.scheme ?? .blinded15
    }
  }

  /// Returns the form that a server wants that refuses ours, and stores it with the server's capabilities; nil if there
  /// is no other.
  private func blinding(
    insteadOf scheme: CommunityIdentity.Scheme
  ) async throws -> CommunityIdentity.Scheme? {
    let capabilities = try await capabilities()
    let other: CommunityIdentity.Scheme =
      scheme == .blinded15 && capabilities.has(CommunityCapabilities.blinding25) ? .blinded25 : .blinded15
    guard other != scheme else { return nil }
    try await context.write { [server] transaction, _ in
      try transaction.take(capabilities, of: server.url, as: other)
    }
    return other
  }
}

extension CommunityServerRecord {
  /// The form of our ids on the server; nil if it is not known.
  var scheme: CommunityIdentity.Scheme? { blinding.flatMap { CommunityIdentity.Scheme(rawValue: $0) } }
}

extension WriteTransaction {
  /// Stores what a server can do, and which ids it takes: `scheme`, or what follows from its capabilities.
  func take(
    _ capabilities: CommunityCapabilities, of url: String, as scheme: CommunityIdentity.Scheme? = nil
  ) throws {
    guard var record = try communityServer(url) else { return }
    let before = record
    record.blinding = (scheme ?? capabilities.scheme(before: record.scheme)).rawValue
    if record != before { try put(record) }
    let names = capabilities.names.map { CapabilityRecord($0) }
    if try self.capabilities(of: url) != names { try setCapabilities(names, of: url) }
  }
}

extension CommunityCapabilities {
  /// The form of our ids on the server. One that has asked for the second generation of blinded ids still wants it.
  fileprivate func scheme(before: CommunityIdentity.Scheme?) -> CommunityIdentity.Scheme {
    if has(Self.blinding25), before == .blinded25 { return .blinded25 }
    return has(Self.blinding) || has(Self.blinding25) ? .blinded15 : .unblinded
  }
}
