import SessionBase
import SessionCore

/// The members of a registry that take part in a swarm, judged by their silence and by reports of others.
struct Attendance {
  /// How long a member counts that lost its swarm: nodes that are gone for good must not hide the absence of
  /// others.
  private static let recent: Duration = .seconds(86_400)

  /// Members without a swarm.
  let absent: Set<[UInt8]>
  /// The number of silent members, and of all that count.
  let silent: Int
  let counted: Int

  /// True if probably the registry itself is cut off. Then no node loses its swarm.
  var isCutOff: Bool { silent * 2 > counted }

  init(
    _ members: some Collection<Registry.Member>, now: UInt64, nodeTimeout: Duration, silence: Duration
  ) {
    func isSilent(_ member: Registry.Member, for time: Duration) -> Bool {
      member.silence(at: now) > time.nanoseconds
    }
    let serving = members.filter { $0.record.swarm != NodeRecord.noSwarm && !$0.isLeaving }
    // Not those that serve alone: who loses its swarm would make it more likely that the next one does.
    let counted = members.filter {
      !$0.isLeaving
        && ($0.record.swarm != NodeRecord.noSwarm || ($0.isHeard && !isSilent($0, for: Self.recent)))
    }
    let silent = counted.count { isSilent($0, for: silence) }
    var absent = Set(
      members.filter {
        isSilent($0, for: nodeTimeout) || ($0.record.swarm == NodeRecord.noSwarm && !$0.isHeard)
      }.map(\.record.key))
    let present = members.filter { !absent.contains($0.record.key) }
    var witnesses: [[UInt8]: Int] = [:]
    for member in present { for key in member.unreachable { witnesses[key, default: 0] += 1 } }
    absent.formUnion(witnesses.filter { $0.value >= 2 && $0.value * 2 > present.count }.keys)
    if silent * 2 > counted.count { absent.subtract(serving.map(\.record.key)) }
    self.absent = absent
    self.silent = silent
    self.counted = counted.count
  }
}
