import Testing

@testable import SessionTerminal

/// Writing: the composer, drafts, and what is done to messages.
@Suite struct WritingTests {
  @Test func enterSendsTheTypedText() {
    var stage = Stage.talking()
    stage.type("one\ntwo")
    stage.press("Enter")
    #expect(stage.wanted() == [.send(conversation: Stage.bob, text: "one\ntwo", answering: nil, files: [])])
    #expect(!stage.screen.contains("one"))
    stage.press("Enter")
    #expect(stage.wanted() == [])
  }

  @Test func aPasteNeverSends() {
    var stage = Stage.talking()
    stage.take(.input(.paste("a\nb\n", isCut: false)))
    #expect(stage.wanted() == [])
    #expect(stage.state.draft.composer.text == "a\nb\n")
  }

  @Test func aLongPasteAsks() {
    var stage = Stage.talking()
    stage.take(.input(.paste("1\n2\n3\n4\n5", isCut: false)))
    #expect(stage.state.draft.composer.isEmpty)
    #expect(stage.screen.contains("paste 5 lines"))
    stage.press("Enter")
    #expect(stage.state.draft.composer.text == "1\n2\n3\n4\n5")
  }

  @Test func textsThatAreTooLongAreKept() {
    var stage = Stage.talking()
    stage.state.maxCharacters = 10
    stage.type("123456789")
    #expect(stage.screen.contains("1 left"))
    stage.type("012")
    stage.press("Enter")
    #expect(stage.wanted() == [])
    #expect(stage.screen.contains("2 characters too many"))
    #expect(stage.state.draft.composer.text == "123456789012")
  }

  @Test func draftsAreKeptShortlyAfterTheLastKey() {
    var stage = Stage.talking()
    stage.type("half")
    stage.wait(200)
    stage.type(" a")
    #expect(!stage.wanted().contains { if case .draft = $0 { true } else { false } })
    stage.wait(300)
    #expect(stage.wanted() == [.draft(conversation: Stage.bob, text: "half a")])
  }

  @Test func draftsAreKeptWhenTheInterfaceIsLeft() {
    var stage = Stage.talking()
    stage.type("half")
    stage.press("Ctrl-Q")
    #expect(stage.wanted() == [.draft(conversation: Stage.bob, text: "half"), .leaveProgram])
  }

  @Test func eachConversationHasItsOwnDraft() {
    var stage = Stage.talking()
    stage.type("for Bob")
    stage.press("Ctrl-N")
    #expect(stage.state.open?.id == Stage.club)
    stage.type("for the club")
    stage.press("Ctrl-P")
    #expect(stage.state.draft.composer.text == "for Bob")
    stage.press("Ctrl-^")
    #expect(stage.state.draft.composer.text == "for the club")
  }

  @Test func draftsOfEarlierRunsAreThere() {
    var stage = Stage()
    stage.take(.conversations(Stage.people, requests: []))
    stage.press("End", "Enter")
    #expect(stage.state.draft.composer.text == "buy rope")
  }

  @Test func aDraftOfAnEarlierRunRepliesToItsMessage() {
    var stage = Stage.talking()
    var people = Stage.people
    people[1].draft = "half"
    stage.take(.conversations(people, requests: []))
    stage.press("Ctrl-N")
    let answered = Stage.message(40, "Who brings the rope?")
    stage.take(.draft(conversation: Stage.club, answering: answered, note: "The draft has a file"))
    #expect(stage.screen.contains("reply to Bob: Who brings the rope?"))
    #expect(stage.screen.contains("The draft has a file"))
    stage.forget()
    stage.press("Enter")
    #expect(stage.wanted() == [.send(conversation: Stage.club, text: "half", answering: 40, files: [])])
    // Opened again, it has been sent.
    stage.type("new")
    stage.take(.draft(conversation: Stage.club, answering: answered, note: nil))
    stage.press("Enter")
    #expect(stage.wanted() == [.send(conversation: Stage.club, text: "new", answering: nil, files: [])])
  }

  @Test func theReplyOfADraftStaysBehindAnEdit() {
    var draft = Draft(composer: Composer("half")).editing(7, "typo")
    draft.reply(to: Stage.message(4, "Perfect."))
    #expect(draft.answering == nil && draft.unsent.answering?.id == 4)
  }

  @Test func typingIsToldSeldom() {
    var stage = Stage.talking()
    var told: [UIEffect] = []
    for letter in "abcdef" {
      told += stage.state.take(.input(.key(Key(.character(letter)))), at: stage.state.now + 200)
    }
    #expect(told.filter { $0 == .typing(conversation: Stage.bob, true) }.count == 2)
  }

  @Test func aReplyNamesItsMessage() {
    var stage = Stage.talking()
    stage.press("Up", "Up", "r")
    #expect(stage.screen.contains("reply to Bob: See you at eight, then"))
    stage.type("yes")
    stage.press("Enter")
    #expect(stage.wanted() == [.send(conversation: Stage.bob, text: "yes", answering: 4, files: [])])
  }

