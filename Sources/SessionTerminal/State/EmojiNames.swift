/// The emoji that reactions are chosen from by name.
enum EmojiNames {
  private static let all: [(emoji: String, name: String)] = [
    ("👍", "thumbs up yes"), ("❤️", "heart love"), ("😂", "laughing tears"), ("😮", "surprised"),
    ("😢", "sad crying"),
    ("🙏", "thanks please"), ("👎", "thumbs down no"), ("🎉", "party"), ("🔥", "fire"), ("👏", "clapping"),
    ("✅", "done check"),
    ("❌", "wrong cross"), ("😀", "smiling"), ("😊", "happy"), ("😉", "winking"), ("😍", "in love"),
    ("🤔", "thinking"),
    ("😎", "cool"), ("😡", "angry"), ("😱", "shocked"), ("😴", "sleeping"), ("🤝", "handshake agreed"),
    ("💪", "strong"),
    ("👀", "eyes looking"), ("🚀", "rocket"), ("☕", "coffee"), ("🍻", "beer"), ("🎂", "cake birthday"),
    ("🌞", "sun"),
    ("💔", "broken heart"), ("💯", "hundred"), ("🤷", "shrug"), ("🙈", "monkey"), ("🤣", "rolling laughing"),
    ("👋", "waving hello"),
    ("🥳", "celebrating"), ("😅", "sweating relief"), ("🫶", "heart hands"), ("🤯", "mind blown"), ("😇", "angel"),
  ]

  /// The emoji whose name has a text; any other emoji that was typed comes first.
  static func rows(matching text: String) -> [Panel.Row] {
    let wanted = text.lowercased()
    let named = all.filter { wanted.isEmpty || $0.name.contains(wanted) }.map {
      Panel.Row(left: "\($0.emoji)  \($0.name)", choice: .emoji($0.emoji))
    }
    guard text.count == 1, let scalar = text.unicodeScalars.first, scalar.properties.isEmoji,
      scalar.value > 0xFF
    else {
      return named
    }
    return [Panel.Row(left: text, choice: .emoji(text))] + named
  }
}
