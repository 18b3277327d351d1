import Dispatch
import SessionBase
import Synchronization
import Testing

@Suite struct WorkerQueueTests {
  private struct Refusal: Error, Equatable {}

  private actor Counter {
    private nonisolated let queue = WorkerQueue("session.tests")
    private var count = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func increment() -> (count: Int, isOnQueue: Bool) {
      count += 1
      return (count, queue.isCurrent)
    }
  }

  @Test func resultsAndErrorsComeBack() async {
    let queue = WorkerQueue("session.tests")
    #expect(await queue.run { 7 } == 7)
    await #expect(throws: Refusal()) { try await queue.run { () throws(Refusal) in throw Refusal() } }
  }

  @Test func workIsDoneInOrder() async {
    let queue = WorkerQueue("session.tests")
    let numbers = Mutex<[Int]>([])
    for number in 0..<100 { queue.post { numbers.withLock { $0.append(number) } } }
    let all = await queue.run { queue.isCurrent ? Array(0..<100) : [] }
    #expect(numbers.withLock { $0 } == all)
    #expect(!queue.isCurrent)
  }

  /// The work of each queue waits for that of the next one, on more queues than the pool has threads.
  @Test func queuesDoNotWaitForEachOther() async {
    let count = 64
    let doors = (0...count).map { _ in DispatchSemaphore(value: 0) }
    await withTaskGroup { group in
      for index in 0..<count {
        group.addTask {
          await WorkerQueue("session.tests").run {
            doors[index + 1].wait()
            doors[index].signal()
          }
        }
      }
      doors[count].signal()
      await group.waitForAll()
    }
    #expect(doors[0].wait(timeout: .now()) == .success)
  }

  @Test func anActorCanRunOnAQueue() async {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { #expect(await counter.increment().isOnQueue) } }
    }
    #expect(await counter.increment().count == 51)
  }

  @Test func synchronousCallersWaitForTheirTurn() async {
    let queue = WorkerQueue("session.tests")
    let isDone = Atomic(false)
    queue.post { isDone.store(true, ordering: .releasing) }
    #expect(queue.runBlocking { isDone.load(ordering: .acquiring) })
  }
}
