import SessionCore
import SessionJobs
import Testing

@testable import SessionMessaging

/// How marks of members are collected.
@Suite struct MemberMarksTests {
  private func group() throws -> SessionID { try SessionID(.group, key: [UInt8](repeating: 1, count: 32)) }

  private func mark(_ number: UInt8, _ event: GroupMember.Event, because reason: String? = nil) throws
    -> MemberMarks.Mark
  {
    let person = try SessionID(.standard, key: [UInt8](repeating: number, count: 32))
    return MemberMarks.Mark(person: person, event: event.rawValue, reason: reason)
  }

  private func marks(_ marks: MemberMarks.Mark...) throws -> MemberMarks {
    MemberMarks(group: try group(), marks: marks, isShared: false)
  }

  private func merged(_ all: [MemberMarks]) throws -> MemberMarks {
    let payload = try all.dropFirst().reduce(try all[0].encoded()) { payload, later in
      try MemberMarks.merge(payload, version: MemberMarks.version, with: later)
    }
    return try MemberMarks.decode(payload, version: MemberMarks.version)
  }

  @Test func marksAreCollectedInTheirOrder() throws {
    let (first, second) = (try mark(1, .inviteSent), try mark(2, .inviteFailed, because: "no\nroute"))
    let found = try merged([try marks(first), try marks(second)])
    #expect(found.group == (try group()) && found.marks == [first, second] && !found.isShared)
  }

  @Test func aRepeatedMarkCountsOnceAndLast() throws {
    let (failed, sent) = (try mark(1, .inviteFailed, because: "no route"), try mark(1, .inviteSent))
    let again = try mark(1, .inviteFailed, because: "offline")
    #expect(try merged([try marks(failed), try marks(sent), try marks(failed)]).marks == [sent, failed])
    #expect(try merged([try marks(failed), try marks(sent), try marks(again)]).marks == [sent, again])
  }

  @Test func marksOfTheFirstVersionAreKept() throws {
    let (first, second) = (try mark(1, .inviteSent), try mark(2, .inviteSent))
    let payload = try JobPayload.encode(try marks(first))
    #expect(try MemberMarks.decode(payload, version: 1).marks == [first])
    let merged = try MemberMarks.merge(payload, version: 1, with: try marks(second))
    #expect(try MemberMarks.decode(merged, version: MemberMarks.version).marks == [first, second])
  }

  @Test func unreadableMarksAreReplaced() throws {
    let mark = try mark(1, .inviteSent)
    let merged = try MemberMarks.merge([1, 2, 3], version: 1, with: try marks(mark))
    #expect(try MemberMarks.decode(merged, version: MemberMarks.version).marks == [mark])
  }
}
