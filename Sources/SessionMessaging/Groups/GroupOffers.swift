import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// A message that offers a person something in a group: to join, or to become an admin.
protocol GroupOffer: JobKind {
  /// The events of the member when the message is stored, or given up.
  static var stored: GroupMember.Event { get }
  static var givenUp: GroupMember.Event { get }
  /// True if a member is still to get it.
  static func isOpen(to member: GroupMember) -> Bool

  var group: SessionID { get }
  var person: SessionID { get }
}

extension GroupOffer {
  static var queue: JobQueue { JobQueue("invitations", concurrency: 8) }
  static var retry: RetryPolicy { RetryPolicy(maxFailures: 3) }
  static var conditions: JobConditions { [.network, .accountActive] }

  var uniqueKey: String? { Self.key(group, person) }

  static func key(_ group: SessionID, _ person: SessionID) -> String { "\(group) \(person)" }
}

/// Sends an invitation to a person.
struct GroupInviting: GroupOffer {
  static let kind = "groupInvite"
  static let stored = GroupMember.Event.inviteSent
  static let givenUp = GroupMember.Event.inviteFailed

  static func isOpen(to member: GroupMember) -> Bool { member.isOnlyInvited }

  let group: SessionID
  let person: SessionID
}

/// Sends the group's key to a member who becomes an admin.
struct GroupPromoting: GroupOffer {
  static let kind = "groupPromote"
  static let stored = GroupMember.Event.promotionSent
  static let givenUp = GroupMember.Event.promotionFailed

  static func isOpen(to member: GroupMember) -> Bool { member.isBeingPromoted }

  let group: SessionID
  let person: SessionID
}

extension Groups {
  func makeInviting() -> JobHandler { makeOffer(GroupInviting.self, Self.invite) }

  func makePromoting() -> JobHandler {
    makeOffer(GroupPromoting.self) { _, key, info, profile, _ in
      try GroupUpdateMessage(.promotion(GroupPromotion(with: key, name: info.name)), profile: profile)
    }
  }

  /// Makes the message of an invitation.
  @Sendable private static func invite(
    _ person: SessionID, with key: GroupAdminKey, to info: GroupInfo, profile: MessageProfile?,
    at now: MessageTime
  ) throws -> GroupUpdateMessage {
    let invite = try GroupInvite(to: key.group, name: info.name, authData: key.grantAccess(to: person))
    return try GroupUpdateMessage(
      signing: .invite(invite), with: key, sentAt: now, invitee: person, profile: profile)
  }

  /// Makes the message of an offer.
  private typealias OfferMaker =
    @Sendable (
      SessionID, GroupAdminKey, GroupInfo, MessageProfile?, MessageTime
    ) throws -> GroupUpdateMessage

  private func makeOffer<Offer: GroupOffer>(
    _ kind: Offer.Type, _ make: @escaping OfferMaker
  ) -> JobHandler {
    JobHandler(Offer.self) { [self] offer, end, transaction in
      guard case .failed(let reason) = end else { return }
      try transaction.note(Offer.givenUp, of: offer, because: reason, at: jobTime)
    } run: { [self] offer, context in
      guard let sealed = try await sealed(offer, context, make) else { return .done }
      try await environment.swarms.perform([.store(sealed)], in: offer.person, as: nil).check()
      return .done { [self] transaction in
        try transaction.note(Offer.stored, of: offer, at: jobTime)
      }
    }
  }
}

// MARK: - Sealing offers

/// The message of an offer, sealed for a person.
private struct SealedOffer: Codable, Sendable {
  let item: SealedItem
  /// When the bytes must not be stored any more, because devices may have erased the keys that open them; nil for never.
  var notAfter: Int64?

  init(_ item: SwarmItem, notAfter: Int64? = nil) {
    self.item = SealedItem(item)
    self.notAfter = notAfter
  }
}

extension Groups {
  /// How often the keys of a person are looked for before an offer goes without them, where nothing speaks against that.
  private static let fetchAttempts = 3
  /// The interval at which they are looked for.
  private static let retryInterval = Duration.seconds(60)

  private enum FoundOffer: Sendable {
    /// An earlier attempt sealed it.
    case sealed(SealedOffer)
    case new(GroupUpdateMessage, at: MessageTime)
  }

