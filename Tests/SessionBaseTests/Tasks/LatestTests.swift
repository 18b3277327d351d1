import Synchronization
import Testing
import Waking

@testable import SessionBase

@Suite(.timeLimit(.minutes(5))) struct LatestTests {
  @Test func readersGetTheCurrentAndLaterValues() async {
    let latest = Latest(1)
    latest.set(2)
    var reader = latest.stream().makeAsyncIterator()
    #expect(await reader.next() == 2)
    latest.set(2)
    latest.set(3)
    #expect(await reader.next() == 3)
    #expect(latest.value == 3)
  }

  @Test func slowReadersGetOnlyTheNewestValue() async {
    let latest = Latest(0)
    var reader = latest.stream().makeAsyncIterator()
    for value in 1...100 { latest.set(value) }
    #expect(await reader.next() == 100)
  }

  @Test func nothingComesAfterTheLast() async {
    let latest = Latest(0)
    var reader = latest.stream().makeAsyncIterator()
    latest.finish(9)
    latest.set(10)
    #expect(await reader.next() == 9)
    #expect(await reader.next() == nil)
    var values: [Int] = []
    for await value in latest.stream() { values.append(value) }
    #expect(values == [9])
  }

  @Test func readersCanCancelWhileBeingWoken() async {
    let latest = Latest(0)
    let isOver = Atomic(false)
    async let wasPrompt = {
      defer { isOver.store(true, ordering: .relaxed) }
      return await cancelledWhileWoken { for await _ in latest.stream() {} }
    }()
    var value = 0
    while !isOver.load(ordering: .relaxed) {
      value += 1
      latest.set(value)
      await Task.yield()
    }
    #expect(await wasPrompt == true)
  }
}
