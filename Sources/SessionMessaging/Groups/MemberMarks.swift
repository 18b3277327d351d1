import SessionBase
import SessionCore
import SessionJobs
import SessionStorage

/// Writes what became of members into the configs of their group.
///
/// Jobs that end, and messages that arrive, cannot edit configs. They add marks instead, and the marks of a few seconds
/// become one edit and one push.
struct MemberMarks: JobKind {
  static let kind = "memberMarks"
  static let version = 2
  static let queue = Groups.queue
  static let retry = RetryPolicy.unlimited
  /// How long marks are collected while more offers of the group are under way, in milliseconds.
  static let gathering: Int64 = 3000
  /// The longest delays before an admin acts on what all admins see, in milliseconds: who is first saves the others the
  /// work.
  static let maxAcceptanceDelay = 10_000.0
  static let maxLeavingDelay = 30_000.0

  struct Mark: Codable, Hashable, Sendable {
    let person: SessionID
    let event: UInt32
    /// Why an offer could not be sent.
    var reason: String?
    /// When the member had been added who told it: it does not count for one who was added again since.
    var addedAt: Int64?
  }

  let group: SessionID
  let marks: [Mark]
  /// True for what all admins of the group see.
  let isShared: Bool

  var uniqueKey: String? { "\(group) \(isShared)" }

  func merged(with later: MemberMarks) -> MemberMarks {
    let kept = marks.filter { mark in
      !later.marks.contains { $0.person == mark.person && $0.event == mark.event }
    }
    return MemberMarks(group: group, marks: kept + later.marks, isShared: isShared)
  }
}

// The payload has a line for the group, and one for each mark, so that a mark is added without reading the others. Version
// 1 was a single value.
extension MemberMarks {
  private struct Head: Codable {
    let group: SessionID
    let isShared: Bool
  }

  private static let newline = UInt8(ascii: "\n")

  private var lines: [[UInt8]] {
    get throws {
      try [JobPayload.encode(Head(group: group, isShared: isShared))]
        + marks.map { try JobPayload.encode($0) }
    }
  }

  func encoded() throws -> [UInt8] { Array(try lines.joined(separator: [Self.newline])) }

  static func decode(_ payload: [UInt8], version: Int) throws -> MemberMarks {
    guard version > 1 else { return try JobPayload.decode(MemberMarks.self, from: payload) }
    let lines = payload.split(separator: newline).map { Array($0) }
    let head = try JobPayload.decode(Head.self, from: lines.first ?? [])
    return try lines.dropFirst().reduce(
      into: MemberMarks(group: head.group, marks: [], isShared: head.isShared)
    ) { marks, line in
      let mark = try JobPayload.decode(Mark.self, from: line)
      marks = marks.merged(with: MemberMarks(group: head.group, marks: [mark], isShared: head.isShared))
    }
  }

  static func merge(_ payload: [UInt8], version: Int, with later: MemberMarks) throws -> [UInt8] {
    guard version == Self.version else {
      let before = try? decode(payload, version: version)
      return try (before?.merged(with: later) ?? later).encoded()
    }
    let new = try later.lines.dropFirst().map { $0[...] }
    let kept = payload.split(separator: newline).filter { !new.contains($0) }
    return Array((kept + new).joined(separator: [newline]))
  }
}

extension Groups {
  func makeMemberMarks() -> JobHandler {
    JobHandler(MemberMarks.self) { [self] marks, context in
      try await queue.run { [self] in try apply(to: marks.group, of: context.id) }
      return .done
    }
  }

  /// Applies the marks that a job has now: an offer that was repeated after the job began has taken its own away.
  private func apply(to group: SessionID, of job: JobRecord.ID) throws {
    try author.editNow { configs, _ -> (all: [MemberMarks.Mark], applied: [MemberMarks.Mark]) in
      let (marks, current, profiles) = try database.read { transaction in
        let marks = try transaction.memberMarks(of: job)?.marks ?? []
        return (
          marks, Set(try marks.filter { try transaction.isCurrent($0, in: group) }),
          try Dictionary(
            marks.map { ($0.person, try transaction.profile($0.person.address)) }, uniquingKeysWith: { $1 })
        )
      }
      guard try configs.groups[group]?.adminKey != nil, configs.isOpen(group) else {
        return (marks, [])
      }
      return try configs.withGroup(group) { (group) throws(SessionError) in
        var applied: [MemberMarks.Mark] = []
        for mark in marks where current.contains(mark) {
          guard let event = GroupMember.Event(rawValue: mark.event),
            let member = try group.member(mark.person),
            member.isOpen(to: event)
          else { continue }
          try group.updateMember(mark.person) { member in
            if event == .inviteAccepted, let profile = profiles[mark.person] ?? nil {
              member.describe(as: profile)
            }
            member.note(event)
          }
          applied.append(mark)
        }
        return (marks, applied)
      }
    } writing: { result, transaction, now in
      // Those that arrive while the job runs make it run again, for them only.
      try transaction.deleteMarks(of: job) { result.all.contains($0) }
      let applied = result.applied
      guard let thread = try transaction.thread(at: group.address) else { return }
      let failed = applied.filter { $0.reason != nil }
      guard let first = failed.first, let reason = first.reason else { return }
      var content = MessengerEvent.Content(in: thread, person: failed.count == 1 ? first.person : nil)
      content.reason =
        failed.count == 1
        ? reason : "\(failed.count) people could not be reached; the first failure: \(reason)"
      try transaction.tell(.groupOfferFailed, content, thread: thread.id, at: now)
    }
  }
}