  /// Returns a sealed offer. It is sealed once: a repeated attempt stores the same bytes. Nil if it is not wanted any more.
  private func sealed<Offer: GroupOffer>(
    _ offer: Offer, _ context: JobContext, _ make: @escaping OfferMaker
  ) async throws -> SwarmItem? {
    let found = try await queue.run { [self] in try find(offer, of: context.id, make) }
    switch found {
    case nil: return nil
    case .sealed(let sealed): return try sealed.item.item()
    case .new(let update, let now):
      if let sealed = try await seal(update, for: offer.person, at: now, context) { return sealed }
      try await fetchKeys(of: offer.person, context)
      guard let sealed = try await seal(update, for: offer.person, at: now, context) else {
        throw JobDeferral(for: Self.retryInterval)
      }
      return sealed
    }
  }

  /// Seals an offer in its job. Nil if keys of the person have to be fetched first.
  private func seal(
    _ update: GroupUpdateMessage, for person: SessionID, at now: MessageTime, _ context: JobContext
  ) async throws -> SwarmItem? {
    try await context.write { [self] transaction in
      if let known = try transaction.sealedOffer(of: context.id), !isOver(known) {
        return try known.item.item()
      }
      try ratchet.checkWaiting(for: person, shownAt: nil, in: transaction)
      guard let sealed = try seal(update, for: person, at: now, in: transaction) else { return nil }
      try transaction.keep(sealed, for: context.id)
      return try sealed.item.item()
    }
  }

  /// Fetches what the devices of a person have published.
  private func fetchKeys(of person: SessionID, _ context: JobContext) async throws {
    var found: (bundles: [PublishedBundle], isComplete: Bool)?
    do { found = try await ratchet.fetch(person) } catch let failure as NetworkFailure {
      guard context.failures + 1 >= Self.fetchAttempts else { throw failure }
    }
    let now = try time()
    try await context.write { [self, found] transaction in
      guard let found else { return try ratchet.giveUpWaiting(for: person, in: transaction) }
      try ratchet.take(found.bundles, of: person, isComplete: found.isComplete, at: now, in: transaction)
    }
  }

  private func isOver(_ offer: SealedOffer) -> Bool { offer.notAfter.map { jobTime >= $0 } ?? false }

  private func find<Offer: GroupOffer>(
    _ offer: Offer, of job: JobRecord.ID, _ make: OfferMaker
  ) throws -> FoundOffer? {
    let now = try time()
    let sealed = try database.read { transaction in try transaction.sealedOffer(of: job) }
    return try author.configs.read { configs -> FoundOffer? in
      guard let entry = try configs.groups[offer.group], entry.adminSeed != nil,
        configs.isOpen(offer.group)
      else { return nil }
      let (info, member) = try configs.readGroup(offer.group) { (group) throws(SessionError) in
        (try group.getInfo(), try group.member(offer.person))
      }
      guard let member, Offer.isOpen(to: member), !info.isDestroyed else { return nil }
      if let sealed, !isOver(sealed) { return .sealed(sealed) }
      guard let key = entry.adminKey else { return nil }
      return .new(try make(offer.person, key, info, configs.ownProfile(), now), at: now)
    }
  }

  /// Seals an offer for the devices of a person, if their conversation has forward secrecy. Nil if keys have to be fetched
  /// first. Throws a failure of the job if it may not be sent.
  private func seal(
    _ update: GroupUpdateMessage, for person: SessionID, at now: MessageTime,
    in transaction: borrowing WriteTransaction
  ) throws -> SealedOffer? {
    switch try ratchet.plan(for: person, at: now, in: transaction) {
    case .standard: return SealedOffer(try sealStandard(update, for: person, at: now))
    case .waiting: return nil
    case .refused(let error): throw JobFailure(.permanent, error.message)
    case .ratchet(let devices):
      let message = try Message(.groupUpdate(update), sentAt: now)
      let lifetime = try lifetime(of: message, for: person)
      let body = RatchetBody(content: try message.bytes())
      guard let sealed = try ratchet.seal(body, for: devices, in: transaction) else { return nil }
      let late = try sealed.missing.map { device in
        try LateSealing(message, to: device, of: person, sentAt: jobTime, for: lifetime)
      }
      try transaction.request(late, at: jobTime)
      return SealedOffer(SwarmItem(sealed.bytes, for: lifetime), notAfter: sealed.notAfter)
    }
  }

