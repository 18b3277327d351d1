import SeededNumbers
import Testing

@testable import SessionTerminal

/// Reading: what stands where, and what counts as read.
@Suite struct ConversationTests {
  private func many(_ count: Int, from first: Int64 = 1) -> [ShownMessage] {
    (0..<Int64(count)).map {
      Stage.message(first + $0, "message \(first + $0)", minutes: (first + $0) * 10 - 100_000)
    }
  }

  private func reading(_ count: Int = 100, rows: Int = 24, hasOlder: Bool = true) -> Stage {
    var stage = Stage(rows: rows)
    var people = Stage.people
    people[0].unread = 0
    stage.take(.conversations(people, requests: []))
    stage.press("Enter")
    stage.take(.page(conversation: Stage.bob, before: nil, many(count, from: 1001), hasOlder: hasOlder))
    stage.forget()
    return stage
  }

  private func bottom(_ stage: Stage) -> String {
    stage.screen.split(separator: "\n").last { $0.contains("message 1") }.map(String.init) ?? ""
  }

  @Test func theEndIsFollowed() {
    var stage = reading()
    #expect(bottom(stage).contains("message 1100"))
    stage.take(.changed(conversation: Stage.bob, Stage.message(1101, "message 1101", minutes: 1)))
    #expect(bottom(stage).contains("message 1101"))
  }

  @Test func linesThatAreBeingReadDoNotMove() {
    var stage = reading()
    stage.press("PgUp", "PgUp")
    let before = stage.screen.split(separator: "\n")[2..<10]
    stage.take(.changed(conversation: Stage.bob, Stage.message(1101, "message 1101", minutes: 1)))
    #expect(stage.screen.split(separator: "\n")[2..<10] == before)
    #expect(stage.screen.contains("↓ 1 new"))
    stage.take(.page(conversation: Stage.bob, before: 1001, many(60, from: 941), hasOlder: true))
    #expect(stage.screen.split(separator: "\n")[2..<10] == before)
  }

  @Test func aResizeKeepsTheBottomMessage() {
    var stage = reading()
    stage.press("PgUp", "PgUp")
    let message = bottom(stage).split(separator: "│").last.map { $0.split(separator: " ").prefix(2) }
    stage.take(.resize(ScreenSize(columns: 120, rows: 40)))
    stage.take(.resize(ScreenSize(columns: 80, rows: 24)))
    #expect(bottom(stage).split(separator: "│").last.map { $0.split(separator: " ").prefix(2) } == message)
  }

  @Test func scrollingUpAndDownComesBack() {
    var stage = reading()
    let end = stage.screen
    for _ in 0..<7 { stage.press("Alt-Up") }
    #expect(stage.screen != end)
    for _ in 0..<7 { stage.press("Alt-Down") }
    #expect(stage.screen == end)
  }

  @Test func olderMessagesAreFetchedBeforeTheyAreNeeded() {
    var stage = reading()
    for _ in 0..<30 { stage.press("PgUp") }
    #expect(stage.wanted() == [.load(conversation: Stage.bob, before: 1001)])
    #expect(stage.screen.contains("message 1001"))
    stage.take(.page(conversation: Stage.bob, before: 1001, many(60, from: 941), hasOlder: true))
    stage.press("PgUp")
    #expect(stage.screen.contains("message 1000"))
  }

  @Test func olderMessagesAreFetchedAgainAfterAFailure() {
    let load = UIEffect.load(conversation: Stage.bob, before: 1001)
    for event in [
      UIEvent.failed(load), .failed(.jump(conversation: Stage.bob, to: 5)),
      .page(conversation: Stage.bob, before: 77, many(5, from: 70), hasOlder: true),
    ] {
      var stage = reading()
      for _ in 0..<30 { stage.press("PgUp") }
      #expect(stage.wanted() == [load])
      stage.press("PgUp")
      #expect(stage.wanted() == [])
      stage.take(event)
      stage.press("PgUp")
      #expect(stage.wanted() == [load])
    }
  }

