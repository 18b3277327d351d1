import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// The number of statements does not grow with the number of rows shown.
@Suite struct StatementCountTests {
  @Test func aPageOfMessagesTakesNoMoreStatementsThanOne() async throws {
    let (world, counts) = (World(), Counts())
    var options = DatabaseOptions()
    options.slowAfter = .seconds(-1)
    options.onSlowTransaction = { transaction in counts.add(transaction) }
    let alice = try await world.start(
      try Messenger(
        .generate(), .inMemory(schema: .account, options: options), world.environment, folder: world.folder))
    let bob = try await world.device(of: .generate(), name: "Bob")
    // Nothing is sent meanwhile: messages that are not sealed yet take a statement more.
    await alice.suspend()
    var answered: MessageView.ID?
    var ids: [MessageView.ID] = []
    for number in 0..<60 {
      let link = OutgoingText.Preview(url: "https://example.org/\(number)", title: "Page \(number)")
      let text = OutgoingText("see https://example.org/\(number)", answering: answered, preview: link)
      let file = OutgoingFile(.bytes([1, UInt8(number)]), name: "file \(number)")
      let id = try await alice.send(text, attachments: [file], to: bob.id)
      try await alice.react("👍", to: id)
      ids.append(id)
      answered = id
    }
    // The last two, which are sent last: those that are not sealed yet take a statement more.
    let (two, few) = try await counts.of { try await alice.messages(Array(ids.suffix(2))).count }
    let (sixty, many) = try await counts.of { try await alice.messages(ids).count }
    #expect(two == 2 && sixty == 60)
    #expect(few == many && many < 12, "\(few), \(many)")
    let (shown, page) = try await counts.of { try await alice.messages(in: .person(bob.id)).count }
    #expect(shown == 50 && page < 14, "\(page)")
    let (found, search) = try await counts.of { try await alice.search("see").messages.count }
    #expect(found == 50 && search < 16, "\(search)")
    await world.stop()
  }

  /// How many statements transactions ran.
  private final class Counts: Sendable {
    private let count = Mutex(0)

    func add(_ transaction: SlowTransaction) {
      guard transaction.kind == .read else { return }
      count.withLock { $0 = max($0, transaction.statements) }
    }

    /// Returns the number of rows read, and the most statements that one transaction ran for them.
    func of(_ body: () async throws -> Int) async throws -> (read: Int, statements: Int) {
      count.withLock { $0 = 0 }
      return (try await body(), count.withLock { $0 })
    }
  }
}
