import SessionCore
import SessionStorage

/// An invitation to a group, or a promotion to admin, as a person sent it.
struct GroupInvitation: Sendable {
  let update: GroupUpdateMessage
  let sender: SessionID
  let sentAt: MessageTime
}

/// Judges invitations, and puts the accepted ones into the configs.
///
/// An invitation changes a config, so it is judged inside the edit in whose transaction its rows are written.
struct GroupInvitations: Sendable {
  /// An invitation that the configs now contain.
  struct Taken: Sendable {
    let group: SessionID
    let name: String
    let isPromotion: Bool
    /// The state of the account in the group.
    let outcome: Outcome
  }

  enum Outcome: Sendable {
    /// The account was in the group before.
    case wasMember
    /// It joins without being asked: the user accepted the inviter before.
    case joins
    case isAsked
  }

  enum Verdict: Sendable {
    case taken(Taken)
    case dropped(MessageReceiver.Reason)
    /// It was handled before.
    case known
  }

  /// The number of unaccepted invitations; beyond it, the oldest is deleted.
  static let maxRequests = 50
  static let maxRequestsByInviter = 5
  /// The number of invitations by people whom we have not accepted, in an hour; further ones are dropped.
  static let maxByStrangers = 20
  static let strangersInterval: Int64 = 3_600_000
  /// The number of groups that one person can have us join without being asked, in a day.
  static let maxJoins = 10
  static let joinsInterval: Int64 = 24 * 3_600_000

  /// The verdicts by the hash of the message.
  private(set) var verdicts: [String: Verdict] = [:]
  /// Groups whose unaccepted invitations gave way to newer ones.
  private(set) var evicted: [SessionID] = []
  /// Our profile, sent when we join.
  private(set) var profile: MessageProfile?
  private var earlier: [EarlierInvitation] = []

  init() {}

  /// Judges the invitations among the messages of our own swarm.
  init(
    among arrivals: [Arrival], into configs: inout Configs, _ context: AccountContext, at now: MessageTime
  ) throws {
    for arrival in arrivals {
      guard let hash = arrival.hash, verdicts[hash] == nil, let received = arrival.received,
        [.groupInvite, .groupPromotion].contains(received.message.content.kind),
        case .groupUpdate(let update) = received.message.content
      else { continue }
      let invitation = GroupInvitation(update: update, sender: received.sender, sentAt: received.sentAt)
      try take(invitation, under: hash, into: &configs, context, at: now)
    }
  }

  /// Judges an invitation.
  mutating func take(
    _ invitation: GroupInvitation, under hash: String, into configs: inout Configs,
    _ context: AccountContext, at now: MessageTime
  ) throws {
    if verdicts.isEmpty {
      earlier = try context.database.read { transaction in try transaction.earlierInvitations() }
      profile = try configs.ownProfile()
    }
    verdicts[hash] = try judge(invitation, into: &configs, context, at: now)
  }

  private mutating func judge(
    _ invitation: GroupInvitation, into configs: inout Configs, _ context: AccountContext,
    at now: MessageTime
  ) throws -> Verdict {
    let (sender, sentAt) = (invitation.sender, invitation.sentAt)
    guard sender != context.own,
      let update = try? invitation.update.verify(
        for: context.account, from: sender, in: .contact, sentAt: sentAt),
      let offer = Offer(update)
    else { return .dropped(.unreadable) }
    let group = update.group
    let (person, tombstone) = try context.database.read { transaction in
      (
        try transaction.relation(to: sender, own: context.own),
        try transaction.tombstone(of: group.address)
      )
    }
    // A later one would count as newer than every invitation to come.
    guard sentAt.stored <= now.stored + MessageReceiver.futureTolerance,
      tombstone.map({ $0.at < sentAt.stored }) ?? true
    else { return .dropped(.outdated) }
    let entry = try configs.groups[group]
    let isMember = entry?.isJoined ?? false
    let admission = Admission.people.verdict(
      offer.isPromotion ? .groupPromotion : .groupInvite, from: person)
    switch admission {
    case .accept, .holdAsGroupRequest: break
    case .acceptIfJoined where isMember: break
    default: return .dropped(person == .blocked ? .blocked : .unwanted)
    }
    if let entry {
      guard entry.standing != .destroyed else { return .dropped(.outdated) }
      // An invitation from before a removal does not undo it.
      let joinedAt = entry.membership.joinedAtSeconds
      let seconds = Int64(clamping: sentAt.seconds)
      guard seconds > joinedAt || (offer.isPromotion && seconds == joinedAt) else { return .known }
    }
    let mayJoin = admission == .accept && joins(by: sender, at: now) < Self.maxJoins
    if !isMember, !mayJoin, entry?.membership.isInvited != true {
      guard try makeRoom(for: sender, isStranger: admission == .holdAsGroupRequest, in: &configs, at: now)
      else {
        return .dropped(.unwanted)
      }
    }
    let isAsked = !isMember && !mayJoin
    try configs.groups.update(group) { entry in
      entry.take(offer, for: context.account)
      guard !isMember else { return }
      entry.markInvited()
      entry.name = offer.name
      entry.membership.joinedAtSeconds = Int64(clamping: sentAt.seconds)
      entry.membership.isInvited = isAsked
    }
    let outcome: Outcome = isMember ? .wasMember : isAsked ? .isAsked : .joins
    if case .joins = outcome { try configs.conversations.update(.group(group), at: now) { _ in } }
    if !isMember {
      earlier.removeAll { $0.group == group }
      earlier.append(
        EarlierInvitation(group: group, inviter: sender, at: now.stored, isWaiting: isAsked))
    }
    return .taken(
      Taken(group: group, name: offer.name, isPromotion: offer.isPromotion, outcome: outcome))
  }

