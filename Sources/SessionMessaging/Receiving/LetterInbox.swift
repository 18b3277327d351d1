import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// One of our two boxes on a community server.
enum LetterBox: String, CaseIterable, Sendable {
  case inbox
  /// What all of our devices sent.
  case outbox

  /// The name of the box among the places of a server; no room has it.
  var place: String { ">\(rawValue)" }
}

/// What a poll asks one of our boxes for.
struct LetterSpan: Hashable, Sendable {
  let box: LetterBox
  /// The number of the last message that was taken.
  let cursor: Int64
  /// The most messages to ask for.
  var limit = CommunityLetterPage.maxSize

  var call: CommunityCall<CommunityLetterPage> {
    switch box {
    case .inbox: .inbox(since: cursor, limit: limit)
    case .outbox: .outbox(since: cursor, limit: limit)
    }
  }
}

/// Stores what our inbox and outbox on a community server bring: messages between two people.
struct LetterInbox: Sendable {
  /// The server's URL.
  let server: String
  let context: AccountContext
  let author: ConfigAuthor
  let typists: Typists

  /// What to ask for: the outbox, and the inbox unless the user takes no requests of strangers. Nothing of a server
  /// without blinded ids.
  func spans() async throws -> [LetterSpan] {
    let takesRequests = try await context.queue.run { [author] in
      try author.configs.read { configs in try configs.profile.get().takesBlindedRequests ?? true }
    }
    return try await context.database.read { [server] transaction in
      guard let record = try transaction.communityServer(server),
        try transaction.capabilities(of: server).contains(where: {
          !$0.isMissing
            && [CommunityCapabilities.blinding, CommunityCapabilities.blinding25].contains($0.name)
        })
      else { return [] }
      let outbox = LetterSpan(box: .outbox, cursor: record.outboxLatest)
      return takesRequests ? [LetterSpan(box: .inbox, cursor: record.inboxLatest), outbox] : [outbox]
    }
  }

  /// Stores a page in the order of its numbers, and the cursor behind what is settled, in one transaction. Returns true if
  /// the cursor moved. Throws our own failure to store a message, with all before it stored.
  func take(_ page: CommunityLetterPage, of span: LetterSpan) async throws -> Bool {
    let letters = page.letters.filter { $0.number > span.cursor }.sorted { $0.number < $1.number }
    guard !letters.isEmpty, let identity = try await identity() else { return false }
    var opened: [OpenedLetter] = []
    for letter in letters where opened.last?.letter.number != letter.number {
      opened.append(OpenedLetter(letter, of: span.box, identity))
    }
    // Memory that is lacking says nothing about the message.
    let whole = opened.prefix { !$0.isUnsettled }
    let failure = try await store(Array(whole), of: span.box, identity, from: span.cursor)
    if let failure { throw failure }
    guard whole.count == opened.count else {
      throw NetworkFailure(.transient, "a message could not be opened: there is no memory left")
    }
    return true
  }

  /// Tries once more what an older version of the program could not read.
  func takeBadItems(of box: LetterBox) async throws {
    guard let identity = try await identity() else { return }
    let items = try await context.database.read { [server] transaction in
      try transaction.badItems(in: box.place, of: server)
    }
    let version = context.environment.programVersion
    let letters = items.filter { $0.programVersion != version }.compactMap { item in
      item.bytes.flatMap { CommunityLetter(parsing: $0, number: item.number) }
    }
    guard !letters.isEmpty else { return }
    let opened = letters.map { OpenedLetter($0, of: box, identity) }.filter { !$0.isUnsettled }
    if let failure = try await store(opened, of: box, identity, from: nil) { throw failure }
  }

  /// Our ids on the server; nil if we do not use it any more.
  private func identity() async throws -> LetterIdentity? {
    let record = try await context.database.read { [server] transaction in
      try transaction.communityServer(server)
    }
    return try record.map { try LetterIdentity(on: $0.publicKey, context.account) }
  }