  @Test func escapeGivesUpAReplyAndKeepsTheText() {
    var stage = Stage.talking()
    stage.press("Up", "Up", "r")
    stage.type("yes")
    stage.press("Esc", "Enter")
    #expect(stage.wanted() == [.send(conversation: Stage.bob, text: "yes", answering: nil, files: [])])
  }

  @Test func filesAreSentWithTheText() {
    var stage = Stage.talking()
    stage.press("Ctrl-O")
    stage.type("/pictures/a.png")
    stage.press("Enter")
    #expect(stage.screen.contains("[a.png]"))
    stage.type("look")
    stage.press("Enter")
    #expect(
      stage.wanted() == [
        .send(conversation: Stage.bob, text: "look", answering: nil, files: ["/pictures/a.png"])
      ])
  }

  @Test func backspaceTakesAFileBack() {
    var stage = Stage.talking()
    stage.press("Ctrl-O")
    stage.type("/pictures/a.png")
    stage.press("Enter", "Backspace", "Enter")
    #expect(stage.wanted() == [])
  }

  @Test func aReactionIsChosenByName() {
    var stage = Stage.talking()
    stage.press("Up", "Up", "e")
    stage.type("party")
    stage.press("Enter")
    #expect(stage.wanted() == [.react(4, emoji: "🎉", isWanted: true)])
  }

  @Test func anOwnReactionIsRemoved() {
    var stage = Stage.talking()
    var message = Stage.message(6, "hm", minutes: 2)
    message.reactions = [.init(emoji: "👍", people: ["me"], isOwn: true)]
    stage.take(.changed(conversation: Stage.bob, message))
    stage.press("Up", "e", "Enter")
    #expect(stage.wanted() == [.react(6, emoji: "👍", isWanted: false)])
  }

  @Test func deletingAsksFirst() {
    var stage = Stage.talking()
    stage.press("Up", "Up", "d")
    #expect(!stage.screen.contains("for everyone"))
    stage.press("Enter")
    #expect(stage.wanted() == [])
    stage.press("d", "Up", "Enter")
    #expect(stage.wanted() == [.delete(4, forEveryone: false)])
    stage.press("Down", "d", "Up", "Enter")
    #expect(stage.wanted() == [.delete(5, forEveryone: true)])
  }

  @Test func onlyFailedMessagesAreSentAgain() {
    var stage = Stage.talking()
    stage.press("Up", "R")
    #expect(stage.wanted() == [])
    stage.take(
      .changed(
        conversation: Stage.bob,
        Stage.message(5, "On my way", minutes: 1, own: true, state: .failed("no node"))))
    #expect(stage.screen.contains("not sent: no node (R again)"))
    stage.press("R")
    #expect(stage.wanted() == [.resend(5)])
  }

  @Test func messagesOfPeopleAreNotEdited() {
    var stage = Stage.talking()
    stage.press("Up", "E")
    #expect(stage.screen.contains("only own messages in rooms can be edited"))
  }

  @Test func aTextThatCouldNotBeSentComesBack() {
    var stage = Stage.talking()
    stage.type("hello")
    stage.press("Enter")
    stage.take(.failed(.send(conversation: Stage.bob, text: "hello", answering: nil, files: [])))
    #expect(stage.state.draft.composer.text == "hello")
  }

  @Test func whatCouldNotBeSentComesBackWhole() throws {
    var stage = Stage.talking()
    stage.press("Up", "Up", "r")
    stage.type("first")
    stage.press("Ctrl-O")
    stage.type("/pictures/a.png")
    stage.press("Enter", "Enter")
    let sent = try #require(stage.wanted().first)
    stage.type("second")
    stage.take(.failed(sent))
    #expect(stage.state.draft.composer.text == "first\nsecond")
    #expect(stage.state.draft.answering?.id == 4)
    #expect(stage.state.draft.files == ["/pictures/a.png"])
    stage.wait(300)
    #expect(stage.wanted() == [.draft(conversation: Stage.bob, text: "first\nsecond")])
  }

  @Test func aTextThatComesBackElsewhereLeavesTheDraftHere() {
    var stage = Stage.talking()
    stage.type("half")
    stage.take(.failed(.send(conversation: Stage.club, text: "hello", answering: nil, files: [])))
    stage.wait(300)
    #expect(
      stage.wanted() == [
        .draft(conversation: Stage.bob, text: "half"), .draft(conversation: Stage.club, text: "hello"),
      ])
  }

  @Test func aSentTextDoesNotComeBackAsADraft() {
    var stage = Stage.talking()
    stage.type("hello")
    stage.wait(300)
    stage.press("Enter", "Ctrl-N")
    var people = Stage.people
    people[0].draft = "hello"
    stage.take(.conversations(people, requests: []))
    stage.press("Ctrl-P")
    #expect(stage.state.draft.composer.isEmpty)
  }

  /// A room is open, with an own message selected, and a draft was begun.
  private func editing() -> Stage {
    var stage = Stage()
    let room = Stage.people[3].id
    stage.take(.conversations(Stage.people, requests: []))
    stage.take(.opened(conversation: room))
    stage.take(
      .page(conversation: room, before: nil, [Stage.message(1, "tpyo", own: true)], hasOlder: false))
    stage.type("half")
    stage.press("Tab", "Tab", "E")
    stage.forget()
    return stage
  }

  @Test func anEditLeavesTheDraft() throws {
    let room = Stage.people[3].id
    var stage = editing()
    #expect(stage.state.draft.composer.text == "tpyo")
    stage.type("!")
    stage.wait(300)
    stage.press("Ctrl-U")
    stage.type("typo")
    stage.press("Enter")
    let edit = UIEffect.edit(conversation: room, 1, text: "typo")
    #expect(stage.wanted() == [edit])
    #expect(stage.state.draft.composer.text == "half")
    stage.take(.failed(edit))
    #expect(stage.state.draft.editing == 1)
    #expect(stage.state.draft.composer.text == "typo")
    stage.press("Esc")
    #expect(stage.state.draft.composer.text == "half")
    stage.press("Enter")
    #expect(stage.wanted() == [.send(conversation: room, text: "half", answering: nil, files: [])])
  }

  @Test func anEditWithinAnEditLeavesTheDraft() {
    var stage = editing()
    stage.press("Tab", "Tab", "E", "Esc")
    #expect(stage.state.draft.editing == nil)
    #expect(stage.state.draft.composer.text == "half")
  }

  @Test func controlCClearsThenLeaves() {
    var stage = Stage.talking()
    stage.type("x")
    stage.press("Ctrl-C")
    #expect(stage.state.draft.composer.isEmpty)
    stage.press("Ctrl-C")
    #expect(stage.screen.contains("again to leave"))
    stage.wait(2000)
    stage.press("Ctrl-C")
    #expect(!stage.wanted().contains(.leaveProgram))
    stage.press("Ctrl-C")
    #expect(stage.wanted().contains(.leaveProgram))
  }
}

