import Testing

@testable import SessionMessaging

@Suite struct ListenersTests {
  @Test func listenersGetLaterEvents() async {
    let listeners = Listeners<Int>(limit: 8)
    listeners.tell(1)
    let early = listeners.stream(after: 0)
    listeners.tell(2)
    let late = listeners.stream()
    listeners.tell(3)
    listeners.finish()
    #expect(await early.reduce(into: []) { $0.append($1) } == [0, 2, 3])
    #expect(await late.reduce(into: []) { $0.append($1) } == [3])
  }

  @Test func slowListenersMissTheOldestEvents() async {
    let listeners = Listeners<Int>(limit: 2)
    let slow = listeners.stream()
    for number in 1...9 { listeners.tell(number) }
    listeners.finish()
    #expect(await slow.reduce(into: []) { $0.append($1) } == [8, 9])
  }
}
