import SessionBase
import Synchronization
import Testing

/// Counted work, and work that takes turns.
@Suite(.timeLimit(.minutes(5))) struct TurnsTests {
  private final class Order: Sendable {
    private let words = Mutex<[String]>([])
    var all: [String] { words.withLock { $0 } }
    func add(_ word: String) { words.withLock { $0.append(word) } }
  }

  @Test func requestsInProgressFinishBeforeTheDeadline() async throws {
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
      while !inFlight.isAwaited, order.all.isEmpty, !Task.isCancelled { await Task.yield() }
      allowing.finish()
    }
    #expect(order.all == ["answered", "idle"])
  }

  @Test func workThatTakesTurnsIsDoneByOneAtATime() async {
    let turns = Turns()
    let (began, beginning) = AsyncStream.makeStream(of: Never.self)
    let (may, allowing) = AsyncStream.makeStream(of: Never.self)
    let order = Order()
    await withTaskGroup { group in
      group.addTask {
        _ = await turns.take {
          beginning.finish()
          for await _ in may {}
          order.add("first")
        }
      }
      for await _ in began {}
      let cancelled = Task { await turns.take { order.add("cancelled") } == nil }
      cancelled.cancel()
      #expect(await cancelled.value)
      group.addTask { _ = await turns.take { order.add("second") } }
      allowing.finish()
    }
    #expect(order.all == ["first", "second"])
    #expect(await turns.take { true } == true)
  }

  @Test func waitingHasADeadline() async {
    let inFlight = InFlight()
    let (never, end) = AsyncStream.makeStream(of: Never.self)
    await withTaskGroup { group in
      group.addTask { await inFlight.counting { for await _ in never {} } }
      await within(.milliseconds(10)) { await inFlight.idle() }
      end.finish()
    }
  }
}
