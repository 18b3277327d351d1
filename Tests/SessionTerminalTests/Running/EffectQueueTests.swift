import Testing

@testable import SessionTerminal

@Suite(.timeLimit(.minutes(5))) struct EffectQueueTests {
  @Test func effectsComeInOrderUntilTheEnd() async {
    let queue = EffectQueue()
    queue.add(.redraw)
    queue.add(.suspend)
    queue.finish()
    #expect(await queue.next()?.effect == .redraw)
    #expect(await queue.next()?.effect == .suspend)
    #expect(await queue.next() == nil)
  }

  @Test func aCancelledReaderLeavesTheRest() async {
    let queue = EffectQueue()
    let reader = Task { await queue.next() }
    reader.cancel()
    #expect(await reader.value == nil)
    queue.add(.redraw)
    let entry = await queue.next()
    #expect(entry?.effect == .redraw)
    if let entry { queue.putBack(entry) }
    #expect(await queue.next() == entry)
  }

  @Test func changesThatArePutBackKeepTheirPlace() async throws {
    let queue = EffectQueue()
    for id in 1...3 { queue.add(.resend(Int64(id))) }
    let first = try #require(await queue.next())
    let second = try #require(await queue.next())
    queue.putBack(first)
    queue.putBack(second)
    queue.finish()
    var order: [UIEffect] = []
    while let next = await queue.next() { order.append(next.effect) }
    #expect(order == [.resend(1), .resend(2), .resend(3)])
  }

  @Test func runningChangesCount() async throws {
    let queue = EffectQueue()
    for _ in 0..<EffectQueue.limit { #expect(queue.add(.redraw)) }
    let taken = try #require(await queue.next())
    #expect(queue.unfinished == EffectQueue.limit)
    #expect(!queue.add(.redraw))
    queue.finish(taken)
    #expect(queue.add(.redraw))
  }

  @Test func changesThatAreGivenUpCountAndTypingDoesNot() async throws {
    let queue = EffectQueue()
    for effect in [UIEffect.typing(conversation: "a", true), .resend(1), .typing(conversation: "a", false)] {
      queue.add(effect)
    }
    #expect(queue.unfinished == 1)
    let typing = try #require(await queue.next())
    let sending = try #require(await queue.next())
    #expect(queue.unfinished == 1)
    queue.giveUp(sending)
    queue.finish(typing)
    #expect(queue.unfinished == 1)
  }

  @Test func interruptedChangesAreKnown() async throws {
    let queue = EffectQueue()
    queue.add(.resend(1))
    let first = try #require(await queue.next())
    #expect(!first.isBegun)
    queue.putBack(first)
    let untouched = try #require(await queue.next())
    #expect(!untouched.isBegun)
    queue.putBack(untouched, isBegun: true)
    let begun = try #require(await queue.next())
    #expect(begun.isBegun && begun.number == first.number)
    queue.putBack(begun)
    #expect(await queue.next()?.isBegun == true)
  }

  @Test func onlyTheNewestDraftIsKept() async {
    let queue = EffectQueue()
    queue.add(.draft(conversation: "a", text: "h"))
    queue.add(.draft(conversation: "b", text: "x"))
    queue.add(.draft(conversation: "a", text: "hello"))
    queue.finish()
    #expect(await queue.next()?.effect == .draft(conversation: "b", text: "x"))
    #expect(await queue.next()?.effect == .draft(conversation: "a", text: "hello"))
  }

  @Test func theQueueIsBounded() async {
    let queue = EffectQueue()
    for _ in 0..<(EffectQueue.limit + 5) { queue.add(.redraw) }
    queue.finish()
    var count = 0
    while await queue.next() != nil { count += 1 }
    #expect(count == EffectQueue.limit)
  }
}