  private func joins(by inviter: SessionID, at now: MessageTime) -> Int {
    earlier.count {
      $0.inviter == inviter && !$0.isWaiting && $0.at > now.stored - Self.joinsInterval
    }
  }

  /// Makes room for one more unaccepted invitation. False if its inviter has sent too many, or strangers have.
  private mutating func makeRoom(
    for inviter: SessionID, isStranger: Bool, in configs: inout Configs, at now: MessageTime
  ) throws -> Bool {
    let waiting = earlier.filter(\.isWaiting)
    guard waiting.count(where: { $0.inviter == inviter }) < Self.maxRequestsByInviter else { return false }
    let recent = waiting.count { $0.at > now.stored - Self.strangersInterval }
    guard !isStranger || recent < Self.maxByStrangers else { return false }
    let arrivals = Dictionary(waiting.compactMap { earlier in earlier.group.map { ($0, earlier.at) } }) { $1 }
    // The sender of an invitation chooses its time, which counts only if another device received it.
    func arrival(of group: Group) -> Int64 {
      arrivals[group.id] ?? min(group.membership.joinedAtSeconds.saturatingMultiplied(by: 1000), now.stored)
    }
    let invited = try configs.groups.groups().filter { $0.membership.isInvited && $0.standing == .present }
      .sorted { arrival(of: $0) < arrival(of: $1) }
    for group in invited.prefix(max(0, invited.count + 1 - Self.maxRequests)) {
      try configs.groups.remove(group.id)
      try configs.conversations.remove(.group(group.id))
      earlier.removeAll { $0.group == group.id }
      evicted.append(group.id)
    }
    return true
  }
}

/// The content of a verified invitation.
private struct Offer {
  let name: String
  let access: SecretBytes?
  let seed: SecretBytes?

  var isPromotion: Bool { seed != nil }

  init?(_ update: VerifiedGroupUpdate) {
    switch update.update {
    case .invite(let invite): (name, access, seed) = (invite.name.shown, invite.authData, nil)
    case .promotion(let promotion): (name, access, seed) = (promotion.name.shown, nil, promotion.key.seed)
    default: return nil
    }
  }
}

extension Group {
  /// Takes the secrets of an invitation. A member's own access stays while it is valid.
  fileprivate mutating func take(_ offer: Offer, for account: Account) {
    if let seed = offer.seed {
      adminSeed = seed
    } else if !isJoined || credentials(of: account) == nil {
      access = offer.access
    }
  }
}

/// An invitation that was stored before.
private struct EarlierInvitation: Sendable {
  let group: SessionID?
  let inviter: SessionID?
  /// When this device received it, in milliseconds since 1970.
  let at: Int64
  /// True if it was not accepted yet.
  let isWaiting: Bool
}

private enum InvitationStatements {
  static let earlier: SQL = """
    SELECT t.address, g.inviter, g.invitedAt, g.isInvited FROM closedGroup g JOIN thread t ON t.id = g.threadID \
    WHERE g.invitedAt IS NOT NULL
    """
}

extension Reading where Self: ~Copyable {
  fileprivate func earlierInvitations() throws -> [EarlierInvitation] {
    try map(InvitationStatements.earlier) { (row) throws(StorageError) -> EarlierInvitation in
      let address: String = try row[0]
      let inviter: String? = try row[1]
      return EarlierInvitation(
        group: SessionID(address), inviter: inviter.flatMap { SessionID($0) }, at: try row[2],
        isWaiting: try row[3])
    }
  }
}
