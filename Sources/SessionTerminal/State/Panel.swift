/// A box over the conversation: a list to choose from, sometimes with a line to type in.
package struct Panel: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case palette, help, requests, settings, network, scheduled, sendingLater
    case media(String)
    case safety(String)
    case search(in: String?)
    case reactions(of: Int64)
    case members(String)
    case saving(file: Int64)
    case attaching, timer, renaming, inviting, beginning
    case files([Int64])
    case question(Question)
    case pasted(String)
  }

  /// A question with a few answers.
  package enum Question: Hashable, Sendable {
    case delete(Int64, isOwn: Bool)
    case leaveGroup(String)
    case request(String)
    case member(String, ListedPerson)
    case block(String, isBlocked: Bool)
    /// What becomes of a scheduled message.
    case scheduled(Int64)
    /// Whether to join the room of a link.
    case join(String)
  }

  /// What choosing a row means.
  enum Choice: Hashable, Sendable {
    case nothing
    case action(UIAction)
    case conversation(String)
    case message(conversation: String, Int64)
    case effect(UIEffect)
    case emoji(String)
    case request(String)
    case person(ListedPerson)
    case setting(String, Bool)
    case file(Int64)
    case scheduled(Int64)
    case insert(String)
  }

  struct Row: Hashable, Sendable {
    var left: String
    var right = ""
    var choice: Choice
    /// True for rows of others' texts, whose beginning is no sign of ours.
    var style = Style()
  }

  let kind: Kind
  var title: String
  /// The line to type in; nil for none.
  var input: Composer?
  var rows: [Row] = []
  var cursor = 0
  var hint: String

  init(_ kind: Kind, title: String, input: Composer? = nil, rows: [Row] = [], hint: String) {
    (self.kind, self.title, self.input, self.rows, self.hint) = (kind, title, input, rows, hint)
  }

  mutating func move(_ step: Int) {
    guard !rows.isEmpty else { return }
    cursor = min(max(cursor + step, 0), rows.count - 1)
  }

  var chosen: Choice? { rows.indices.contains(cursor) ? rows[cursor].choice : nil }

  mutating func show(_ rows: [Row]) {
    self.rows = rows
    cursor = min(cursor, max(rows.count - 1, 0))
  }
}