  private func sealStandard(
    _ update: GroupUpdateMessage, for person: SessionID, at now: MessageTime
  ) throws -> SwarmItem {
    let message = try Message(.groupUpdate(update), sentAt: now)
    return SwarmItem(
      try account.encode(message, for: .contact(person)), in: .messages,
      for: try lifetime(of: message, for: person))
  }

  private func lifetime(of message: Message, for person: SessionID) throws -> Duration {
    try Destination(.person(person), own: own).lifetime(of: message.content.kind, with: nil)
  }

  /// An invitation, and its sealed message, unless the person cannot be sealed for, or their devices are: their job does that.
  struct SealedInvitation: Sendable {
    let inviting: GroupInviting
    let item: SwarmItem?
  }

  /// Seals the invitations to a new group, so that all of them are stored together.
  func sealInvitations(
    of people: [SessionID], with key: GroupAdminKey, to info: GroupInfo, profile: MessageProfile?,
    at now: MessageTime
  ) -> [SealedInvitation] {
    people.map { person in
      let inviting = GroupInviting(group: key.group, person: person)
      let choice = try? database.read { transaction in
        try ratchet.choose(for: person, at: now, in: transaction)
      }
      guard case .standard? = choice,
        let update = try? Self.invite(person, with: key, to: info, profile: profile, at: now)
      else { return SealedInvitation(inviting: inviting, item: nil) }
      return SealedInvitation(inviting: inviting, item: try? sealStandard(update, for: person, at: now))
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The message of an offer as an earlier attempt sealed it.
  fileprivate func sealedOffer(of job: JobRecord.ID) throws -> SealedOffer? {
    guard let sealed = try effect("sealed", of: job)?.result else { return nil }
    // Earlier versions kept the item alone.
    if let item = try? JobPayload.decode(SealedItem.self, from: sealed) {
      return SealedOffer(try item.item())
    }
    return try JobPayload.decode(SealedOffer.self, from: sealed)
  }
}

extension WriteTransaction {
  fileprivate func keep(_ offer: SealedOffer, for job: JobRecord.ID) throws {
    try putEffect("sealed", of: job, isDone: true, result: JobPayload.encode(offer))
  }

  /// Requests an invitation that is sealed already.
  func request(_ invitation: Groups.SealedInvitation, at now: Int64) throws {
    let job = try enqueue(invitation.inviting, at: now)
    if let item = invitation.item { try keep(SealedOffer(item), for: job) }
  }
}

extension WriteTransaction {
  /// Requests an offer that goes out after a batch of requests to the group's swarm. It replaces an earlier offer to the
  /// person that still waits.
  func request<Offer: GroupOffer>(_ offer: Offer, after batch: SwarmStepRecord.ID?, at now: Int64) throws {
    try request(offer, after: batch.map { [.event(ConfigAuthor.stepEvent(of: $0))] } ?? [], at: now)
  }

  /// Requests an offer that goes out after others have the edit it belongs to.
  func request<Offer: GroupOffer>(afterSync offer: Offer, at now: Int64) throws {
    try request(offer, after: [.event(ConfigAuthor.syncEvent(of: offer.group))], at: now)
  }

  private func request<Offer: GroupOffer>(
    _ offer: Offer, after dependencies: [JobDependency], at now: Int64
  ) throws {
    // Merged with the earlier one, it would wait for what that waits for.
    if let before = try job(Offer.kind, for: Offer.key(offer.group, offer.person)) {
      try cancel(before.id, because: "it is sent again", at: now)
    }
    try forgetMarks(of: offer.person, [Offer.stored, Offer.givenUp], in: offer.group)
    var request = JobRequest()
    request.dependencies = dependencies
    try enqueue(offer, request, at: now)
  }

  /// True if no other offer of the group is under way.
  func isLast<Offer: GroupOffer>(_ offer: Offer) throws -> Bool {
    // In the order of bytes, keys that begin with the group and a space are before the group and the next character.
    let (first, end) = ("\(offer.group) ", "\(offer.group)!")
    for kind in [GroupInviting.kind, GroupPromoting.kind] {
      let own = kind == Offer.kind ? Offer.key(offer.group, offer.person) : ""
      if try exists(OfferStatements.others, kind, first, end, own) { return false }
    }
    return true
  }
}

private enum OfferStatements {
  static let others: SQL = """
    SELECT 1 FROM job WHERE kind = ? AND uniqueKey > ? AND uniqueKey < ? AND uniqueKey <> ? AND state IN (0, 1)
    """
}
