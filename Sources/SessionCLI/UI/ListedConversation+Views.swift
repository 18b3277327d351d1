import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionTerminal

extension ListedConversation {
  /// A conversation as the list of the interface shows it.
  init(
    _ view: ConversationView, _ directory: Directory, group: GroupView?, room: RoomView?
  ) {
    self.init(id: view.id.description, kind: Kind(view.kind), name: Self.name(of: view, directory))
    if let last = view.last {
      var author: String?
      if case .message = last.kind, view.kind != .person || last.isOutgoing, view.kind != .noteToSelf {
        author = directory.name(last.author)
      }
      self.last = Last(author: author, text: last.briefText(directory), at: last.sentAt)
      if case .failed = last.state { hasFailed = true }
    }
    (unread, mentions) = (view.unreadMessages, view.unreadMentions)
    (isMarkedUnread, isPinned, isHidden) = (view.isMarkedUnread, view.isPinned, view.isHidden)
    isMuted = view.mutedUntil.map { $0 > Int64(MachineClock.wallMilliseconds) } ?? false
    (isBlocked, isRequest, isTyping) = (view.isBlocked, view.isRequest, view.isTyping)
    draft = view.draft
    timer = view.timer.map { TimeSpan(seconds: Int64($0.seconds)).text }
    warning = view.isBlocked ? "this contact is blocked" : group?.stateLine
    isAdmin = group?.isAdmin ?? room?.permissions.contains(.moderator) ?? false
  }

  private static func name(of view: ConversationView, _ directory: Directory) -> String {
    switch view.kind {
    case .noteToSelf: "Notes to yourself"
    case .person, .group: directory.name(view.id)
    case .community: view.name
    }
  }
}

extension ListedConversation.Kind {
  fileprivate init(_ kind: ConversationView.Kind) {
    self =
      switch kind {
      case .noteToSelf: .noteToSelf
      case .person: .person
      case .group: .group
      case .community: .room
      }
  }
}
