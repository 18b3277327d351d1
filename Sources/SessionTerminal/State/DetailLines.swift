/// The details of a message or a conversation, line by line.
enum DetailLines {
  static func of(
    _ message: ShownMessage?, _ conversation: ListedConversation?, _ calendar: LocalCalendar, now: Int64
  ) -> [(name: String, value: String)] {
    if let message {
      var lines = [
        ("from", message.author), ("sent", calendar.full(message.sentAt)), ("number", "#\(message.id)"),
        ("state", state(message.state)),
      ]
      if !message.authorID.isEmpty { lines.insert(("id", message.authorID), at: 1) }
      if let at = message.disappearsAt { lines.append(("disappears", calendar.full(at))) }
      if message.isEdited { lines.append(("edited", "yes")) }
      for reaction in message.reactions {
        lines.append((reaction.emoji, reaction.people.joined(separator: ", ")))
      }
      return lines
    }
    guard let conversation else { return [] }
    var lines = [("name", conversation.name), ("id", conversation.id)]
    if let timer = conversation.timer { lines.append(("messages disappear", timer)) }
    if conversation.isMuted { lines.append(("muted", "yes")) }
    if conversation.isPinned { lines.append(("pinned", "yes")) }
    if conversation.isBlocked { lines.append(("blocked", "yes")) }
    return lines
  }

  private static func state(_ state: ShownMessage.State) -> String {
    switch state {
    case .received: "received"
    case .sending: "sending"
    case .sent: "sent"
    case .read: "read"
    case .failed(let reason): "not sent: \(reason)"
    case .unsynced(let reason): "not on your other devices: \(reason)"
    }
  }
}
