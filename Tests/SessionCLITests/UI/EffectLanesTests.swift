import SessionBase
import SessionTerminal
import Synchronization
import Testing

@testable import SessionCLI

@Suite(.timeLimit(.minutes(1))) struct EffectLanesTests {
  private struct Broken: Error {}

  private static func send(_ text: String, to id: String = "a") -> UIEffect {
    .send(conversation: id, text: text, answering: nil, files: [])
  }

  /// Carries out effects, and tells which were done, in order.
  private final class Work: Sendable {
    let done = Mutex<[UIEffect]>([])
    let (told, telling) = AsyncStream.makeStream(of: UIEffect.self)

    func finish(_ effect: UIEffect) {
      done.withLock { $0.append(effect) }
      telling.yield(effect)
    }
  }

  @Test func aSlowChangeKeepsNoMessageWaiting() async throws {
    let (queue, work, isSlow) = (EffectQueue(), Work(), Latch())
    let invitation = UIEffect.invite(conversation: "a", who: "bob")
    for effect in [invitation, Self.send("one"), Self.send("two")] { queue.add(effect) }
    queue.finish()
    let running = Task {
      try await EffectLanes(queue).run { entry in
        if entry.effect == invitation { await isSlow.wait() }
        work.finish(entry.effect)
      }
    }
    var told = work.told.makeAsyncIterator()
    #expect(await told.next() == Self.send("one"))
    #expect(await told.next() == Self.send("two"))
    isSlow.open()
    try await running.value
    #expect(work.done.withLock { $0.last } == invitation)
  }

  @Test func aSlowTypingIndicatorKeepsNoMessageWaiting() async throws {
    let (queue, work, isSlow) = (EffectQueue(), Work(), Latch())
    let typing = UIEffect.typing(conversation: "a", true)
    for effect in [typing, Self.send("one")] { queue.add(effect) }
    queue.finish()
    let running = Task {
      try await EffectLanes(queue).run { entry in
        if entry.effect == typing { await isSlow.wait() }
        work.finish(entry.effect)
      }
    }
    var told = work.told.makeAsyncIterator()
    #expect(await told.next() == Self.send("one"))
    isSlow.open()
    try await running.value
    #expect(work.done.withLock { $0 } == [Self.send("one"), typing])
  }

  @Test(arguments: [
    UIEffect.block(conversation: "a", true), .leave(conversation: "a"),
    .answer(request: "a", .accept),
  ])
  func whatEndsAConversationWaitsForItsMessages(ending: UIEffect) async throws {
    let (queue, work, isSlow) = (EffectQueue(), Work(), Latch())
    let (message, other) = (Self.send("one"), Self.send("other", to: "b"))
    for effect in [message, ending, other] { queue.add(effect) }
    queue.finish()
    let running = Task {
      try await EffectLanes(queue).run { entry in
        if entry.effect == message { await isSlow.wait() }
        work.finish(entry.effect)
      }
    }
    var told = work.told.makeAsyncIterator()
    #expect(await told.next() == other)
    isSlow.open()
    try await running.value
    #expect(work.done.withLock { $0 } == [other, message, ending])
  }

  @Test func messagesOfAConversationAreSentInTheirOrder() async throws {
    let (queue, work, isSlow) = (EffectQueue(), Work(), Latch())
    let effects = (0..<20).map { Self.send("\($0)") }
    for effect in effects { queue.add(effect) }
    queue.add(Self.send("other", to: "b"))
    queue.finish()
    let running = Task {
      try await EffectLanes(queue).run { entry in
        if entry.effect == effects[0] { await isSlow.wait() }
        work.finish(entry.effect)
      }
    }
    var told = work.told.makeAsyncIterator()
    #expect(await told.next() == Self.send("other", to: "b"))
    isSlow.open()
    try await running.value
    #expect(work.done.withLock { Array($0.dropFirst()) } == effects)
  }

  @Test func anErrorEndsTheWork() async throws {
    let queue = EffectQueue()
    queue.add(Self.send("one"))
    await #expect(throws: Broken.self) { try await EffectLanes(queue).run { _ in throw Broken() } }
  }

  @Test func cancelledChangesAreLeftToTheNext() async throws {
    let (queue, hasBegun) = (EffectQueue(), Latch())
    for text in ["one", "two"] { queue.add(Self.send(text)) }
    let running = Task {
      try await EffectLanes(queue).run { entry in
        hasBegun.open()
        await Latch().wait()
        queue.putBack(entry)
        throw CancellationError()
      }
    }
    await hasBegun.wait()
    running.cancel()
    _ = await running.result
    queue.finish()
    var left: [UIEffect] = []
    while let entry = await queue.next() { left.append(entry.effect) }
    #expect(left == [Self.send("one"), Self.send("two")])
  }
}
