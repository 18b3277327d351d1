import Testing

@testable import SessionTerminal

/// What links and readings again do to the screen.
@Suite struct LinkTests {
  private let carol = "05" + String(repeating: "11", count: 32)

  @Test func theTextOfALinkStandsInTheComposerAndIsMarked() {
    var stage = Stage.talking()
    stage.take(.linked(conversation: carol, LinkedText("Hello\nthere", note: "from a link")))
    #expect(stage.state.open?.id == carol && stage.state.draft.composer.text == "Hello\nthere")
    #expect(stage.screen.contains("from a link") && stage.screen.contains("> Hello"))
    let wanted = stage.wanted()
    #expect(!wanted.contains { if case .send = $0 { true } else { false } })
    stage.press("Enter")
    #expect(
      stage.wanted().contains(.send(conversation: carol, text: "Hello\nthere", answering: nil, files: [])))
    #expect(stage.state.draft.note == nil)
  }

  @Test func theMarkGoesWithTheText() {
    var stage = Stage.talking()
    stage.take(.linked(conversation: carol, LinkedText("x", note: "from a link")))
    stage.press("Backspace")
    #expect(stage.state.draft.note == nil && !stage.state.draft.hasHead)
  }

  @Test func aLinkReplacesNoDraft() {
    var stage = Stage.talking()
    stage.type("mine")
    stage.take(.linked(conversation: Stage.bob, LinkedText("theirs", note: "from a link")))
    #expect(stage.state.draft.composer.text == "mine")
    #expect(stage.screen.contains("there is a draft"))
  }

  @Test func aLinkReplacesNoDraftThatTheListDoesNotShow() {
    let hidden = "05" + String(repeating: "77", count: 32)
    for id in [hidden, Stage.request.id, carol] {
      var stage = Stage.talking()
      stage.take(.linked(conversation: id, LinkedText("theirs", note: "from a link", hasDraft: true)))
      stage.wait(1000)
      #expect(stage.state.open?.id == id && stage.state.draft.composer.isEmpty)
      #expect(stage.screen.contains("there is a draft"))
      #expect(!stage.effects.contains { if case .draft = $0 { true } else { false } })
    }
  }

  @Test func theTextOfALinkIsNeitherTypingNorADraftUntilItIsChanged() {
    func isTold(_ effect: UIEffect) -> Bool {
      switch effect {
      case .typing, .draft: true
      default: false
      }
    }
    var stage = Stage.talking()
    stage.take(.linked(conversation: carol, LinkedText("theirs", note: "from a link")))
    stage.wait(1000)
    stage.take(.linked(conversation: Stage.bob, LinkedText("", note: "from a link")))
    stage.wait(1000)
    #expect(!stage.effects.contains(where: isTold))
    stage.take(.opened(conversation: carol))
    #expect(stage.state.draft.composer.text == "theirs")
    stage.type("!")
    stage.wait(1000)
    #expect(stage.effects.contains(.typing(conversation: carol, true)))
    #expect(stage.effects.contains(.draft(conversation: carol, text: "theirs!")))
  }

  @Test func aLinkToAStrangerWarns() {
    let warning = "0577…7777 is not a contact: this is sent as a message request"
    for text in ["", "Hello"] {
      var stage = Stage.talking(columns: 120)
      let stranger = "05" + String(repeating: "77", count: 32)
      stage.take(.linked(conversation: stranger, LinkedText(text, note: "from a link", warning: warning)))
      #expect(stage.screen.contains("from a link") && stage.screen.contains(warning))
    }
  }

  @Test func aRoomIsJoinedOnlyByTheAnswer() {
    let link = "https://example.org/lobby?public_key=00"
    var stage = Stage.talking()
    stage.take(.offered(link: link, lines: ["example.org/lobby"], isMore: false))
    #expect(stage.screen.contains("join this room?") && stage.screen.contains("example.org/lobby"))
    // More is shown below the cursor of the person, which stands on cancel at first.
    stage.press("Up")
    stage.take(.offered(link: link, lines: ["example.org/lobby", "\u{1B}[2JLobby"], isMore: true))
    #expect(stage.screen.contains("\u{FFFD}[2JLobby"))
    #expect(stage.wanted().isEmpty)
    stage.press("Enter")
    #expect(stage.wanted() == [.begin(with: link)])
    // The question is not asked again when the server replies late.
    stage.take(.offered(link: link, lines: ["late"], isMore: true))
    #expect(stage.state.panel == nil)
    stage.take(.offered(link: link, lines: [], isMore: false))
    stage.press("Enter")
    #expect(stage.wanted().isEmpty)
  }

  @Test func readingAgainKeepsThePlace() {
    var stage = Stage(columns: 80, rows: 12)
    let messages = (1...40).map { Stage.message(Int64($0), "text \($0)", minutes: Int64($0)) }
    stage.take(.conversations(Stage.people, requests: []))
    stage.press("Enter")
    stage.take(.page(conversation: Stage.bob, before: nil, messages, hasOlder: true))
    stage.press("PgUp", "PgUp")
    let (before, anchor) = (stage.screen, stage.state.open?.anchor)
    #expect(anchor != nil)
    stage.take(.around(conversation: Stage.bob, messages, hasOlder: true, hasNewer: false))
    #expect(stage.screen == before && stage.state.open?.anchor == anchor)
    // What is gone is no place any more.
    stage.take(
      .around(conversation: Stage.bob, Array(messages.suffix(3)), hasOlder: true, hasNewer: false))
    #expect(stage.state.open?.anchor == nil && stage.screen.contains("text 40"))
  }
}
