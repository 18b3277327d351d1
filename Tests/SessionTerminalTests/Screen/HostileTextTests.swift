import SeededNumbers
import Testing

@testable import SessionTerminal

/// Whatever others write, only our own sequences and printable text reach the terminal.
@Suite struct HostileTextTests {
  private static let nasty = [
    "a" + String(repeating: "\u{301}", count: 2000), String(repeating: "\u{200D}", count: 500),
    String(repeating: "x\n", count: 10_000), String(repeating: "日", count: 2000),
    "abc שלום 123 עולם \u{202E}evil",
    "\u{1B}]52;c;ZXZpbA==\u{7}", "\u{1B}[21t\u{9B}21t", "real\rfake", "a\u{C}b\u{8}\u{8}c", "\t\t\t\t",
    "https://user:pw@example.org@evil.example", "https://a\u{2024}b", "```\nno end",
    "\u{FFF9}a\u{FFFA}b\u{FFFB}",
    "\u{E0041}\u{E0042}", "🏴\u{E0067}\u{E0062}\u{E007F}", "👩🏽‍❤️‍💋‍👨🏿", "\u{0}\u{1}\u{1F}\u{7F}\u{80}\u{9F}",
    "\u{2028}\u{2029}",
    "Z" + String(repeating: "\u{20DD}", count: 40), "\u{1B}P+q544e\u{1B}\\", "\u{1B}[?1049l\u{1B}c", " ", "",
    "me", "alice (verified)", "*club", "#room", "Bob  2", String(repeating: "w", count: 300),
  ]

  @Test(arguments: [(20, 6), (33, 9), (80, 24), (130, 40)])
  func noScreenHasASequenceOfOthers(columns: Int, rows: Int) {
    var stage = Stage(columns: columns, rows: rows)
    let writer = GridWriter(theme: Theme(.dark), depth: .all)
    var (model, shown) = (TerminalModel(stage.state.size), Grid?.none)
    func look() {
      let grid = stage.state.drawn()
      model.take(writer.bytes(from: shown, to: grid))
      shown = grid
      #expect(model.unknown == [])
      #expect(model.text == grid.text)
    }
    stage.take(
      .conversations(
        Self.nasty.enumerated().map { index, text in
          var listed = ListedConversation(
            id: "\(index)", kind: index % 3 == 0 ? .group : .person, name: text,
            last: .init(author: text, text: text, at: Stage.noon))
          (listed.draft, listed.timer) = (index % 5 == 0 ? text : nil, text)
          return listed
        },
        requests: [
          ListedConversation(
            id: "r", kind: .person, name: Self.nasty[5], last: .init(text: Self.nasty[6], at: 0))
        ]))
    look()
    stage.press("Enter")
    stage.take(.page(conversation: stage.state.open?.id ?? "", before: nil, messages, hasOlder: false))
    look()
    for _ in 0..<Self.nasty.count {
      stage.press("Up")
      look()
    }
    for key in ["r", "Esc", "Ctrl-K", "Esc", "F3", "Esc", "Ctrl-D", "Esc", "F1"] {
      stage.press(key)
      look()
    }
  }

  private var messages: [ShownMessage] {
    Self.nasty.enumerated().map { index, text in
      var message = ShownMessage(
        id: Int64(index + 1), author: text, authorID: text, isOutgoing: index % 4 == 0, sentAt: Stage.noon,
        text: text,
        state: index % 2 == 0 ? .failed(text) : .unsynced(text))
      message.quote = .init(id: nil, author: text, text: text)
      message.reactions = [.init(emoji: text, people: [text], others: 3)]
      message.files = [.init(id: 1, name: text, size: "1 B", state: .here, caption: text)]
      (message.linkTitle, message.whisper, message.changeFailure) = (text, text, text)
      return message
    }
  }

  @Test func noticesAndPastesAreCleanedToo() {
    var stage = Stage.talking()
    let writer = GridWriter(theme: Theme(.dark), depth: .all)
    for text in Self.nasty {
      stage.take(.notice(text, isFailure: true))
      stage.take(.input(.paste(String(text.prefix(100)), isCut: false)))
      var model = TerminalModel(stage.state.size)
      model.take(writer.bytes(from: nil, to: stage.state.drawn()))
      #expect(model.unknown == [])
      stage.press("Esc")
    }
  }
}
