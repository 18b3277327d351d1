import SessionCore
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Pages for people without a client. They come last: a room must not hide another path.
  mutating func addPages() {
    read("/") { visit in
      { transaction, _ in
        guard visit.rules.options.showsIndex else { return .page(404, WebPages.notFound) }
        let rooms = try transaction.rooms().filter { $0.defaults.contains(.read) }
        return .page(200, WebPages.index(rooms.map { $0.forPages(visit.rules) }))
      }
    }
    read("/favicon.ico") { _ in { _, _ in CommunityAnswer(204) } }
    read("/static/room.css") { _ in { _, _ in .text(WebPages.style, "text/css; charset=utf-8") } }
    read("/static/room.js") { _ in { _, _ in .text(WebPages.script, "text/javascript; charset=utf-8") } }
    read("/r/{room}", resting: RestingRead.page(of:)) { visit in visit.page() }
    read("/r/{room}/recent.html", resting: RestingRead.newest(of:)) { visit in
      { transaction, _ in
        guard visit.rules.options.showsRecent, let room = try visit.publicRoom(in: transaction) else {
          return .page(404, WebPages.notFound)
        }
        return .shared(WebPages.recent(try transaction.posts(of: room)))
      }
    }
    read("/r/{room}/invite.svg") { visit in
      { transaction, _ in
        guard let code = try visit.inviteCode(in: transaction) else { return .page(404, WebPages.notFound) }
        return .text(code.svg, "image/svg+xml")
      }
    }
    read("/r/{room}/invite.png") { visit in
      { transaction, _ in
        guard let code = try visit.inviteCode(in: transaction) else { return .page(404, WebPages.notFound) }
        var answer = CommunityAnswer(200, .bytes(code.png))
        answer.headers["Content-Type"] = "image/png"
        return answer
      }
    }
    read("/{room}", resting: RestingRead.page(of:)) { visit in visit.page() }
  }
}

extension CommunityAnswer {
  fileprivate static func page(_ status: Int, _ html: String) -> CommunityAnswer {
    var answer = CommunityAnswer(status, .text(html))
    for (name, value) in WebPages.headers { answer.headers.append(name, value) }
    return answer
  }

  /// A page that everybody gets alike.
  fileprivate static func shared(_ html: String) -> CommunityAnswer {
    var answer = page(200, html)
    answer.audience = .everybody(but: [])
    return answer
  }

  fileprivate static func text(_ text: String, _ type: String) -> CommunityAnswer {
    var answer = CommunityAnswer(200, .text(text))
    answer.headers["Content-Type"] = type
    answer.headers["Content-Security-Policy"] = "default-src 'none'"
    return answer
  }
}

extension RestingRead {
  @Sendable fileprivate static func page(of visit: CommunityVisit) -> RestingRead? {
    visit.wantsObject ? nil : .page(room: RoomRow.folded(visit["room"]), isWhole: true)
  }

  @Sendable fileprivate static func newest(of visit: CommunityVisit) -> RestingRead? {
    .page(room: RoomRow.folded(visit["room"]), isWhole: false)
  }
}

extension CommunityVisit {
  /// The room of the path if everybody may read it.
  fileprivate func publicRoom(in transaction: borrowing ReadTransaction) throws(StorageError) -> RoomRow? {
    guard let room = try transaction.room(self["room"]), room.defaults.contains(.read) else { return nil }
    return room
  }

  /// Clients that ask for an object mean none of the pages.
  fileprivate var wantsObject: Bool { headers["Accept"]?.contains("application/json") == true }

  fileprivate func page() -> CommunityRoute.Reads {
    { transaction, _ in
      if wantsObject { throw CommunityRefusal.notFound }
      guard let room = try publicRoom(in: transaction) else { return .page(404, WebPages.notFound) }
      let posts = rules.options.showsRecent ? try transaction.posts(of: room) : nil
      return .shared(WebPages.room(room.forPages(rules), posts: posts))
    }
  }

  fileprivate func inviteCode(in transaction: borrowing ReadTransaction) throws(StorageError) -> InviteCode? {
    try publicRoom(in: transaction).flatMap { InviteCode(rules.link(to: $0.token)) }
  }
}

extension RoomRow {
  fileprivate func forPages(_ rules: CommunityRules) -> WebPages.Room {
    WebPages.Room(
      token: token, name: name, description: description, activeUsers: activeUsers, imageID: image,
      link: rules.link(to: token))
  }
}

extension Reading where Self: ~Copyable {
  /// The newest messages, as strangers see them, the newest one first.
  fileprivate func posts(of room: RoomRow) throws(StorageError) -> [WebPages.Post] {
    let reader = MessageReader(nil, RoomRights(allowed: .all))
    return try messages(of: room.id, limit: 50, for: reader).map { (message) throws(StorageError) in
      let time = try? MessageTime(milliseconds: UInt64(clamping: message.posted))
      let content = time.flatMap { time in message.text.flatMap { PostedText($0.bytes, postedAt: time) } }
      let reactions = message.reacted > 0 ? try reactions(to: message.id, reactors: 0, for: 0) : []
      return WebPages.Post(
        author: message.signer, postedAt: message.posted, content: content,
        reactions: reactions.map { ($0.emoji, $0.count) })
    }
  }
}
