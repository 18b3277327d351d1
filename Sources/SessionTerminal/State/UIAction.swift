/// An action of the interface. Each has a name, keys and an entry in the palette.
package enum UIAction: String, CaseIterable, Sendable {
  case palette, help, redraw, nextRegion, previousRegion, back, nextConversation, previousConversation,
    nextUnread
  case previousUnread, lastConversation, pageUp, pageDown, top, bottom, lineUp, lineDown, find, searchAll,
    attach, details
  case requests, settings, network, clear, leave, suspend, unreadFirst, filter, narrow, reply, react, quote,
    save, delete
  case edit, resend, markUnread, markRead, jumpToQuote, jumpBack, unfold, newLine, send, mute, pin, hide,
    timer, block
  case members, invite, rename, leaveGroup, listWider, listNarrower, externalEditor, begin, fetch
  case sendLater, scheduled, media, verify

  /// Where a key means an action.
  enum Context: Sendable {
    case everywhere, list, messages, composer
  }

  /// What the palette and the help call it.
  package var title: String {
    switch self {
    case .palette: "go to or do"
    case .help: "show the keys"
    case .redraw: "redraw the screen"
    case .nextRegion: "next region"
    case .previousRegion: "previous region"
    case .back: "go back"
    case .nextConversation: "next conversation"
    case .previousConversation: "previous conversation"
    case .nextUnread: "next unread conversation"
    case .previousUnread: "previous unread conversation"
    case .lastConversation: "last conversation"
    case .pageUp: "scroll a page up"
    case .pageDown: "scroll a page down"
    case .top: "go to the oldest message"
    case .bottom: "go to the newest message"
    case .lineUp: "scroll up"
    case .lineDown: "scroll down"
    case .find: "search in this conversation"
    case .searchAll: "search everywhere"
    case .attach: "send a file"
    case .details: "show or hide the details"
    case .requests: "show message requests"
    case .settings: "show the settings"
    case .network: "show the network"
    case .clear: "clear the text"
    case .leave: "leave"
    case .suspend: "suspend"
    case .unreadFirst: "list unread conversations first"
    case .filter: "filter the list"
    case .narrow: "narrow the list by name"
    case .reply: "reply"
    case .react: "add or remove a reaction"
    case .quote: "quote the text"
    case .save: "save a file"
    case .delete: "delete the message"
    case .edit: "edit the message"
    case .resend: "send a failed message again"
    case .markUnread: "mark as unread"
    case .markRead: "mark as read"
    case .jumpToQuote: "go to the quoted message"
    case .jumpBack: "jump back"
    case .unfold: "unfold a long message"
    case .newLine: "new line"
    case .send: "send"
    case .mute: "mute or unmute the conversation"
    case .pin: "pin or unpin the conversation"
    case .hide: "hide the conversation"
    case .timer: "set disappearing messages"
    case .block: "block or unblock the contact"
    case .members: "show the members"
    case .invite: "invite to the group"
    case .rename: "set a nickname, or rename the group"
    case .leaveGroup: "leave the group or room"
    case .listWider: "widen the list"
    case .listNarrower: "narrow the list's width"
    case .externalEditor: "write in the editor"
    case .begin: "start a conversation"
    case .fetch: "download a file"
    case .sendLater: "send later"
    case .scheduled: "show scheduled messages"
    case .media: "show the files of the conversation"
    case .verify: "compare the safety number"
    }
  }
}

/// The keys of the actions.
package struct KeyMap: Hashable, Sendable {
  private let keys: [UIAction.Context: [Key: UIAction]]
  /// In the order in which they are listed.
  private let listed: [(key: Key, action: UIAction, context: UIAction.Context)]

  package static let usual = KeyMap([
    (
      .everywhere,
      [
        ("Ctrl-K", .palette), ("F1", .help), ("Ctrl-L", .redraw), ("Tab", .nextRegion),
        ("Shift-Tab", .previousRegion),
        ("Esc", .back), ("Ctrl-N", .nextConversation), ("Ctrl-P", .previousConversation),
        ("Alt-n", .nextUnread),
        ("Alt-p", .previousUnread), ("Ctrl-^", .lastConversation), ("PgUp", .pageUp), ("PgDn", .pageDown),
        ("Alt-Up", .lineUp), ("Alt-Down", .lineDown), ("Ctrl-F", .find), ("Ctrl-G", .searchAll),
        ("Ctrl-O", .attach),
        ("Ctrl-D", .details), ("F3", .requests), ("F4", .settings), ("F9", .network), ("Ctrl-C", .clear),
        ("Ctrl-Q", .leave), ("Ctrl-Z", .suspend), ("Ctrl-R", .markRead), ("Ctrl-T", .jumpBack),
        ("Alt-<", .listNarrower), ("Alt->", .listWider), ("Ctrl-X", .externalEditor), ("Alt-s", .sendLater),
      ]
    ),
    (
      .list,
      [
        ("u", .unreadFirst), ("f", .filter), ("/", .narrow), ("n", .nextUnread), ("p", .previousUnread),
        ("m", .mute),
        ("Home", .top), ("End", .bottom), ("+", .begin),
      ]
    ),
    (
      .messages,
      [
        ("r", .reply), ("e", .react), ("Y", .quote), ("s", .save), ("v", .fetch), ("d", .delete),
        ("E", .edit),
        ("R", .resend), ("u", .markUnread), ("i", .details), ("Home", .top), ("End", .bottom),
        ("Enter", .jumpToQuote),
        ("Space", .unfold),
      ]
    ),
    (
      .composer,
      [
        ("Enter", .send), ("Ctrl-J", .newLine), ("Alt-Enter", .newLine), ("Shift-Enter", .newLine),
      ]
    ),
  ])

  private init(_ groups: [(UIAction.Context, [(String, UIAction)])]) {
    var (keys, listed) = (
      [UIAction.Context: [Key: UIAction]](), [(key: Key, action: UIAction, context: UIAction.Context)]()
    )
    for (context, bindings) in groups {
      for (name, action) in bindings {
        guard let key = Key(name) else { continue }
        keys[context, default: [:]][key] = action
        listed.append((key, action, context))
      }
    }
    (self.keys, self.listed) = (keys, listed)
  }

  func action(of key: Key, in context: UIAction.Context) -> UIAction? {
    keys[context]?[key] ?? keys[.everywhere]?[key]
  }

  /// The first key of an action that works somewhere; empty for none.
  func name(of action: UIAction) -> String { listed.first { $0.action == action }.map { "\($0.key)" } ?? "" }

  /// Each action with its keys, where they work.
  func entries(in context: UIAction.Context) -> [(keys: String, title: String)] {
    var seen: Set<UIAction> = []
    return listed.filter { $0.context == context }.compactMap { entry in
      guard seen.insert(entry.action).inserted else { return nil }
      let keys = listed.filter { $0.context == context && $0.action == entry.action }.map { "\($0.key)" }
      return (keys.joined(separator: ", "), entry.action.title)
    }
  }

  package static func == (a: KeyMap, b: KeyMap) -> Bool { a.keys == b.keys }
  package func hash(into hasher: inout Hasher) { hasher.combine(keys.count) }
}
