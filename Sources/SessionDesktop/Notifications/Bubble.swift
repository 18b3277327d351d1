internal import SessionBase

/// A notification as a server shows it.
package struct Bubble: Hashable, Sendable {
  package struct Action: Hashable, Sendable {
    package let key: String
    package let label: String

    package init(_ key: String, _ label: String) { (self.key, self.label) = (key, label) }

    /// What a click on the notification itself does.
    package static let open = Action("default", "Open")
    /// An answer that is written in the notification.
    package static let reply = Action("inline-reply", "Reply")
    /// An answer that is written in a terminal.
    package static let compose = Action("reply", "Reply")
    package static let read = Action("read", "Mark as read")
    package static let accept = Action("accept", "Accept")
    package static let decline = Action("decline", "Decline")
    package static let block = Action("block", "Block")
    package static let resend = Action("resend", "Send again")
  }

  package enum Urgency: UInt8, Sendable {
    case low
    case normal
    /// It breaks through a server's do-not-disturb.
    case critical
  }

  package var text: NoticeText
  package var actions: [Action] = []
  package var category = "im.received"
  package var urgency = Urgency.normal
  package var hasSound = true
  /// True if servers need not keep it.
  package var isTransient = false

  package init(_ text: NoticeText) { self.text = text }

  /// The arguments of `Notify` behind the number of the notification that it replaces.
  func values(for server: NotificationServer.Abilities) -> [BusValue] {
    let body = server.hasMarkup ? text.body.escapedHTML : text.body
    let actions = server.hasActions ? actions.filter { $0 != .reply || server.hasReplies } : []
    var hints: [(String, BusValue)] = [
      ("desktop-entry", .string(ApplicationID.name)), ("category", .string(category)),
      ("urgency", .byte(urgency.rawValue)), ("suppress-sound", .boolean(!hasSound)),
    ]
    if hasSound { hints.append(("sound-name", .string("message-new-instant"))) }
    if isTransient { hints.append(("transient", .boolean(true))) }
    if actions.contains(.reply) {
      hints.append(("x-kde-reply-placeholder-text", .string("Reply")))
      hints.append(("x-kde-reply-submit-button-text", .string("Send")))
    }
    return [
      .string(ApplicationID.name), .string(text.title), .string(body),
      .array(of: "s", actions.flatMap { [.string($0.key), .string($0.label)] }), .options(hints), .int32(-1),
    ]
  }
}