extension GroupMember {
  /// True if an event still changes something. What comes late, or twice, does not.
  fileprivate func isOpen(to event: Event) -> Bool {
    switch event {
    case .inviteSent: isOnlyInvited && status != .inviteSent && status != .inviteUnknown
    case .inviteFailed: isOnlyInvited && status != .inviteFailed
    case .inviteAccepted: isOnlyInvited
    case .promotionSent: isBeingPromoted && status != .promotionSent
    case .promotionFailed: isBeingPromoted && status != .promotionFailed
    case .removal: !isBeingRemoved
    default: false
    }
  }

  /// Takes the name and picture of a profile, unless it has none.
  mutating func describe(as profile: ProfileRecord) {
    guard !profile.name.isEmpty else { return }
    name = profile.name
    profileUpdatedAtSeconds = profile.updatedAt / 1000
    if let url = profile.pictureURL, let key = profile.pictureKey,
      let picture = try? ProfilePicture(url: url, key: key)
    {
      self.picture = picture
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The marks that a job has to apply.
  fileprivate func memberMarks(of job: JobRecord.ID) throws -> MemberMarks? {
    try self.job(job).map { record in try MemberMarks.decode(record.payload, version: record.version) }
  }

  /// True unless the member was added again since they told it.
  fileprivate func isCurrent(_ mark: MemberMarks.Mark, in group: SessionID) throws -> Bool {
    guard let addedAt = mark.addedAt else { return true }
    return try thread(at: group.address).flatMap { thread in try member(mark.person.address, of: thread.id) }?
      .addedAt == addedAt
  }

  /// The members who have accepted their invitation, which is not in the configs yet.
  func acceptances(in group: SessionID) throws -> Set<SessionID> {
    let key = MemberMarks(group: group, marks: [], isShared: true).uniqueKey
    guard let key, let job = try job(MemberMarks.kind, for: key) else { return [] }
    let marks = try memberMarks(of: job.id)?.marks ?? []
    return Set(
      try marks.filter { mark in
        try mark.event == GroupMember.Event.inviteAccepted.rawValue && isCurrent(mark, in: group)
      }.map(\.person))
  }
}

extension WriteTransaction {
  /// Takes marks from a job.
  fileprivate func deleteMarks(of job: JobRecord.ID, where isObsolete: (MemberMarks.Mark) -> Bool) throws {
    guard var record = try self.job(job), let marks = try memberMarks(of: job) else { return }
    let kept = marks.marks.filter { !isObsolete($0) }
    guard kept.count < marks.marks.count else { return }
    record.payload = try MemberMarks(group: marks.group, marks: kept, isShared: marks.isShared).encoded()
    record.version = MemberMarks.version
    try update(record)
  }

  /// Forgets what became of an earlier offer to a person, which is repeated.
  func forgetMarks(of person: SessionID, _ events: [GroupMember.Event], in group: SessionID) throws {
    let key = MemberMarks(group: group, marks: [], isShared: false).uniqueKey
    guard let key, let job = try job(MemberMarks.kind, for: key) else { return }
    try deleteMarks(of: job.id) { mark in
      mark.person == person && events.contains { $0.rawValue == mark.event }
    }
  }

  /// Has the result of an offer by us written into the configs of its group: after the last one at once.
  func note<Offer: GroupOffer>(
    _ event: GroupMember.Event, of offer: Offer, because reason: String? = nil, at now: Int64
  ) throws {
    let mark = MemberMarks.Mark(person: offer.person, event: event.rawValue, reason: reason)
    try enqueue(
      MemberMarks(group: offer.group, marks: [mark], isShared: false),
      isLast(offer) ? JobRequest() : .at(now.saturatingAdd(MemberMarks.gathering)), at: now)
  }

  /// Has what a member told all admins written into the configs, after a random delay: another admin may be first.
  func noteMember(
    _ member: GroupMemberRecord, _ person: SessionID, told event: GroupMember.Event, in group: SessionID,
    _ context: AccountContext
  ) throws {
    let longest = event == .removal ? MemberMarks.maxLeavingDelay : MemberMarks.maxAcceptanceDelay
    let mark = MemberMarks.Mark(person: person, event: event.rawValue, addedAt: member.addedAt)
    try enqueue(
      MemberMarks(group: group, marks: [mark], isShared: true),
      .at(context.jobTime.saturatingAdd(Int64(context.environment.chance() * longest))), at: context.jobTime)
  }
}