  /// Stores messages that were asked for from a cursor, and moves it behind them; nil for those that do not move it.
  /// Returns our own failure, if there is one: what came before it is stored.
  private func store(
    _ letters: [OpenedLetter], of box: LetterBox, _ identity: LetterIdentity, from start: Int64?
  ) async throws -> (any Error)? {
    try await author.edit { [self] configs, now in
      let arrivals = try context.database.read { transaction in
        try letters.compactMap { try $0.arrival(of: box, on: identity.key, transaction) }
      }
      let merges = try BlindedMerges(provenBy: arrivals, into: &configs, context, at: now)
      try approveRecipients(of: arrivals, in: &configs, at: now)
      let deletions = try context.database.read { transaction in
        try Deletions(of: Set(arrivals.compactMap(\.conversation)), in: configs, transaction)
      }
      try ArrivalFacts(arrivals, own: context.own, now: now).apply(to: &configs, deletions)
      return (merges: merges, deletions: deletions)
    } writing: { [self] plan, transaction, now in
      // The server may have been left, and joined under another key.
      guard let record = try transaction.communityServer(server), record.publicKey == identity.key else {
        return nil
      }
      try plan.merges.apply(in: transaction, at: now)
      let receiver = MessageReceiver(
        source: .inbox(server: server), people: SourcePeople(own: identity.own), context: context,
        typists: typists, now: now, deletions: plan.deletions)
      var (cursor, failure): (Int64?, (any Error)?) = (nil, nil)
      for letter in letters {
        do {
          try transaction.savepoint { part in try take(letter, of: box, identity, receiver, in: part) }
          cursor = letter.letter.number
        } catch {
          failure = error
          break
        }
      }
      if let start, let cursor { try transaction.move(record, from: start, to: cursor, in: box) }
      return failure
    }
  }

  /// Whom one of our devices has written to is approved, if they approved us.
  private func approveRecipients(
    of arrivals: [Arrival], in configs: inout Configs, at now: MessageTime
  ) throws {
    for arrival in arrivals where arrival.received?.sender == context.own {
      guard let person = arrival.conversation?.account, person.kind == .standard, person != context.own,
        case let known = try configs.contacts[person], known?.isApproved != true, known?.isBlocked != true
      else { continue }
      let (contact, profile) = try context.database.read { transaction in
        (try transaction.contact(person.address), try transaction.profile(person.address))
      }
      try configs.contacts.approve(person, contact, profile, at: now)
    }
  }

  private func take(
    _ letter: OpenedLetter, of box: LetterBox, _ identity: LetterIdentity, _ receiver: MessageReceiver,
    in transaction: borrowing WriteTransaction
  ) throws {
    var reason = letter.flaw
    if let arrival = try letter.arrival(of: box, on: identity.key, transaction) {
      try letter.noteRoute(of: box, server, identity.key, in: transaction)
      if case .dropped(let cause) = try receiver.receive(arrival, in: transaction),
        [.unreadable, .unwanted, .unsupported].contains(cause)
      {
        reason = cause.rawValue
      }
    }
    let item = BadItemRecord(
      letter.letter.number, in: box.place, of: server, reason: reason ?? "",
      bytes: letter.letter.content.map { $0.bytes }, programVersion: context.environment.programVersion)
    if reason == nil { try transaction.delete(item) } else { try transaction.put(item) }
  }
}

extension SeenMessage {
  /// A message of one of our boxes. A server that was restored from a backup gives its numbers again, to others.
  init(_ number: Int64, in box: LetterBox, of server: String, sentAt: Int64, until end: Int64) {
    self.init("\(box.rawValue):\(number):\(sentAt)", in: server, expiresAt: end, diesWithThread: false)
  }
}

extension WriteTransaction {
  /// Moves the cursor of a box forward, unless it was set back meanwhile: the server may have lost messages.
  fileprivate func move(
    _ server: CommunityServerRecord, from start: Int64, to end: Int64, in box: LetterBox
  ) throws {
    var record = server
    let cursor =
      switch box {
      case .inbox: \CommunityServerRecord.inboxLatest
      case .outbox: \CommunityServerRecord.outboxLatest
      }
    guard record[keyPath: cursor] == start, end > start else { return }
    record[keyPath: cursor] = end
    try put(record)
  }
}
