import Testing

@testable import SessionTerminal

/// The list, and what stands over it.
@Suite struct ListTests {
  private func stage() -> Stage {
    var stage = Stage()
    stage.take(.conversations(Stage.people, requests: [Stage.request]))
    return stage
  }

  private func names(_ stage: Stage) -> [String] { stage.state.listed.map(\.name) }

  @Test func theListIsNotReorderedUnderTheCursor() {
    var stage = stage()
    stage.press("Down")
    var people = Stage.people
    people.swapAt(0, 2)
    stage.take(.conversations(people, requests: []))
    #expect(names(stage).first == "Bob Martin")
    stage.wait(3000)
    #expect(names(stage).first == "Carol")
    #expect(stage.state.listCursor == Stage.club)
  }

  @Test func pinnedConversationsComeFirst() {
    var people = Stage.people
    people[3].isPinned = true
    var stage = Stage()
    stage.take(.conversations(people, requests: []))
    #expect(names(stage).first == "Linux room")
  }

  @Test func unreadConversationsCanComeFirst() {
    var people = Stage.people
    people[0].unread = 0
    var stage = Stage()
    stage.take(.conversations(people, requests: []))
    stage.press("u")
    #expect(names(stage).prefix(2) == ["Climbing", "Linux room"])
  }

  @Test func filtersShowOneKind() {
    var stage = stage()
    stage.press("f")
    #expect(names(stage) == ["Bob Martin", "Climbing", "Linux room"])
    stage.press("f")
    #expect(names(stage) == ["Linux room"])
    stage.press("Esc")
    #expect(names(stage).count == 5)
  }

  @Test func typingNarrowsByName() {
    var stage = stage()
    stage.press("/")
    stage.type("cl")
    #expect(names(stage) == ["Climbing"])
    stage.press("Enter")
    #expect(stage.state.open?.id == Stage.club)
    #expect(names(stage).count == 5)
  }

  @Test func theNextUnreadConversationIsFound() {
    var stage = Stage.talking()
    stage.press("Alt-n")
    #expect(stage.state.open?.id == Stage.club)
    stage.press("Alt-n")
    #expect(stage.state.open?.id == "https://example.org/linux")
  }

  @Test func digitsOpenTheFirstNine() {
    var stage = stage()
    stage.press("Alt-2")
    #expect(stage.state.open?.id == Stage.club)
  }

  @Test func clicksOpen() throws {
    var stage = stage()
    stage.take(.input(.mouse(Mouse(.press, x: 5, y: 4))))
    #expect(stage.state.listCursor == Stage.club)
    stage.take(.input(.mouse(Mouse(.press, x: 5, y: 5))))
    #expect(stage.state.open?.id == Stage.club)
    stage.take(.input(.mouse(Mouse(.press, x: 900, y: 900))))
  }

  @Test func theBorderIsDragged() {
    var stage = stage()
    stage.take(.input(.mouse(Mouse(.drag, x: 32, y: 5))))
    #expect(stage.state.listWidth == 32)
    stage.take(.input(.mouse(Mouse(.drag, x: 70, y: 5))))
    #expect(stage.state.listWidth == 32)
  }

  @Test func thePaletteDoesWhatItNames() {
    var stage = Stage.talking()
    stage.press("Ctrl-K")
    stage.type("unmute")
    stage.press("Enter")
    #expect(stage.wanted() == [.mute(conversation: Stage.bob, seconds: nil)])
  }

  @Test func keysOfTheListMeanTheConversationUnderTheCursor() {
    var stage = Stage.talking()
    stage.press("Esc", "Down", "m")
    #expect(stage.wanted() == [.mute(conversation: Stage.club, seconds: nil)])
  }

  @Test func thePaletteFindsConversations() {
    var stage = Stage.talking()
    stage.press("Ctrl-K")
    stage.type("linux")
    stage.press("Enter")
    #expect(stage.state.open?.id == "https://example.org/linux")
  }

  @Test func everyActionHasATitleOfItsOwn() {
    #expect(Set(UIAction.allCases.map(\.title)).count == UIAction.allCases.count)
  }

  @Test func requestsAreAnswered() {
    var stage = stage()
    stage.press("F3", "Enter", "Down", "Enter")
    #expect(stage.wanted().last == .answer(request: Stage.request.id, .accept))
  }

  @Test func aSearchShowsOnlyTheAnswerToItsWords() {
    var stage = Stage.talking()
    let hit = SearchHit(conversation: Stage.bob, name: "Bob Martin", message: Stage.talk[2])
    stage.press("Ctrl-G")
    stage.type("per")
    stage.take(.found(query: "pe", in: nil, [hit]))
    #expect(!stage.screen.contains("Bob Martin: Perfect."))
    stage.take(.found(query: "per", in: nil, [hit]))
    #expect(stage.screen.contains("Bob Martin: Perfect."))
    stage.press("Enter")
    #expect(stage.state.open?.selection == 3)
  }

  @Test func membersAreManagedByAdmins() {
    var stage = Stage.talking()
    stage.press("Ctrl-N", "Ctrl-K")
    stage.type("members")
    stage.press("Enter")
    #expect(stage.wanted().last == .people(conversation: Stage.club))
    stage.take(.people(conversation: Stage.club, [ListedPerson(id: "05eva", name: "Eva", role: "admin")]))
    stage.press("Enter", "Down", "Down", "Enter")
    #expect(stage.wanted() == [.remove(conversation: Stage.club, person: "05eva")])
  }

  @Test func settingsAreTurned() {
    var stage = stage()
    stage.press("F4")
    stage.take(.settings([ListedSetting(name: "typing", summary: "tell", value: false)]))
    stage.press("Enter")
    #expect(stage.wanted() == [.settings, .set("typing", true), .settings])
  }

  @Test(arguments: [
    ("5m", 300), ("12h", 43_200), ("2w", 1_209_600), ("off", 0), ("3w", nil), ("5", nil), ("0m", nil),
    ("99999999999w", nil),
  ])
  func timersAreTimesOfUpToTwoWeeks(text: String, seconds: UInt32?) {
    #expect(UIState.seconds(text) == seconds)
  }

  @Test func aTimerThatIsNoneIsAskedForAgain() {
    var stage = Stage.talking()
    stage.press("Ctrl-K")
    stage.type("disappearing")
    stage.press("Enter")
    stage.type("soon")
    stage.press("Enter")
    #expect(stage.wanted() == [])
    stage.press("Ctrl-U")
    stage.type("1d")
    stage.press("Enter")
    #expect(stage.wanted() == [.timer(conversation: Stage.bob, seconds: 86_400)])
  }

  @Test func aBrokenConnectionIsShown() {
    var stage = Stage.talking()
    stage.take(.holder(isThere: false))
    #expect(stage.screen.contains("reconnecting…"))
    stage.take(.holder(isThere: true))
    stage.take(.connection(UIConnection(isReachable: false, waiting: 3)))
    #expect(stage.screen.contains("no network  3 waiting"))
  }
}
