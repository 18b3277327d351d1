import SeededNumbers
import SessionCore
import Testing

@testable import SessionMessaging

/// The strangers of a history. Each writes to one person, who does not answer.
final class HistoryStrangers {
  private let accounts: [Account]
  /// The recipient of each stranger, once they wrote, and the texts.
  private var requests: [SessionID: (recipient: SessionID, texts: [String])] = [:]

  init() throws {
    accounts = try (0..<6).map { _ in try Account.generate() }
  }

  /// A stranger writes to the person they wrote to before, or to this one.
  func write(to person: SessionID, in world: World, using random: inout SeededGenerator) throws {
    let stranger = accounts[Int.random(in: 0..<accounts.count, using: &random)]
    let recipient = requests[stranger.id]?.recipient ?? person
    let text = "May I? \(requests[stranger.id]?.texts.count ?? 0)"
    world.clock.advance(by: 1)
    let message = try Message(
      .visible(VisibleMessage(body: text)), sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
    world.swarms.put(try stranger.encode(message, for: .contact(recipient)), to: recipient)
    requests[stranger.id, default: (recipient, [])].texts.append(text)
  }

  /// The number of people who were not answered.
  var count: Int { requests.count }

  /// True if a device has all messages of the strangers who wrote to its owner.
  func isComplete(_ messenger: Messenger) async throws -> Bool {
    for (stranger, request) in requests where request.recipient == messenger.id {
      let shown = try await messenger.requests().contains { $0.id == .person(stranger) }
      guard shown, try await messenger.bodies(in: stranger).count >= request.texts.count else { return false }
    }
    return true
  }

  /// No request is missing, and no message of one is lost or duplicated or in another order.
  func check(_ messenger: Messenger, at device: Int) async throws {
    let expected = requests.filter { $0.value.recipient == messenger.id }
    let shown = try await messenger.requests().compactMap(\.id.account)
    #expect(shown.sorted() == expected.keys.sorted(), "requests at device \(device)")
    for (stranger, request) in expected {
      #expect(try await messenger.bodies(in: stranger) == request.texts, "requests at device \(device)")
    }
  }
}
