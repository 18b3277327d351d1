/// What happens to the interface.
package enum UIEvent: Sendable {
  case input(InputEvent)
  case resize(ScreenSize)
  /// Time has passed.
  case tick

  // What the account says.
  case conversations([ListedConversation], requests: [ListedConversation])
  /// Messages before a place, oldest first, or the newest ones.
  case page(conversation: String, before: Int64?, [ShownMessage], hasOlder: Bool)
  /// Messages around one that was jumped to.
  case place(conversation: String, [ShownMessage], hasOlder: Bool, hasNewer: Bool, at: Int64)
  /// Messages around those that are looked at, which stay where they are.
  case around(conversation: String, [ShownMessage], hasOlder: Bool, hasNewer: Bool)
  case changed(conversation: String, ShownMessage)
  case removed(conversation: String, Int64)
  case typing(conversation: String, Bool)
  /// What the draft of a conversation that was opened has beside its text: the message that it replies to, and what is to
  /// be said of files that only another program can send.
  case draft(conversation: String, answering: ShownMessage?, note: String?)
  case transfer(file: Int64, share: Double)
  case connection(UIConnection)
  /// A conversation that was asked for: it is opened, whether the list has it or not.
  case opened(conversation: String)
  /// A conversation that a link names: it is opened, with the text of the link as what may be sent.
  case linked(conversation: String, LinkedText)
  /// A room that a link names, and what is known of it: the person decides whether to join it. What is known later is shown
  /// only if the question still stands.
  case offered(link: String, lines: [String], isMore: Bool)
  case found(query: String, in: String?, [SearchHit])
  case people(conversation: String, [ListedPerson])
  case settings([ListedSetting])
  case scheduled([ListedScheduled])
  /// Files of a conversation, the newest first.
  case media(conversation: String, [ListedFile])
  case safetyNumber(conversation: String, SafetyNumbers)
  case network([NetworkRoute], lines: [String])
  /// The connection to the program that holds the account is there, or not.
  case holder(isThere: Bool)
  case notice(String, isFailure: Bool)
  /// Something could not be done: a text in it comes back.
  case failed(UIEffect)
  case end
}

/// The text of a link, and what is to be said of it.
package struct LinkedText: Hashable, Sendable {
  package var text: String
  /// Where it is from.
  package var note: String
  /// What sending it would do, if a person may not expect that.
  package var warning: String?
  /// True if the account keeps a draft of the conversation, whether the list has it or not.
  package var hasDraft: Bool

  package init(_ text: String, note: String, warning: String? = nil, hasDraft: Bool = false) {
    (self.text, self.note, self.warning, self.hasDraft) = (text, note, warning, hasDraft)
  }
}

/// The state of the network.
package struct UIConnection: Hashable, Sendable {
  package var isReachable: Bool
  /// The number of own messages that are on their way.
  package var waiting: Int

  package init(isReachable: Bool, waiting: Int = 0) {
    (self.isReachable, self.waiting) = (isReachable, waiting)
  }
}

package struct SearchHit: Hashable, Sendable {
  package var conversation: String
  package var name: String
  package var message: ShownMessage

  package init(conversation: String, name: String, message: ShownMessage) {
    (self.conversation, self.name, self.message) = (conversation, name, message)
  }
}

/// A member of a group, or a moderator of a room.
package struct ListedPerson: Hashable, Sendable {
  package var id: String
  package var name: String
  package var role: String

  package init(id: String, name: String, role: String) { (self.id, self.name, self.role) = (id, name, role) }
}

/// A message that is sent later.
package struct ListedScheduled: Hashable, Sendable {
  package var id: Int64
  package var name: String
  package var when: String
  package var text: String
  /// Why it does not wait any more; nil while it does.
  package var state: String?

  package init(id: Int64, name: String, when: String, text: String, state: String?) {
    (self.id, self.name, self.when, self.text, self.state) = (id, name, when, text, state)
  }
}

/// A file of a conversation.
package struct ListedFile: Hashable, Sendable {
  package var message: Int64
  package var name: String
  /// Its size, its author and when it was sent.
  package var detail: String

  package init(message: Int64, name: String, detail: String) {
    (self.message, self.name, self.detail) = (message, name, detail)
  }
}

/// The digits that both sides of a conversation compare.
package struct SafetyNumbers: Hashable, Sendable {
  package var name: String
  /// One for each possibility of which devices belong to the person; of several, only one can be right.
  package var digits: [String]
  package var isVerified: Bool

  package init(name: String, digits: [String], isVerified: Bool) {
    (self.name, self.digits, self.isVerified) = (name, digits, isVerified)
  }
}

/// A setting that is on or off.
package struct ListedSetting: Hashable, Sendable {
  package var name: String
  package var summary: String
  /// Nil while it is undecided.
  package var value: Bool?

  package init(name: String, summary: String, value: Bool?) {
    (self.name, self.summary, self.value) = (name, summary, value)
  }
}

/// A path of requests through the network.
package struct NetworkRoute: Hashable, Sendable {
  package var purpose: String
  /// The addresses of its nodes, the guard first.
  package var nodes: [String]
  package var end: String

  package init(purpose: String, nodes: [String], end: String) {
    (self.purpose, self.nodes, self.end) = (purpose, nodes, end)
  }
}
