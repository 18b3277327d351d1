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

  let group: SessionID
  let person: SessionID
}

/// Sends the group's key to a member who becomes an admin.
struct GroupPromoting: GroupOffer {
  static let kind = "groupPromote"
  static let stored = GroupMember.Event.promotionSent
  static let givenUp = GroupMember.Event.promotionFailed

  let group: SessionID
  let person: SessionID
}

extension Groups {
  func makeInviting() -> JobHandler {
    makeOffer(GroupInviting.self) { person, key, info, member, profile, now in
      guard member.isOnlyInvited else { return nil }
      let invite = try GroupInvite(
        to: key.group, name: info.name, authData: key.grantAccess(to: person))
      return try GroupUpdateMessage(
        signing: .invite(invite), with: key, sentAt: now, invitee: person, profile: profile)
    }
  }

  func makePromoting() -> JobHandler {
    makeOffer(GroupPromoting.self) { _, key, info, member, profile, _ in
      guard member.isBeingPromoted else { return nil }
      return try GroupUpdateMessage(.promotion(GroupPromotion(with: key, name: info.name)), profile: profile)
    }
  }

  /// Makes the message of an offer; nil if it is not wanted any more.
  private typealias OfferMaker =
    @Sendable (
      SessionID, GroupAdminKey, GroupInfo, GroupMember, MessageProfile?, MessageTime
    ) throws -> GroupUpdateMessage?

  private func makeOffer<Offer: GroupOffer>(
    _ kind: Offer.Type, _ make: @escaping OfferMaker
  ) -> JobHandler {
    JobHandler(Offer.self) { [self] offer, end, transaction in
      guard case .failed(let reason) = end else { return }
      try transaction.note(Offer.givenUp, of: offer, because: reason, at: jobTime)
    } run: { [self] offer, context in
      guard let sealed = try await seal(offer, context, make) else { return .done }
      try await environment.swarms.perform([.store(sealed)], in: offer.person, as: nil).check()
      return .done { [self] transaction in
        try transaction.note(Offer.stored, of: offer, at: jobTime)
      }
    }
  }

  /// Seals an offer, once: a repeated attempt stores the same bytes. Nil if it is not wanted any more.
  private func seal(
    _ offer: some GroupOffer, _ context: JobContext, _ make: @escaping OfferMaker
  ) async throws -> SwarmItem? {
    let content = try await queue.run { [self] in
      let now = try time()
      let update = try author.configs.read { configs -> GroupUpdateMessage? in
        guard let key = try configs.groups[offer.group]?.adminKey, configs.openGroups.contains(offer.group)
        else { return nil }
        let (info, member) = try configs.readGroup(offer.group) { (group) throws(SessionError) in
          (try group.getInfo(), try group.member(offer.person))
        }
        guard let member, !info.isDestroyed else { return nil }
        return try make(offer.person, key, info, member, configs.ownProfile(), now)
      }
      return update.map { (update: $0, now: now) }
    }
    guard let content else { return nil }
    return try await context.write { [account] transaction in
      if let sealed = try transaction.effect("sealed", of: context.id)?.result {
        return try JobPayload.decode(SealedItem.self, from: sealed).item()
      }
      let message = try Message(.groupUpdate(content.update), sentAt: content.now)
      let destination = try Destination(.person(offer.person), own: account.id)
      let item = SwarmItem(
        try account.encode(message, for: .contact(offer.person)), in: destination.namespace,
        for: destination.lifetime(of: message.content.kind, with: nil))
      try transaction.putEffect(
        "sealed", of: context.id, isDone: true, result: JobPayload.encode(SealedItem(item)))
      return item
    }
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
