import SessionCore
import SessionNodeCore
import Testing

@testable import SessionNode

/// The registry tells absent nodes from being cut off itself.
@Suite struct AttendanceTests {
  private let second: UInt64 = 1_000_000_000

  /// Members that were heard at these seconds.
  private func members(_ heard: [UInt64], swarm: UInt64 = 0) throws -> [Registry.Member] {
    try heard.enumerated().map { index, time in
      let keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: UInt8(index + 1), count: 32)))
      let record = try NodeRecord(
        key: keys.publicKey, address: NetworkAddress(parsing: "192.0.2.\(index + 1):22020"), httpsPort: 0,
        version: [2, 11, 0], swarm: swarm)
      return Registry.Member(record: record, heard: time * second, isHeard: true)
    }
  }

  private func attendance(_ members: [Registry.Member], at seconds: UInt64) -> Attendance {
    Attendance(members, now: seconds * second, nodeTimeout: .seconds(600), silence: .seconds(30))
  }

  @Test func cutOffRegistryKeepsNodesHeardAtDifferentTimes() throws {
    var members = try members((0..<12).map { 1000 + $0 * 10 / 12 })
    for time in stride(from: UInt64(1000), to: 3000, by: 5) {
      let absent = attendance(members, at: time).absent
      for index in members.indices where absent.contains(members[index].record.key) {
        members[index].record.swarm = NodeRecord.noSwarm
      }
    }
    #expect(members.allSatisfy { $0.record.swarm == 0 })
    #expect(attendance(members, at: 3000).isCutOff)
  }

  @Test func nodesThatLostTheirSwarmTodayStillCount() throws {
    var members = try members([1000, 1000, 1000, 1000, 1000, 1000, 9000, 9000, 9000, 9000, 9000, 9000])
    for index in 0..<4 { members[index].record.swarm = NodeRecord.noSwarm }
    // Six of twelve are not most; seven are.
    #expect(!attendance(members, at: 9000).isCutOff)
    members[6].heard = 8000 * second
    #expect(attendance(members, at: 9000).isCutOff)
    #expect(attendance(members, at: 9000).absent == Set(members[0..<4].map(\.record.key)))
  }

  @Test func longGoneNodesDoNotMaskNewAbsences() throws {
    var members = try members([0, 0, 0, 0, 0, 0, 0, 200_000, 200_000, 199_000])
    for index in 0..<7 { members[index].record.swarm = NodeRecord.noSwarm }
    let attendance = attendance(members, at: 200_000)
    #expect(!attendance.isCutOff)
    #expect(attendance.absent.contains(members[9].record.key))
  }

  @Test func nodeWithoutSwarmStaysOutUntilItReports() throws {
    var members = try members([1000, 1000, 1000])
    members[0].record.swarm = NodeRecord.noSwarm
    members[0].isHeard = false
    #expect(attendance(members, at: 1000).absent == [members[0].record.key])
    members[0].isHeard = true
    #expect(attendance(members, at: 1000).absent.isEmpty)
  }

  @Test func nodesThatMostDoNotReachAreAbsent() throws {
    var members = try members([1000, 1000, 1000, 1000])
    let lost = members[3].record.key
    for index in 0..<2 { members[index].unreachable = [lost] }
    #expect(attendance(members, at: 1000).absent.isEmpty)
    members[2].unreachable = [lost]
    #expect(attendance(members, at: 1000).absent == [lost])
  }
}
