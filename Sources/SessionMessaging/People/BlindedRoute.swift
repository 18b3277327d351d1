import SessionCore
import SessionStorage

/// The way to somebody of whom only the id in a community is known.
struct BlindedRoute: Hashable, Sendable {
  /// The URL of the community's server.
  let server: String
  let serverKey: [UInt8]
  /// The account behind the id, if it was proven or can be computed. Computing it proves nothing to the user: it only
  /// connects the id with people who are known already.
  let account: SessionID?
}

private enum RouteStatements {
  static let author: SQL =
    "SELECT 1 FROM interaction WHERE threadID = ? AND author = ? AND kind < 1000 LIMIT 1"
}

extension Reading where Self: ~Copyable {
  /// The way to a blinded id: as it was stored, or through the server of a room in which they have written. Nil if no one
  /// has met them.
  func route(to id: SessionID) throws -> BlindedRoute? {
    if let row = try blindedID(id.address) {
      return BlindedRoute(
        server: row.server, serverKey: row.serverKey, account: row.sessionID.flatMap { SessionID($0) })
    }
    for server in try communityServers() {
      for room in try communities(on: server.url)
      where try exists(RouteStatements.author, room.threadID, id.address) {
        return BlindedRoute(
          server: server.url, serverKey: server.publicKey,
          account: try account(behind: id, on: server.publicKey))
      }
    }
    return nil
  }

  /// The account behind a blinded id; nil if it cannot be computed. Ids of kind 25 only reveal people whom we know.
  func account(behind id: SessionID, on serverKey: [UInt8]) throws -> SessionID? {
    guard id.kind == .blinded25 else { return try? id.account(on: serverKey) }
    return try contacts().lazy.filter(\.didApproveMe).compactMap { SessionID($0.id) }.first { person in
      try person.kind == .standard && person.blinded(on: serverKey).contains(id)
    }
  }

  /// The conversation to which messages for somebody belong: for a blinded id that of their account, once that has written
  /// to us.
  func current(_ conversation: Conversation.ID) throws -> Conversation.ID {
    guard case .person(let id) = conversation, id.isBlinded,
      let account = try route(to: id)?.account, try contact(account.address)?.didApproveMe == true
    else { return conversation }
    return .person(account)
  }
}

extension WriteTransaction {
  /// Stores the way to a blinded id, and the account behind it if that is known.
  func put(_ route: BlindedRoute, to id: SessionID) throws {
    let known = try blindedID(id.address)
    let record = BlindedIDRecord(
      id.address, sessionID: route.account?.address ?? known?.sessionID, server: route.server,
      serverKey: route.serverKey)
    if record != known { try put(record) }
  }
}
