import SessionTerminal

/// An interface with 1,000 conversations, one of which is open at its newest messages.
struct Talk {
  private(set) var state: UIState
  private var now: Int64 = 1_795_442_525_000

  init(_ size: ScreenSize) {
    state = UIState(account: "alice", size: size, now: now, calendar: .universal)
    let time = now
    let listed = (0..<1000).map { number in
      ListedConversation(
        id: "person \(number)", kind: .person, name: "Person \(number)",
        last: .init(text: "the newest message of this conversation", at: time - Int64(number) * 60_000))
    }
    _ = state.take(.conversations(listed, requests: []), at: now)
    press("Enter")
    let messages = (0..<600).map { number in
      ShownMessage(
        id: Int64(number + 1), author: "Person 0", sentAt: time - Int64(600 - number) * 400_000,
        text:
          "Shall we meet at the station at noon, or rather in the evening? 👍 I am not sure yet; see https://example.org/map"
      )
    }
    _ = state.take(.page(conversation: "person 0", before: nil, messages, hasOlder: false), at: now)
  }

  mutating func press(_ name: String) {
    guard let key = Key(name) else { fatalError("no key \(name)") }
    _ = state.take(.input(.key(key)), at: now)
  }

  mutating func type(_ character: Character) {
    _ = state.take(.input(.key(Key(.character(character)))), at: now)
  }

  mutating func clear() { press("Ctrl-U") }

  mutating func scroll(up: Bool) { press(up ? "PgUp" : "PgDn") }

  /// Keeps the compiler from leaving out what is measured.
  @inline(never) static func use(_ number: Int) { if number < 0 { fatalError("there is no such number") } }
}
