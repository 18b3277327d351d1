/// The conversation that is shown: some of its messages, and the place that is looked at.
package struct OpenConversation: Hashable, Sendable {
  package let id: String
  /// Oldest first.
  package internal(set) var messages: [ShownMessage] = []
  var hasOlder = true
  /// True while newer messages than those here exist, after a jump.
  var hasNewer = false
  var isLoading = true
  /// What is at the bottom of the view: a row of a message; nil for the end, which follows what comes.
  var anchor: Anchor?
  /// The selected message.
  var selection: Int64?
  /// The first message that was unread when the conversation was opened.
  var firstUnread: Int64?
  var unfolded: Set<Int64> = []
  /// The places before jumps.
  var jumps: [Anchor?] = []
  var isTyping = false
  /// The newest message that was marked as read.
  var readUpTo: Int64?
  /// The messages that came while something else was looked at.
  var newCount = 0

  struct Anchor: Hashable, Sendable {
    let message: Int64
    /// The rows of the message that are above the bottom of the view, from 1.
    let rows: Int
  }

  /// The most messages that are kept.
  static let window = 600
  static let maxJumps = 50

  init(id: String) { self.id = id }

  var isAtEnd: Bool { anchor == nil && !hasNewer }

  func index(of id: Int64) -> Int? { messages.firstIndex { $0.id == id } }

  var selected: ShownMessage? { selection.flatMap { id in messages.first { $0.id == id } } }

  /// Adds older messages, and forgets the newest where that is too many.
  mutating func prepend(_ older: [ShownMessage], hasOlder: Bool) {
    let known = Set(messages.map(\.id))
    messages = older.filter { !known.contains($0.id) } + messages
    self.hasOlder = hasOlder
    if messages.count > Self.window {
      messages.removeLast(messages.count - Self.window)
      hasNewer = true
    }
  }

  /// Takes the messages around those that are looked at, which were read again.
  mutating func replace(_ messages: [ShownMessage], hasOlder: Bool, hasNewer: Bool) {
    (self.messages, self.hasOlder, self.hasNewer, isLoading) = (messages, hasOlder, hasNewer, false)
    let known = Set(messages.map(\.id))
    // What is gone meanwhile is looked at no longer.
    if let place = anchor?.message, !known.contains(place) { anchor = nil }
    if let place = selection, !known.contains(place) { selection = nil }
  }

  /// Takes a message that is new or has changed.
  mutating func take(_ message: ShownMessage) {
    if let index = index(of: message.id) {
      messages[index] = message
      return
    }
    // What lies between is not here.
    guard !hasNewer else {
      newCount += 1
      return
    }
    let place = messages.lastIndex { ($0.sentAt, $0.id) < (message.sentAt, message.id) }.map { $0 + 1 } ?? 0
    // It belongs to an older page.
    guard place > 0 || messages.isEmpty || !hasOlder else { return }
    messages.insert(message, at: place)
    if anchor != nil, place == messages.count - 1, !message.isOutgoing { newCount += 1 }
    if messages.count > Self.window, anchor == nil {
      messages.removeFirst(messages.count - Self.window)
      hasOlder = true
    }
  }

  mutating func remove(_ id: Int64) {
    guard let index = index(of: id) else { return }
    messages.remove(at: index)
    let next = messages.indices.contains(index) ? messages[index].id : messages.last?.id
    if selection == id { selection = next }
    if anchor?.message == id { anchor = next.map { Anchor(message: $0, rows: 1) } }
    if firstUnread == id { firstUnread = next }
  }
}