  @Test func aConversationOpensAtTheFirstUnreadMessage() {
    var stage = Stage()
    var people = Stage.people
    people[0].unread = 50
    stage.take(.conversations(people, requests: []))
    stage.press("Enter")
    stage.take(.page(conversation: Stage.bob, before: nil, many(100, from: 1001), hasOlder: true))
    #expect(stage.screen.contains(" 50 new "))
    #expect(stage.screen.contains("message 1051"))
    #expect(!stage.screen.contains("message 1050"))
  }

  @Test func messagesShownForASecondAreRead() {
    var stage = Stage.talking()
    #expect(stage.wanted() == [])
    stage.wait(999)
    #expect(stage.wanted() == [])
    stage.wait(1)
    #expect(stage.wanted() == [.markRead(conversation: Stage.bob, upTo: 5)])
    stage.wait(5000)
    #expect(stage.wanted() == [])
  }

  @Test func aMessageThatComesMeanwhileIsReadLater() {
    var stage = Stage.talking()
    stage.wait(900)
    stage.take(.changed(conversation: Stage.bob, Stage.message(6, "late", minutes: 2)))
    stage.wait(100)
    #expect(stage.wanted() == [.markRead(conversation: Stage.bob, upTo: 5)])
    stage.wait(999)
    #expect(stage.wanted() == [])
    stage.wait(1)
    #expect(stage.wanted() == [.markRead(conversation: Stage.bob, upTo: 6)])
  }

  @Test func messagesOffTheScreenAreNotRead() {
    let reached: (inout Stage) -> Void = { $0.take(.resize(ScreenSize(columns: 40, rows: 20))) }
    for hide: (inout Stage) -> Void in [
      {
        reached(&$0)
        $0.press("Esc")
      },
      {
        reached(&$0)
        $0.press("F1")
      },
      { $0.take(.resize(ScreenSize(columns: 80, rows: 5))) },
    ] {
      var stage = Stage.talking()
      hide(&stage)
      stage.wait(2000)
      #expect(stage.wanted() == [])
    }
    var stage = Stage.talking()
    reached(&stage)
    stage.wait(1000)
    #expect(stage.wanted() == [.markRead(conversation: Stage.bob, upTo: 5)])
  }

  @Test func nothingIsReadWithoutFocus() {
    var stage = Stage.talking()
    stage.take(.input(.focus(false)))
    stage.wait(10_000)
    #expect(stage.wanted() == [])
    stage.take(.input(.focus(true)))
    stage.wait(1000)
    #expect(stage.wanted() == [.markRead(conversation: Stage.bob, upTo: 5)])
  }

  @Test func onlyMessagesScrolledToAreRead() {
    var stage = Stage()
    var people = Stage.people
    people[0].unread = 50
    stage.take(.conversations(people, requests: []))
    stage.press("Enter")
    stage.take(.page(conversation: Stage.bob, before: nil, many(100, from: 1001), hasOlder: true))
    stage.forget()
    stage.wait(1000)
    guard case .markRead(Stage.bob, let last?)? = stage.wanted().first else {
      Issue.record("nothing was marked as read")
      return
    }
    #expect(1051..<1070 ~= last)
  }

  @Test func quotesLeadToTheirMessageAndBack() {
    var stage = Stage.talking()
    stage.press("Up", "Up", "Up", "Up")
    #expect(stage.state.open?.selection == 2)
    stage.press("Enter")
    #expect(stage.state.open?.selection == 1)
    stage.press("Ctrl-T")
    #expect(stage.state.focus == .composer)
  }

