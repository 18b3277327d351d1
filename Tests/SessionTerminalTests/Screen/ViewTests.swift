import Testing

@testable import SessionTerminal

/// Scheduled messages, files and safety numbers on the screen.
@Suite struct ViewTests {
  private let digits = (0..<12).map { "\(10_000 + $0 * 1111)" }.joined()

  /// Chooses an action by its name, as everybody can.
  private func palette(_ stage: inout Stage, _ words: String) {
    stage.press("Ctrl-K")
    stage.type(words)
    stage.press("Enter")
  }

  @Test func aMessageIsSentAtATime() {
    var stage = Stage.talking()
    stage.press("Alt-s")
    #expect(stage.state.panel == nil && stage.screen.contains("write a message first"))
    stage.type("later")
    stage.press("Alt-s")
    stage.type("07:30")
    stage.press("Enter")
    let effect = UIEffect.schedule(
      conversation: Stage.bob, text: "later", answering: nil, files: [], when: "07:30")
    // The stored draft stays until the message is scheduled.
    #expect(stage.wanted() == [.draft(conversation: Stage.bob, text: "later"), effect])
    #expect(stage.state.draft.composer.isEmpty)
    stage.press("Ctrl-Q")
    #expect(stage.wanted() == [.leaveProgram])
    // What could not be kept comes back.
    stage.take(.failed(effect))
    #expect(stage.state.draft.composer.text == "later")
  }

  @Test func textsThatCannotBeSentAreNotScheduled() {
    var stage = Stage.talking()
    stage.state.maxCharacters = 4
    stage.type("later")
    stage.press("Alt-s")
    #expect(stage.state.panel == nil && stage.screen.contains("1 characters too many"))
    stage.state.maxCharacters = 10
    stage.press("Alt-s")
    var people = Stage.people
    (people[0].isBlocked, people[0].warning) = (true, "you blocked Bob")
    stage.take(.conversations(people, requests: []))
    stage.forget()
    stage.type("07:30")
    stage.press("Enter")
    #expect(!stage.wanted().contains { if case .schedule = $0 { true } else { false } })
    #expect(stage.screen.contains("you blocked Bob") && stage.state.draft.composer.text == "later")
  }

  @Test func scheduledMessagesAreSentNowOrDeleted() {
    var stage = Stage.talking()
    palette(&stage, "scheduled")
    #expect(stage.wanted() == [.scheduled])
    let waiting = ListedScheduled(
      id: 7, name: "Carol", when: "2026-12-24 18:00", text: "Merry\u{1B}[2J", state: nil)
    stage.take(.scheduled([waiting]))
    #expect(stage.screen.contains("Carol: Merry\u{FFFD}[2J") && stage.screen.contains("2026-12-24 18:00"))
    stage.press("Enter")
    // Nothing is done by pressing Enter twice.
    stage.press("Enter")
    #expect(stage.wanted().isEmpty)
    palette(&stage, "scheduled")
    stage.take(.scheduled([waiting]))
    stage.press("Enter", "Up", "Enter")
    #expect(stage.wanted() == [.scheduled, .cancelScheduled(7)])
    palette(&stage, "scheduled")
    stage.take(.scheduled([]))
    #expect(stage.screen.contains("no scheduled messages"))
  }

  @Test func aFileLeadsToItsMessage() {
    var stage = Stage.talking()
    palette(&stage, "files of")
    #expect(stage.wanted() == [.media(conversation: Stage.bob)])
    stage.take(.media(conversation: "other", [.init(message: 9, name: "x", detail: "")]))
    stage.take(.media(conversation: Stage.bob, [.init(message: 1, name: "map.pdf", detail: "182 kB")]))
    #expect(stage.screen.contains("map.pdf") && stage.screen.contains("182 kB"))
    stage.press("Enter")
    #expect(stage.state.open?.selection == 1)
  }

  @Test func aNumberIsConfirmedOnlyOnPurpose() {
    var stage = Stage.talking()
    palette(&stage, "safety")
    #expect(stage.wanted() == [.safetyNumber(conversation: Stage.bob)])
    let numbers = SafetyNumbers(name: "Bob", digits: [digits], isVerified: false)
    stage.take(.safetyNumber(conversation: Stage.bob, numbers))
    #expect(stage.screen.contains("10000 11111 12222 13333"))
    stage.press("Enter")
    #expect(stage.wanted().isEmpty && stage.state.panel == nil)
    palette(&stage, "safety")
    stage.take(.safetyNumber(conversation: Stage.bob, numbers))
    stage.press("Up", "Enter")
    #expect(
      stage.wanted() == [
        .safetyNumber(conversation: Stage.bob), .verify(conversation: Stage.bob, digits: digits),
      ])
    // A group has no number.
    stage.take(.opened(conversation: Stage.club))
    stage.forget()
    palette(&stage, "safety")
    #expect(stage.wanted().isEmpty && stage.screen.contains("one person"))
  }
}
