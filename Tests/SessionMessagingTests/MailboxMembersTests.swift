import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// The members of a swarm, some of which hide messages, or lack them.
@Suite struct MailboxMembersTests {
  private let minute: Int64 = 60_000
  private let day: Int64 = 24 * 3_600_000

  @Test func newMemberIsReadFromADayAgo() async throws {
    let scene = try await MailboxScene()
    let (first, second) = (Mailbox(7), Mailbox(8))
    first.messages = try (0..<40).map { _ in try scene.message() }
    scene.world.clock.advance(by: 2 * day)
    let old = try #require(first.messages.last)
    first.messages += try (0..<3).map { _ in try scene.message() }
    try await scene.drain(first)
    second.messages = first.messages
    try await scene.drain(second)
    #expect(second.cursor == old.hash)
    #expect(second.downloads.count == 1)
    #expect(try await scene.received() == 43)
    await scene.world.stop()
  }

  @Test func membersAreReadBehindTheirOwnLastMessage() async throws {
    let scene = try await MailboxScene()
    let (first, second) = (Mailbox(7), Mailbox(8))
    first.messages = try (0..<4).map { _ in try scene.message() }
    second.messages = [first.messages[1], first.messages[0]]
    for mailbox in [first, second, first, second] { try await scene.drain(mailbox) }
    #expect(first.cursor == first.messages.last?.hash)
    #expect(second.cursor == second.messages.last?.hash)
    await scene.world.stop()
  }

  @Test func messagesThatEndWithinAnHourAreNoCursor() async throws {
    let scene = try await MailboxScene()
    let mailbox = Mailbox(7)
    mailbox.messages = [try scene.message(), try scene.message(for: 3500)]
    try await scene.drain(mailbox)
    try await scene.drain(mailbox)
    #expect(mailbox.cursor == mailbox.messages.first?.hash)
    await scene.world.stop()
  }

  @Test func hiddenMessageIsFoundByReadingAMemberFromTheBeginning() async throws {
    let scene = try await MailboxScene()
    let (liar, honest) = (Mailbox(7), Mailbox(8))
    liar.messages = try (0..<4).map { _ in try scene.message() }
    honest.messages = liar.messages
    liar.hidden = [liar.messages[1].hash]
    scene.world.clock.advance(by: 2 * day)
    for _ in 0..<4 {
      for mailbox in [liar, honest] { try await scene.drain(mailbox) }
    }
    // The honest one is read behind the last message of the liar.
    #expect(try await scene.received() == 3)
    scene.world.clock.advance(by: 5 * day)
    for _ in 0..<2 {
      for mailbox in [honest, liar] { try await scene.drain(mailbox) }
    }
    #expect(try await scene.received() == 4)
    // Not again for a week.
    let downloads = honest.downloads.count
    scene.world.clock.advance(by: 6 * day)
    for _ in 0..<3 { try await scene.drain(honest) }
    #expect(honest.downloads[downloads...].allSatisfy { $0 == 0 })
    await scene.world.stop()
  }

  @Test func memberThatLacksAMessageOfTwoOthersIsPolledLast() async throws {
    let scene = try await MailboxScene()
    let members = [Mailbox(7), Mailbox(8), Mailbox(9)]
    let common = try scene.message()
    for member in members { member.messages = [common] }
    for member in members { try await scene.drain(member) }
    let message = try scene.message()
    for member in members.prefix(2) { member.messages.append(message) }
    for member in members { try await scene.drain(member) }
    // It may be on its way.
    #expect(await scene.inbox.laggards() == [])
    scene.world.clock.advance(by: 11 * minute)
    for member in members { try await scene.drain(member) }
    #expect(await scene.inbox.laggards() == [members[2].node])
    scene.world.clock.advance(by: 61 * minute)
    #expect(await scene.inbox.laggards() == [])
    await scene.world.stop()
  }

  @Test func memberThatLacksADeletedMessageDoesNotLag() async throws {
    let scene = try await MailboxScene()
    let members = [Mailbox(7), Mailbox(8), Mailbox(9)]
    let common = try scene.message()
    let message = try scene.message()
    for member in members { member.messages = [common] }
    for member in members.prefix(2) { member.messages.append(message) }
    for member in members { try await scene.drain(member) }
    let bob = scene.bob
    try await bob.context.write { transaction, _ in
      try transaction.invalidate([message.hash], of: bob.id.description)
    }
    for member in members { member.messages = [common] }
    scene.world.clock.advance(by: 11 * minute)
    for member in members { try await scene.drain(member) }
    #expect(await scene.inbox.laggards() == [])
    await scene.world.stop()
  }

  @Test func threeMembersMustHaveNoConfigsBeforeThatIsBelieved() async throws {
    let world = World()
    let device = try Messenger(
      .generate(), .inMemory(schema: .account), world.environment, folder: world.folder)
    let inbox = device.inbox.makeInbox(of: device.id)
    func needsWitness(_ number: UInt8) async throws -> Bool {
      let node = [UInt8](repeating: number, count: 32).hex
      let pages = Dictionary(
        uniqueKeysWithValues: inbox.plan.namespaces.map { namespace in
          (namespace, Result<SwarmReply.Page, NetworkFailure>.success(SwarmReply.Page([])))
        })
      _ = try await inbox.nextPoll(at: node)
      return try await inbox.take(SwarmReply(node: node, pages)).needsWitness
    }
    #expect(try await needsWitness(1))
    // One member is one witness, however often it says so.
    #expect(try await needsWitness(1))
    #expect(try await needsWitness(2))
    #expect(try await !needsWitness(3))
    #expect(try await !needsWitness(1))
    await world.stop()
  }
}
