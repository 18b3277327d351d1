/// What the interface wants done.
package enum UIEffect: Hashable, Sendable {
  // Reading
  case load(conversation: String, before: Int64?)
  case jump(conversation: String, to: Int64)
  case search(String, in: String?)
  case people(conversation: String)
  case settings
  case network
  case scheduled
  case media(conversation: String)
  case safetyNumber(conversation: String)

  // Changes of the account, which are made in their order.
  case send(conversation: String, text: String, answering: Int64?, files: [String])
  /// Sends it at a time, as the person wrote that.
  case schedule(conversation: String, text: String, answering: Int64?, files: [String], when: String)
  case cancelScheduled(Int64)
  case sendScheduled(Int64)
  /// Records that the person of a conversation sees the same digits.
  case verify(conversation: String, digits: String)
  case edit(conversation: String, Int64, text: String)
  case react(Int64, emoji: String, isWanted: Bool)
  case delete(Int64, forEveryone: Bool)
  case resend(Int64)
  case markRead(conversation: String, upTo: Int64?)
  case markUnread(conversation: String)
  case draft(conversation: String, text: String)
  case typing(conversation: String, Bool)
  case pin(conversation: String, Bool)
  case hide(conversation: String, Bool)
  /// Mutes for so many seconds; nil for no end, 0 to hear of it again.
  case mute(conversation: String, seconds: Int64?)
  case timer(conversation: String, seconds: UInt32?)
  case rename(conversation: String, String)
  case block(conversation: String, Bool)
  case answer(request: String, UIAnswer)
  case fetch(file: Int64)
  case save(file: Int64, path: String)
  case invite(conversation: String, who: String)
  case promote(conversation: String, person: String)
  case remove(conversation: String, person: String)
  case leave(conversation: String)
  case begin(with: String)
  case set(String, Bool)

  // The screen itself.
  case redraw
  case suspend
  case editText(String)
  case leaveProgram

  /// True for what is done in the order in which it was asked for.
  package var isChange: Bool {
    switch self {
    case .load, .jump, .search, .people, .settings, .network, .scheduled, .media, .safetyNumber, .redraw,
      .suspend, .editText, .leaveProgram:
      false
    default: true
    }
  }

  /// True for a change that, made twice, is the same as made once. Messages have keys, so that each is sent once.
  package var isRepeatable: Bool {
    switch self {
    case .send, .draft, .edit, .markRead: true
    default: false
    }
  }
}

/// The answer to a message request.
package enum UIAnswer: Hashable, Sendable {
  case accept, decline, block
}
