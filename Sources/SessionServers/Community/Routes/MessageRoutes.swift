import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// The messages of rooms.
  mutating func addMessages() {
    read("/room/{room}/messages/recent", resting: RestingRead.recent(of:)) { visit in
      try visit.page(before: nil)
    }
    read("/room/{room}/messages/before/{number}") { visit in
      try visit.page(before: try visit.number("number"))
    }
    read(CommunityRoute.changes, resting: RestingRead.changes(of:)) { visit in
      let (form, number) = (try visit.pageForm(), try visit.number("number"))
      return { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .read)
        visit.note(caller, in: room)
        let writer = MessageWriter(reader: MessageReader(caller, rights), reactors: form.reactors)
        let changes = try transaction.changes(
          of: room.id, since: number, withReactions: form.withReactions, limit: form.limit, for: writer.reader
        )
        var answer = try CommunityAnswer.page(of: changes) { try writer.object($0, in: transaction) }
        if !changes.isEmpty, room.sequence - number <= RememberedPages.maxChanges {
          answer.audience = try transaction.audience(
            ofChanges: changes, since: number, of: room.id, for: writer.reader)
        }
        return answer
      }
    }
    read("/room/{room}/message/{number}") { visit in
      let (number, reactors) = (try visit.number("number"), try visit.reactorCount())
      return { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .read)
        let writer = MessageWriter(reader: MessageReader(caller, rights), reactors: reactors)
        guard let message = try transaction.message(number, of: room.id, for: writer.reader) else {
          throw CommunityRefusal.noMessage
        }
        return .json(try writer.object(message, in: transaction))
      }
    }
    on(.post, "/room/{room}/message", .post(.post))
    on(.put, "/room/{room}/message/{number}", .post(.edit))
    write(.delete, "/room/{room}/message/{number}") { visit in try visit.deleteMessage() }
  }
}

extension CommunityVisit {
  /// The largest page of anything.
  static let maxPage = 256

  func pageSize() throws(CommunityRefusal) -> Int { try query("limit", 1...Self.maxPage, default: 100) }

  func reactorCount() throws(CommunityRefusal) -> Int { try query("reactors", 0...20, default: 4) }

  /// How the client wants a page of messages.
  func pageForm() throws(CommunityRefusal) -> PageForm {
    PageForm(
      limit: try pageSize(), reactors: try reactorCount(),
      withReactions: target[query: "t"]?.contains("r") ?? false)
  }

  /// The messages before one, or the newest ones for nil.
  fileprivate func page(before number: Int64?) throws -> CommunityRoute.Reads {
    let form = try pageForm()
    return { transaction, caller in
      let (room, rights) = try room(in: transaction, caller, needs: .read)
      note(caller, in: room)
      let writer = MessageWriter(reader: MessageReader(caller, rights), reactors: form.reactors)
      let messages = try transaction.messages(
        of: room.id, before: number ?? .max, limit: form.limit, for: writer.reader)
      var answer = try CommunityAnswer.page(of: messages) { try writer.object($0, in: transaction) }
      if number == nil {
        answer.audience = try transaction.audience(
          ofRecent: messages, of: room.id, limit: form.limit, for: writer.reader)
      }
      return answer
    }
  }
}
