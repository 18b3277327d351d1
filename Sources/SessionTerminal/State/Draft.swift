/// What is being written in a conversation, and what goes with it.
struct Draft: Hashable, Sendable {
  var composer = Composer()
  /// The message that it answers.
  var answering: ShownMessage?
  /// The message whose text it replaces.
  var editing: Int64?
  /// Where its text is from, if not from the person.
  var note: String?
  /// The paths of files to send.
  var files: [String] = []
  /// What was being written before an edit began; at most one.
  private(set) var before: [Draft] = []

  /// The message that has not been sent: during an edit, the one that was being written before.
  var unsent: Draft { editing == nil ? self : before.first ?? Draft() }

  /// The draft of an edit, which keeps the unsent message.
  func editing(_ message: Int64, _ text: String) -> Draft {
    var draft = Draft(composer: Composer(text), editing: message)
    draft.before = [unsent]
    return draft
  }

  /// Puts what could not be sent before what has been written since.
  mutating func putBack(_ text: String, answering message: ShownMessage?, _ paths: [String]) {
    guard editing == nil else {
      var unsent = unsent
      unsent.putBack(text, answering: message, paths)
      before = [unsent]
      return
    }
    let parts = [text, composer.text].filter { !$0.isEmpty }
    composer.replace(with: parts.joined(separator: "\n"))
    answering = answering ?? message
    files = paths + files
  }

  /// Has the message that has not been sent reply to another one.
  mutating func reply(to message: ShownMessage?) {
    guard editing == nil else {
      before[0].answering = message
      return
    }
    answering = message
  }

  var hasHead: Bool { note != nil || isMoreThanText }
  /// True for what Esc takes away before it leaves the text.
  var isMoreThanText: Bool { answering != nil || editing != nil || !files.isEmpty }

  /// The most files of one message.
  static let maxFiles = 32
}
