/// What is being written in a conversation, and what goes with it.
struct Draft: Hashable, Sendable {
  var composer = Composer()
  /// The message that it answers.
  var answering: ShownMessage?
  /// The message whose text it replaces.
  var editing: Int64?
  /// The paths of files to send.
  var files: [String] = []

  var hasHead: Bool { answering != nil || editing != nil || !files.isEmpty }

  /// The most files of one message.
  static let maxFiles = 32
}
