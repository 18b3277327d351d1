import Foundation
import Testing

@testable import SessionTerminal

/// An interface with people in it, and a clock that tests move.
struct Stage {
  /// Monday, 2026-11-23 14:02:05 in UTC.
  static let noon: Int64 = 1_795_442_525_000
  private static let bobID = "05" + String(repeating: "c3", count: 29) + "0091af"

  var state: UIState
  /// What the interface wanted since it was looked at last.
  private(set) var effects: [UIEffect] = []

  init(columns: Int = 80, rows: Int = 24) {
    state = UIState(
      account: "alice", size: ScreenSize(columns: columns, rows: rows), now: Self.noon, calendar: .universal)
  }

  static var people: [ListedConversation] {
    var bob = ListedConversation(
      id: bobID, kind: .person, name: "Bob Martin",
      last: .init(text: "See you at eight, then", at: noon - 4000))
    (bob.unread, bob.timer) = (2, "1h")
    var club = ListedConversation(
      id: "03" + String(repeating: "ab", count: 32), kind: .group, name: "Climbing",
      last: .init(author: "Eva", text: "the rope is packed\nand so am I", at: noon - 1_325_000))
    (club.unread, club.isAdmin) = (5, true)
    var carol = ListedConversation(
      id: "05" + String(repeating: "11", count: 32), kind: .person, name: "Carol",
      last: .init(text: "tomorrow", at: noon - 6_600_000))
    carol.isTyping = true
    var room = ListedConversation(
      id: "https://example.org/linux", kind: .room, name: "Linux room",
      last: .init(author: "dan", text: "@you: which kernel?", at: noon - 86_400_000))
    (room.unread, room.mentions) = (1, 1)
    var notes = ListedConversation(
      id: "05" + String(repeating: "aa", count: 32), kind: .noteToSelf, name: "Notes to yourself",
      last: .init(text: "disk of web1: 91 %", at: noon - 2 * 86_400_000))
    (notes.isMuted, notes.draft) = (true, "buy rope")
    return [bob, club, carol, room, notes]
  }

  static var request: ListedConversation {
    var stranger = ListedConversation(
      id: "05" + String(repeating: "66", count: 32), kind: .person, name: "Mallory",
      last: .init(text: "hello there", at: noon - 60_000))
    stranger.isRequest = true
    return stranger
  }

  static let bob = bobID
  static let club = "03" + String(repeating: "ab", count: 32)

  static func message(
    _ id: Int64, _ text: String, minutes: Int64 = 0, own: Bool = false, state: ShownMessage.State? = nil
  ) -> ShownMessage {
    ShownMessage(
      id: id, author: own ? "me" : "Bob", authorID: own ? "own" : bob, isOutgoing: own,
      sentAt: noon + minutes * 60_000,
      text: text, state: state ?? (own ? .sent : .received))
  }

  static var talk: [ShownMessage] {
    var first = message(1, "Shall we meet at the station?", minutes: -4)
    first.files = [.init(id: 7, name: "map.pdf", size: "182 kB", state: .here)]
    var answer = message(2, "At the clock, under the big board.", minutes: -3, own: true, state: .read)
    answer.quote = .init(id: 1, author: "Bob", text: "Shall we meet at the station?")
    answer.reactions = [.init(emoji: "👍", people: ["Bob"])]
    var going = message(5, "On my way", minutes: 1, own: true, state: .sending)
    going.files = [.init(id: 9, name: "photo.jpg", size: "2.3 MB", state: .moving)]
    return [first, answer, message(3, "Perfect."), message(4, "See you at eight, then"), going]
  }

  /// Bob's conversation is open, and its messages are here.
  static func talking(columns: Int = 80, rows: Int = 24) -> Stage {
    var stage = Stage(columns: columns, rows: rows)
    stage.take(.conversations(people, requests: [request]))
    stage.take(.connection(UIConnection(isReachable: true)))
    stage.press("Enter")
    stage.take(.page(conversation: bob, before: nil, talk, hasOlder: false))
    stage.forget()
    return stage
  }

  mutating func take(_ event: UIEvent) { effects += state.take(event, at: state.now) }

  mutating func press(_ names: String...) {
    for name in names {
      guard let key = Key(name) else {
        Issue.record("no key \(name)")
        continue
      }
      take(.input(.key(key)))
    }
  }

  mutating func type(_ text: String) {
    for character in text {
      take(.input(.key(character == "\n" ? Key("Ctrl-J")! : Key(.character(character)))))
    }
  }

  mutating func wait(_ milliseconds: Int64) { effects += state.take(.tick, at: state.now + milliseconds) }

  /// What the interface wanted, which is then forgotten.
  mutating func wanted() -> [UIEffect] {
    defer { effects = [] }
    // Typing is reported together with everything else.
    return effects.filter { if case .typing = $0 { false } else { true } }
  }

  mutating func forget() { effects = [] }

  var screen: String { state.drawn().text }
}

/// Compares a screen with the one that is kept: its text, and the styles of its cells as letters.
func expectScreen(_ stage: Stage, _ name: String, _ location: SourceLocation = #_sourceLocation) throws {
  let grid = stage.state.drawn()
  let letters: [Style.Role: Character] = [
    .text: ".", .dim: "d", .own: "o", .other: "p", .accent: "a", .failed: "f", .mention: "m", .link: "l",
    .border: "b",
    .hint: "h", .match: "x", .note: "n", .chosen: "c", .progress: "g", .code: "k",
  ]
  let styles = (0..<grid.size.rows).map { y in
    let row = (0..<grid.size.columns).map { x -> Character in
      let cell = grid[x, y]
      if cell.style.attributes.contains(.reversed) { return "#" }
      return cell.cluster == .space && cell.style.role == .text ? " " : letters[cell.style.role] ?? "?"
    }
    return String(String(row).reversed().drop { $0 == " " }.reversed()) + "\n"
  }.joined()
  let cursor = grid.cursor.map { "\($0.x),\($0.y)" } ?? "hidden"
  let text = grid.text + "cursor \(cursor)\n" + styles
  let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden/\(name)-\(grid.size.columns)x\(grid.size.rows).txt")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil { try Data(text.utf8).write(to: golden) }
  let pinned = (try? Data(contentsOf: golden)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  #expect(text == pinned, "the screen is another:\n\(text)", sourceLocation: location)
}