  @Test func aQuotedMessageThatIsFarAwayIsFetched() {
    var stage = reading()
    var quoting = Stage.message(1101, "see above", minutes: 1)
    quoting.quote = .init(id: 5, author: "Bob", text: "long ago")
    stage.take(.changed(conversation: Stage.bob, quoting))
    stage.press("Up", "Enter")
    #expect(stage.wanted() == [.jump(conversation: Stage.bob, to: 5)])
    stage.take(.place(conversation: Stage.bob, many(61, from: 1), hasOlder: false, hasNewer: true, at: 5))
    #expect(stage.state.open?.selection == 5)
    #expect(stage.screen.contains("message 5"))
    stage.press("End")
    #expect(stage.wanted() == [.load(conversation: Stage.bob, before: nil)])
  }

  @Test func whatDisappearsIsNotSelectedAnyMore() {
    var stage = Stage.talking()
    stage.press("Up", "Up")
    stage.take(.removed(conversation: Stage.bob, 4))
    #expect(stage.state.open?.selection == 5)
    for id in [Int64(1), 2, 3, 5] { stage.take(.removed(conversation: Stage.bob, id)) }
    #expect(stage.state.focus == .composer)
    #expect(stage.screen.contains("no messages yet"))
  }

  @Test func aConversationThatIsDeletedIsClosed() {
    var stage = Stage.talking()
    stage.take(.conversations(Array(Stage.people.dropFirst()), requests: []))
    #expect(stage.state.open == nil)
    #expect(stage.screen.contains("the conversation is gone"))
  }

  @Test func timesOfMessagesThatDisappearAreCounted() {
    var stage = Stage.talking()
    var message = Stage.message(6, "short-lived")
    message.disappearsAt = stage.state.now + 30_000
    stage.take(.changed(conversation: Stage.bob, message))
    #expect(stage.screen.contains("30 s left"))
    #expect(stage.state.nextTick.map { $0 <= stage.state.now + 1000 } == true)
    stage.wait(1000)
    #expect(stage.screen.contains("29 s left"))
  }

  @Test func nothingWakesAnIdleScreen() {
    var stage = Stage.talking()
    stage.wait(60_000)
    #expect(stage.state.nextTick == nil)
  }

  @Test func longMessagesAreFolded() {
    var stage = Stage.talking(rows: 60)
    let long = (1...100).map { "line \($0)" }.joined(separator: "\n")
    stage.take(.changed(conversation: Stage.bob, Stage.message(6, long, minutes: 2)))
    #expect(stage.screen.contains("line 30") && !stage.screen.contains("line 31"))
    stage.press("Up", "Space")
    #expect(stage.screen.contains("line 100") || stage.state.open?.unfolded == [6])
  }

  /// Whatever is done to a conversation, the view is drawn, and its bottom is a message that is there.
  @Test func noOrderOfEventsBreaksTheView() {
    var numbers = SeededGenerator(seed: 21)
    for _ in 0..<12 {
      var stage = reading(Int.random(in: 0...40, using: &numbers))
      for step in 0..<60 {
        switch Int.random(in: 0..<11, using: &numbers) {
        case 0: stage.press("PgUp")
        case 1: stage.press("PgDn")
        case 2: stage.press("Up")
        case 3: stage.press("Down")
        case 4: stage.press("Esc")
        case 5: stage.press("Home")
        case 6: stage.press("End")
        case 7:
          stage.take(
            .changed(
              conversation: Stage.bob, Stage.message(2000 + Int64(step), "new \(step)", minutes: Int64(step)))
          )
        case 8:
          if let id = stage.state.open?.messages.randomElement(using: &numbers)?.id {
            stage.take(.removed(conversation: Stage.bob, id))
          }
        case 9:
          stage.take(
            .resize(
              ScreenSize(
                columns: Int.random(in: 0...130, using: &numbers),
                rows: Int.random(in: 0...40, using: &numbers))))
        default: stage.press("Enter")
        }
        #expect(stage.state.drawn().size == stage.state.size)
        if let anchor = stage.state.open?.anchor {
          #expect(stage.state.open?.index(of: anchor.message) != nil)
        }
      }
    }
  }
}
