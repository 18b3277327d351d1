import SessionCore

/// A call about the tags of conversations.
package enum TagCall: Codable, Hashable, Sendable {
  case add([String], to: Conversation.ID)
  case remove([String], from: Conversation.ID)
  case rename(String, to: String, emoji: String?)
  case delete(String)
}

extension TagCall {
  /// What was removed or renamed is not found again.
  var isRepeatable: Bool {
    if case .add = self { true } else { false }
  }
}
