import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Messages between two people.
  mutating func addInbox() {
    for (name, isOutbox) in [("inbox", false), ("outbox", true)] {
      let restingAlone: CommunityRoute.Resting = { _ in isOutbox ? .outbox(since: nil) : .inbox(since: nil) }
      read("/\(name)", resting: restingAlone) { visit in
        try visit.letters(isOutbox: isOutbox, since: nil)
      }
      let resting: CommunityRoute.Resting = isOutbox ? RestingRead.outbox(of:) : RestingRead.inbox(of:)
      read("/\(name)/since/{number}", resting: resting) { visit in
        try visit.letters(isOutbox: isOutbox, since: try visit.number("number"))
      }
    }
    write(.delete, "/inbox") { visit in
      try visit.requireLetters()
      return { transaction, caller in
        guard let caller else { throw CommunityRefusal.unsigned }
        let count = try transaction.emptyInbox(of: caller.person.id)
        return count > 0 ? .json(["deleted": .integer(Int64(count))]) : .unchanged(["deleted": 0])
      }
    }
    write(.post, "/inbox/{person}") { visit in try visit.sendLetter() }
  }
}

extension CommunityVisit {
  /// The least and the most bytes of a sealed letter.
  private static let letterBytes = (least: 57, most: 32 * 1024)
  private static let hour: Int64 = 3_600_000

  /// Letters are for blinded ids.
  fileprivate func requireLetters() throws(CommunityRefusal) {
    guard rules.options.letters.areAllowed else { throw .notFound }
    guard let author, author.kind == .blinded15 || author.kind == .blinded25 else {
      throw CommunityRefusal(401, "This request must be signed with a blinded id")
    }
  }

  fileprivate func letters(isOutbox: Bool, since number: Int64?) throws -> CommunityRoute.Reads {
    try requireLetters()
    let limit = try pageSize()
    return { transaction, caller in
      guard let person = caller?.person.id else { throw CommunityRefusal.unsigned }
      let letters =
        isOutbox
        ? try transaction.outbox(of: person, since: number ?? 0, limit: limit, now: now)
        : try transaction.inbox(of: person, since: number ?? 0, limit: limit, now: now)
      if letters.isEmpty, number != nil { return CommunityAnswer(304) }
      return .page(of: letters) { $0.object }
    }
  }

  fileprivate func sendLetter() throws -> CommunityRoute.Writes {
    try requireLetters()
    let body = try json().base64("message")
    guard body.count <= Self.letterBytes.most else { throw CommunityRefusal(413, "message is too large") }
    guard body.count >= Self.letterBytes.least, body[0] == 0 else {
      throw CommunityRefusal.invalid("message is not a sealed one")
    }
    let recipient = try rules.persons.named(self["person"])
    return { transaction, caller in
      guard let caller else { throw CommunityRefusal.unsigned }
      let known = try transaction.person(key: recipient.key)
      // Somebody who is kept out may ask the moderators why.
      let isModerator = try known.map { try transaction.moderatesAnything($0) } ?? false
      try checkSender(caller, toModerator: isModerator, transaction)
      guard recipient.id.kind != .standard,
        let person = known, person.shown != nil, !person.isBanned
      else {
        // Otherwise anybody could find out who has been here.
        try countRecipient(recipient.key, of: caller)
        throw CommunityRefusal(404, "No such recipient")
      }
      if try !isModerator && !transaction.hasWritten(caller.person.id, to: person.id) {
        try countRecipient(person.key, of: caller)
      }
      let letter = NewLetter(
        recipient: person.id, sender: caller.person.id, recipientAs: recipient.id.description,
        senderAs: caller.id, body: body, posted: now, expires: now + rules.options.letters.lifetime)
      let number = try transaction.add(letter)
      let letters = isModerator ? rules.paces.lettersToModerators : rules.paces.letters
      letters.add(body.count, of: letter.sender, now: letter.posted)
      transaction.onRollback { letters.remove(body.count, of: letter.sender, now: letter.posted) }
      if try !isModerator && transaction.sharesABan(caller.person.id, with: person.id) {
        switch rules.options.letters.fromBanned {
        case .allow: break
        case .refuse: throw CommunityRefusal.forbidden("The recipient takes no messages from you")
        case .discard: try transaction.removeLetter(number)
        }
      }
      var json = CommunityJSON()
      json.add("id", .integer(number))
      json.add("posted_at", time: letter.posted)
      json.add("expires_at", time: letter.expires)
      json.add("sender", .string(letter.senderAs))
      json.add("recipient", .string(letter.recipientAs))
      return .json(json.value, status: 201)
    }
  }

  /// Throws for somebody who may not send now. For letters to moderators nothing holds but a number in an hour, of
  /// their own: otherwise one person could fill the inboxes of those who have to read everything.
  private func checkSender(
    _ caller: CommunityCaller, toModerator: Bool, _ transaction: borrowing WriteTransaction
  ) throws {
    let letters = rules.options.letters
    guard !toModerator else {
      let recent = rules.paces.lettersToModerators.count(of: caller.person.id, now: now)
      guard recent.items < max(letters.perHour, Self.leastToModerators) else { throw Self.tooManyLetters }
      return
    }
    guard caller.person.posts >= letters.minPosts, now - caller.person.created >= letters.minAge else {
      throw CommunityRefusal.forbidden("Newcomers send no messages to others")
    }
    // Rows go with the recipients who delete them, and what is in memory with a restart.
    let stored = try transaction.lettersSent(by: caller.person.id, since: now - Self.hour)
    let recent = rules.paces.letters.count(of: caller.person.id, now: now)
    guard max(stored, recent.items) < letters.perHour else {
      throw Self.tooManyLetters
    }
  }

  /// The letters to moderators that a person may send in an hour, however few they may send to others.
  private static let leastToModerators = 20
  private static let tooManyLetters = CommunityRefusal(429, "Too many messages", retryAfter: 60)

  private func countRecipient(_ key: [UInt8], of caller: CommunityCaller) throws(CommunityRefusal) {
    guard rules.recipients.admit(key, of: caller.person.id, now: now) else {
      throw CommunityRefusal(429, "Too many new recipients", retryAfter: 3600)
    }
  }
}

extension LetterRow {
  fileprivate var object: JSONValue {
    var json = CommunityJSON()
    json.add("id", .integer(id))
    json.add("posted_at", time: posted)
    json.add("expires_at", time: expires)
    json.add("sender", .string(sender))
    json.add("recipient", .string(recipient))
    json.add("message", .string(body.base64))
    return json.value
  }
}
