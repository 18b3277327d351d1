import Foundation
import SessionCore
import Synchronization
import Testing

@testable import SessionNode

/// A node that ends: nothing that it has begun is cut off.
@Suite struct DrainingTests {
  private let alice = try! Account(1)

  private final class Order: Sendable {
    private let words = Mutex<[String]>([])
    var all: [String] { words.withLock { $0 } }
    func add(_ word: String) { words.withLock { $0.append(word) } }
  }

  @Test func whatIsUnderWayEndsBeforeTheWaitDoes() async throws {
    let inFlight = InFlight()
    await inFlight.idle()
    let (began, beginning) = AsyncStream.makeStream(of: Never.self)
    let (may, allowing) = AsyncStream.makeStream(of: Never.self)
    let order = Order()
    await withTaskGroup { group in
      group.addTask {
        await inFlight.counting {
          beginning.finish()
          for await _ in may {}
          order.add("answered")
        }
      }
      for await _ in began {}
      group.addTask {
        await inFlight.idle()
        order.add("idle")
      }
      allowing.finish()
    }
    #expect(order.all == ["answered", "idle"])
  }

  @Test func nobodyWaitsForever() async {
    let inFlight = InFlight()
    let (never, end) = AsyncStream.makeStream(of: Never.self)
    await withTaskGroup { group in
      group.addTask { await inFlight.counting { for await _ in never {} } }
      await within(.milliseconds(10)) { await inFlight.idle() }
      end.finish()
    }
  }

  @Test func aNodeThatEndsPaysWhatItOwesAndRefusesWhatIsNew() async throws {
    let playground = try await Playground(nodes: 2)
    try await playground.net.kill(2)
    _ = try await playground.ask("store", try alice.storing([1]))
    try await playground.net.revive(2)
    let first = try #require(await playground.net.places[0].node)
    first.health.isThere(playground.records[1].key)
    await first.drain(within: .seconds(60))
    #expect(try await first.store.owed() == (0, 0))
    #expect(try await playground.net.places[1].node?.store.count() == 1)
    let refused = try await playground.ask("store", try alice.storing([2]))
    #expect(refused.code == 503)
    #expect(refused.text == "Service node is not ready: shutting down\n")
    await playground.stop()
  }
}
