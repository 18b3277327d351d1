import SessionCore

/// A reply to the author of a message that a filter caught.
struct FilterReply: Sendable {
  let text: String

  /// Fills in the template of an operator: `\@` mentions the author, `\p` is their name, or their id without one, `\r` the name
  /// of the room and `\t` its token, `\n` a line break, and `\\` a backslash.
  init(_ template: String, author: SessionID, name: String?, room: RoomRow) {
    var (text, isEscaped) = ("", false)
    for character in template {
      guard isEscaped else {
        if character == "\\" { isEscaped = true } else { text.append(character) }
        continue
      }
      isEscaped = false
      switch character {
      case "@": text += "@\(author)"
      case "p": text += name ?? "\(author)"
      case "r": text += room.name
      case "t": text += room.token
      case "n": text += "\n"
      case "\\": text += "\\"
      default: text += "\\\(character)"
      }
    }
    self.text = isEscaped ? text + "\\" : text
  }
}
