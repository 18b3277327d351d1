import Folders
import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionDaemon
@testable import SessionMessaging

/// An account whose events are read, without a network.
struct ReadAccount {
  private let folder: TemporaryFolder
  let messenger: Messenger
  var accounts: OneAccount { OneAccount("alice", messenger) }

  init() async throws {
    folder = try TemporaryFolder()
    messenger = try await Messenger.create(
      .generate(), in: AccountFolder("alice", in: StorageRoots(inside: folder.path("roots"))),
      MessengerEnvironment(swarms: UnreachableSwarms()))
  }

  /// Makes an event. Returns its number.
  @discardableResult
  func happen() async throws -> MessengerEvent.Cursor {
    let name = "n\(try await messenger.lastEvent().rawValue % 1_000_000)"
    try await messenger.setName(name)
    return try await messenger.lastEvent()
  }

  /// Deletes all events but the newest.
  func forget(keeping count: Int) async throws {
    try await messenger.context.write { transaction, _ in
      _ = try transaction.trimEvents(
        EventRetention(limit: count, settledAge: 0, settledCount: 0), at: 0)
    }
  }

  /// A socket that serves the methods of events, each with so many bytes more than it needs.
  func server(
    padding: Int = 0, rendered: @escaping @Sendable () -> Void = {}
  ) throws -> RPCServer {
    let rest = padding > 0 ? ",\"padding\":\"\(String(repeating: "x", count: padding))\"" : ""
    return try RPCServer(
      at: folder.path("socket"), accounts, dataRoot: folder.path("roots"), version: "1",
      methods: RPCMethod.events(SubscriptionTable()) { delivered, _ in
        rendered()
        let tries = delivered.tries.map { ",\"tries\":\($0)" } ?? ""
        return "{\"cursor\":\(delivered.event.id.rawValue)\(tries)\(rest)}"
      })
  }
}

/// Keeps what is delivered.
final class KeptEvents: EventSink {
  enum Item: Hashable {
    case event(MessengerEvent.Cursor, tries: Int?)
    case signal(DeliverySignal)
  }

  private let items: AsyncStream<Item>
  private let keeping: AsyncStream<Item>.Continuation

  init() { (items, keeping) = AsyncStream.makeStream(of: Item.self) }

  func deliver(_ event: DeliveredEvent, of messenger: Messenger) {
    keeping.yield(.event(event.event.id, tries: event.tries))
  }

  func signal(_ signal: DeliverySignal, of account: String) { keeping.yield(.signal(signal)) }

  /// The next ones.
  func next(_ count: Int) async -> [Item] {
    var (found, items) = ([Item](), items.makeAsyncIterator())
    while found.count < count, let item = await items.next() { found.append(item) }
    return found
  }
}
