import SessionBase
import Testing

@Suite struct PostedWorkTests {
  private struct Deaf: Error {}

  @Test func oneWakeUpStandsForAllWork() {
    let work = PostedWork<Int>()
    var wakeUps = 0
    for number in 1...3 { #expect(work.add(number, limit: 3) { wakeUps += 1 }) }
    #expect(!work.add(4, limit: 3) { wakeUps += 1 })
    #expect(wakeUps == 1)
    #expect(work.takeAll() == [1, 2, 3])
    #expect(work.add(5, limit: 3) { wakeUps += 1 })
    #expect(wakeUps == 2)
  }

  @Test func nothingIsAddedWhenTheThreadCannotBeWoken() {
    let work = PostedWork<Int>()
    #expect(throws: Deaf.self) { try work.add(1, limit: 3) { () throws(Deaf) in throw Deaf() } }
    #expect(work.takeAll() == [])
  }
}
