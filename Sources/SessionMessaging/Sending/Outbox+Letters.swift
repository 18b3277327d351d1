import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// Messages to people of whom only the id in a community is known: its server brings them.

extension Outbox {
  /// The name of the job effect that stores the sealed message.
  private static let sealing = "sealing"

  /// Sends a message to a blinded id. An attempt that failed, or ended with the program, may have sent it, so later ones
  /// look for it first.
  func send(
    _ unsealed: UnsealedMessage, toBlinded recipient: SessionID, of delivery: Delivery, _ context: JobContext
  ) async throws -> JobResult {
    guard let client = environment.communities, let id = delivery.interactionID else {
      throw JobFailure(.permanent, MessengerError.noCommunities.message)
    }
    let (server, isSent) = try await database.read { transaction in
      (
        try transaction.route(to: recipient).flatMap { route in try transaction.communityServer(route.server)
        },
        try transaction.interaction(id)?.state == .sent
      )
    }
    guard !isSent else { return .done }
    guard let server else { throw JobFailure(.permanent, MessengerError.notInCommunity.message) }
    let target = try await database.read { transaction in try transaction.target(for: recipient, on: server) }
    let connection = CommunityConnection(
      server: try CommunityServer(server.url, key: server.publicKey), context: self.context, client: client,
      scheme: target.kind == .blinded25 ? .blinded25 : .blinded15)
    let (data, isFirst) = try await context.write { [self] transaction in
      try sealOnce(unsealed, for: target, server, context.id, in: transaction)
    }
    var number: Int64?
    if !isFirst || delivery.isResent == true {
      // What was sealed for a job that has ended is not known any more.
      let sent = SentLetter(
        data: data, message: delivery.isResent == true ? try unsealed.message() : nil, recipient: target,
        identity: try LetterIdentity(on: server.publicKey, account))
      number = try await self.number(of: sent, after: server.outboxLatest, connection)
    }
    if number == nil {
      number = try await connection.perform(.send(data, to: target), isSignedByAuthor: true).number
    }
    let (now, sentAt) = (try time(), unsealed.sentAt)
    return .done { [number] transaction in
      if let number {
        // The outbox brings it, also when it was deleted here.
        _ = try transaction.insertNew(
          SeenMessage(
            number, in: .outbox, of: server.url, sentAt: sentAt,
            until: now.stored + OwnerInbox.longestMemory))
      }
      guard var row = try transaction.interaction(id), row.state != .sent else { return }
      (row.state, row.failure) = (.sent, nil)
      try transaction.update(row)
      try transaction.tell(.messageSent, row, at: now)
    }
  }

  /// Seals a message, and saves the result. Returns false with what an earlier attempt sealed: the server may have it.
  private func sealOnce(
    _ unsealed: UnsealedMessage, for recipient: SessionID, _ server: CommunityServerRecord,
    _ job: JobRecord.ID, in transaction: borrowing WriteTransaction
  ) throws -> ([UInt8], isFirst: Bool) {
    let name = "\(Self.sealing):\(recipient)"
    if let sealed = try transaction.effect(name, of: job)?.result { return (sealed, isFirst: false) }
    let sealed = try account.encode(unsealed.message(), for: .inbox(recipient, server: server.publicKey))
    try transaction.putEffect(name, of: job, isDone: true, result: sealed)
    return (sealed, isFirst: true)
  }

  /// The most pages of the outbox that are looked through.
  private static let mostPages = 20

  /// The number of a message in our outbox; nil if it is not there.
  private func number(
    of sent: SentLetter, after cursor: Int64, _ connection: CommunityConnection
  ) async throws -> Int64? {
    var cursor = cursor
    for _ in 0..<Self.mostPages {
      let page = try await connection.perform(.outbox(since: cursor))
      if let found = page.letters.first(where: { sent.isThis($0) }) { return found.number }
      guard let last = page.letters.map(\.number).max(), last > cursor, page.isFull()
      else { return nil }
      cursor = last
    }
    return nil
  }
}

/// A message that may be in our outbox.
private struct SentLetter {
  /// What was sealed last.
  let data: [UInt8]
  /// The message, if it may also have been sealed before.
  let message: Message?
  let recipient: SessionID
  let identity: LetterIdentity

  func isThis(_ letter: CommunityLetter) -> Bool {
    guard let content = letter.content, content.recipient == recipient else { return false }
    return content.data == data
      || message.map { OpenedLetter(letter, of: .outbox, identity).isCopy(of: $0) } ?? false
  }
}

extension Reading where Self: ~Copyable {
  /// The id to which a server takes messages for somebody. One that has switched ids of kind 15 off takes those of kind 25.
  fileprivate func target(for recipient: SessionID, on server: CommunityServerRecord) throws -> SessionID {
    guard recipient.kind == .blinded15, server.scheme == .blinded25,
      let account = try? recipient.account(on: server.publicKey),
      let other = try account.blinded(on: server.publicKey).first(where: { $0.kind == .blinded25 })
    else { return recipient }
    return other
  }

  /// Returns the way to somebody of whom only the id in a community is known. Throws the reason why nothing can be sent
  /// there.
  @discardableResult
  func requireRoute(to id: SessionID, for account: Account) throws -> BlindedRoute {
    guard let route = try route(to: id) else {
      throw MessengerError(
        .invalidRecipient,
        "no one with this id has written in your rooms, so they cannot be reached")
    }
    guard let server = try communityServer(route.server), try !communities(on: server.url).isEmpty else {
      throw MessengerError.notInCommunity
    }
    // The point with the other sign is the id of no other account.
    guard route.account != account.id,
      try !SourcePeople(onServer: server.publicKey, for: account, blocked: []).own.contains(id)
    else {
      throw MessengerError(.invalidRecipient, "this is your own id in the community")
    }
    let needed =
      id.kind == .blinded25
      ? [CommunityCapabilities.blinding25]
      : [CommunityCapabilities.blinding, CommunityCapabilities.blinding25]
    guard try capabilities(of: server.url).contains(where: { !$0.isMissing && needed.contains($0.name) })
    else {
      throw MessengerError(.notAllowed, "the server of this community brings no messages to such an id")
    }
    if let account = route.account, try contact(account.address)?.isBlocked == true {
      throw MessengerError(.blocked, "this person is blocked: unblock them to write to them")
    }
    guard try profile(id.address)?.blocksRequests != true else {
      throw MessengerError(.notAllowed, "this person takes no messages from strangers in communities")
    }
    return route
  }
}

extension MessengerError {
  static let notInCommunity = MessengerError(
    .notAllowed, "you are in no room of this person's community any more: join one to write to them")
}
