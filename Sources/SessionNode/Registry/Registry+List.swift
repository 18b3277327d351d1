import SessionBase
import SessionCore
import SessionNodeCore
import SessionService

extension Registry {
  func attendance(_ now: UInt64) -> Attendance {
    Attendance(members.values, now: now, nodeTimeout: options.nodeTimeout, silence: options.silence)
  }

  /// Assigns nodes to swarms, and signs a new list if that changes it, but not too soon after the last.
  func revise() {
    let now = options.clock()
    // The next look does it.
    if let listed, now - listed < options.listInterval.nanoseconds { return }
    let attendance = attendance(now)
    tell(attendance)
    let ordered = members.values.sorted { $0.record.key.lexicographicallyPrecedes($1.record.key) }
    let serving = ordered.filter { !$0.isLeaving && !attendance.absent.contains($0.record.key) }
    let swarms = options.rules.assign(
      serving.map { ($0.record.key, $0.record.swarm == NodeRecord.noSwarm ? nil : $0.record.swarm) })
    for key in members.keys { members[key]?.record.swarm = swarms[key] ?? NodeRecord.noSwarm }
    let nodes = ordered.compactMap { members[$0.record.key]?.record }
    guard nodes != file.nodes else { return }
    do {
      let next = try NetworkFile(
        name: options.name, height: Self.height(after: file.height, at: options.wallClock()), nodes: nodes,
        services: options.services, operatorKeys: keys)
      try folder.write(next)
      (file, listed) = (next, now)
      options.log(
        .info, "new list",
        ["height": "\(next.height)", "nodes": "\(nodes.count)", "swarms": "\(Set(swarms.values).count)"])
    } catch {
      // The next look tries again.
      options.log(.error, "the list cannot be written", ["reason": "\(error)"])
    }
  }

  private func tell(_ attendance: Attendance) {
    guard attendance.isCutOff != isCutOff else { return }
    isCutOff = attendance.isCutOff
    options.log(
      isCutOff ? .warning : .info,
      isCutOff ? "most nodes are silent, and keep their swarms" : "most nodes announce themselves again",
      ["silent": "\(attendance.silent)", "of": "\(attendance.counted)"])
  }

  /// Seconds since 1970, so that the numbers go on also where a folder was lost; one more than the last at least.
  static func height(after last: UInt64, at wall: UInt64) -> UInt64 { max(last + 1, wall / 1000) }

  /// The state of the registry.
  public func status() -> RegistryStatus {
    let now = options.clock()
    let absent = attendance(now).absent
    let reports = members.values.reduce(into: [[UInt8]: Int]()) { reports, member in
      for key in member.unreachable { reports[key, default: 0] += 1 }
    }
    let nodes = file.nodes.compactMap { record in
      members[record.key].map { member in
        RegistryStatus.Node(
          key: record.key.hex, address: "\(record.address)", swarm: record.swarm,
          state: member.isLeaving ? .leaving : absent.contains(record.key) ? .absent : .serving,
          silentSeconds: Int(member.silence(at: now) / 1_000_000_000), reportedBy: reports[record.key] ?? 0)
      }
    }
    return RegistryStatus(
      name: options.name, operatorKey: operatorKey.hex, address: address.map { "\($0)" } ?? "",
      networkFile: folder.networkFile, height: file.height, allowed: admission.count,
      awaitsConfirmation: admission.awaitsConfirmation,
      uptimeSeconds: Int((max(options.wallClock(), began) - began) / 1000), nodes: nodes)
  }
}
