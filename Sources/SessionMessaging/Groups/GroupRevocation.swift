import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Repeats grants and revocations of access until all members of the swarm have confirmed them, for a day
/// (``UnsignedChange``).
///
/// The job stores people instead of requests. Each run grants access to those who are members by then, and revokes it for
/// the others.
struct GroupRevocation: JobKind {
  static let kind = "groupRevocation"
  static let queue = Groups.queue
  static let conditions: JobConditions = [.network, .accountActive]
  static let retry = RetryPolicy.unlimited
  static let timesAreDelays = true

  let group: SessionID
  let people: [SessionID]
  /// When the last attempt is due, in milliseconds since 1970.
  let until: Int64

  var uniqueKey: String? { group.address }
  var partition: String? { Groups.partition(of: group) }

  func merged(with later: GroupRevocation) -> GroupRevocation {
    // The later time, even if it is earlier because the clock was set back.
    GroupRevocation(group: group, people: Set(people + later.people).sorted(), until: later.until)
  }
}

extension Groups {
  func makeRevocation() -> JobHandler {
    JobHandler(GroupRevocation.self) { [self] revocation, job in
      let group = revocation.group
      let (key, members) = try await queue.run { [self] in
        try author.configs.read { configs -> (GroupAdminKey?, Set<SessionID>) in
          guard let key = try configs.groups[group]?.adminKey, configs.isOpen(group) else {
            return (nil, [])
          }
          let members = try configs.readGroup(group) { (group) throws(SessionError) in try group.allMembers()
          }
          return (key, Set(members.filter { !$0.isBeingRemoved }.map(\.id)))
        }
      }
      guard let key else { return .done }
      let admitted = revocation.people.filter { members.contains($0) }
      let others = revocation.people.filter { !members.contains($0) }
      let requests =
        try SwarmStepRecord.Request.access(.unrevoke, of: admitted, with: key)
        + SwarmStepRecord.Request.access(.revoke, of: others, with: key)
      let steps = requests.map { SwarmStep($0) }
      let results: [SwarmStepResult]
      do { results = try await environment.swarms.perform(steps, in: group, as: .admin(key)) } catch {
        try job.check()
        guard jobTime < revocation.until else { return .done }
        throw error
      }
      let start = revocation.until - UnsignedChange.timeLimit
      guard !results.allSatisfy(\.isDoneByAll), let time = context.nextAttempt(ofChangeAt: start) else {
        return .done
      }
      guard start > jobTime else { return .again(at: time) }
      // The clock was set back: the day begins again.
      return .done { [self] transaction in
        try author.repeatAccess(Set(revocation.people), in: group, transaction)
      }
    }
  }
}

extension ConfigAuthor {
  /// Has grants or revocations repeated that not all members of the swarm have confirmed.
  func repeatAccess(
    _ unconfirmed: Set<SessionID>, in group: SessionID, _ transaction: borrowing WriteTransaction
  ) throws {
    let now = jobTime
    guard !unconfirmed.isEmpty, let time = context.nextAttempt(ofChangeAt: now) else { return }
    try transaction.enqueue(
      GroupRevocation(
        group: group, people: unconfirmed.sorted(), until: now.saturatingAdd(UnsignedChange.timeLimit)),
      .at(time), at: now)
  }

  /// The members of a group to whom tokens belong, even if they are being removed.
  func holders(of tokens: [[UInt8]], in group: SessionID) throws -> Set<SessionID> {
    guard !tokens.isEmpty else { return [] }
    return try configs.read { configs in
      guard let key = try configs.groups[group]?.adminKey, configs.isOpen(group) else {
        return []
      }
      let members = try configs.readGroup(group) { (group) throws(SessionError) in try group.allMembers() }
      return Set(try members.map(\.id).filter { tokens.contains(try key.accessToken(of: $0)) })
    }
  }
}
