import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// Pinned messages.
  mutating func addPins() {
    write(.post, "/room/{room}/pin/{number}") { visit in
      let number = try visit.number("number")
      return { transaction, caller in
        let (room, _) = try visit.room(in: transaction, caller, needs: .admin)
        guard let caller, let message = try transaction.message(number, of: room.id), !message.isWhisper,
          !message.isFiltered
        else { throw CommunityRefusal.noMessage }
        let limit = visit.rules.options.maxPins
        guard
          try transaction.pin(number, to: room.id, by: caller.person.id, limit: limit, now: visit.now)
        else { throw CommunityRefusal.invalid("The room has \(limit) pinned messages already") }
        let info = try transaction.touch(room: room.id)
        try transaction.log("pinned", room: room.id, by: caller, number: number, now: visit.now)
        return .json(["info_updates": .integer(info)])
      }
    }
    write(.post, "/room/{room}/unpin/all") { visit in
      { transaction, caller in
        let (count, info) = try visit.unpin(nil, in: transaction, caller)
        return .json(["unpinned": .integer(Int64(count)), "info_updates": .integer(info)])
      }
    }
    write(.post, "/room/{room}/unpin/{number}") { visit in
      let number = try visit.number("number")
      return { transaction, caller in
        let (count, info) = try visit.unpin(number, in: transaction, caller)
        return .json(["unpinned": .boolean(count > 0), "info_updates": .integer(info)])
      }
    }
  }
}

extension CommunityVisit {
  fileprivate func unpin(
    _ message: Int64?, in transaction: borrowing WriteTransaction, _ caller: CommunityCaller?
  ) throws -> (count: Int, info: Int64) {
    let (room, _) = try room(in: transaction, caller, needs: .admin)
    let count = try transaction.unpin(
      message, from: room.id, lifetime: rules.options.fileLifetime, now: now)
    guard count > 0 else { return (0, room.info) }
    try transaction.log("unpinned", room: room.id, by: caller, number: message, now: now)
    return (count, try transaction.touch(room: room.id))
  }
}