@Suite struct ComposerTests {
  private func composer(_ text: String, _ keys: String...) -> Composer {
    var composer = Composer(text)
    for key in keys { _ = composer.take(Key(key)!) }
    return composer
  }

  @Test(arguments: [
    ("one two", "Ctrl-W", "one "), ("one two", "Ctrl-U", ""), ("a\nb", "Ctrl-U", "a\n"),
    ("abc", "Backspace", "ab"),
    ("👩‍👩‍👧", "Backspace", ""), ("e\u{301}", "Backspace", ""),
  ])
  func keysRemove(text: String, key: String, left: String) { #expect(composer(text, key).text == left) }

  @Test func wordsAreStepped() {
    var text = composer("one two", "Ctrl-Left")
    text.insert("X")
    #expect(text.text == "one Xtwo")
    text = composer("one two", "Ctrl-A", "Alt-f")
    text.insert("X")
    #expect(text.text == "oneX two")
  }

  @Test func cutTextIsPutBack() {
    #expect(composer("one two", "Ctrl-W", "Ctrl-A", "Ctrl-Y").text == "twoone ")
  }

  @Test func changesAreUndoneAndRedone() {
    var text = Composer()
    for letter in ["a", "b", " ", "c"] { text.insert(letter) }
    text.undo()
    #expect(text.text == "ab ")
    text.undo()
    text.undo()
    #expect(text.text == "")
    text.redo()
    #expect(text.text == "ab")
  }

  @Test func stepsAreLimited() {
    var text = Composer()
    for _ in 0..<300 { text.insert(" ") }
    for _ in 0..<300 { text.undo() }
    #expect(text.text.count == 300 - Composer.maxSteps)
  }

  @Test func theTextIsLimited() {
    var text = Composer()
    text.insert(String(repeating: "x", count: Composer.maxCharacters + 5))
    text.insert("y")
    #expect(text.characters.count == Composer.maxCharacters)
  }

  @Test func rowsLeaveRoomForTheCursor() {
    let text = Composer("abcdef\nx")
    let (rows, x, y) = text.rows(columns: 4)
    #expect(rows.map { $0.map(\.cluster.text).joined() } == ["abc", "def", "x"])
    #expect((x, y) == (1, 2))
  }

  @Test func upAndDownKeepTheColumn() {
    var text = Composer("abcd\nef\nghij")
    let moved = [text.move(rows: -1, columns: 20), text.move(rows: -1, columns: 20)]
    #expect(moved == [true, true])
    #expect(text.cursor == 2)
    let isMoved = text.move(rows: -1, columns: 20)
    #expect(!isMoved)
  }

  @Test func aMarkJoinsItsLetter() {
    var text = Composer("e")
    text.insert("\u{301}")
    #expect(text.characters.count == 1)
    #expect(text.cursor == 1)
  }
}
