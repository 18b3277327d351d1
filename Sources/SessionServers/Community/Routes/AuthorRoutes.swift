import SessionBase
import SessionHTTP
import SessionStorage

extension RouteTable<CommunityRoute> {
  /// All messages of a person.
  mutating func addAuthors() {
    write(.delete, "/room/{room}/all/{person}") { visit in
      let key = try visit.rules.persons.named(visit["person"]).key
      return { transaction, caller in
        let (room, rights) = try visit.room(in: transaction, caller, needs: .member)
        guard let caller else { throw CommunityRefusal.unsigned }
        guard rights.isModerator || caller.person.key == key else {
          throw CommunityRefusal.forbidden("Permission denied")
        }
        let count = try visit.deleteAll(of: key, in: room, transaction, caller)
        guard count > 0 else { throw CommunityRefusal(404, "There is nothing of this person") }
        return .json([:], goesOn: count == WriteTransaction.deletionCount)
      }
    }
    write(.delete, "/rooms/all/{person}") { visit in
      _ = try visit.signer()
      let key = try visit.rules.persons.named(visit["person"]).key
      return { transaction, caller in
        guard let caller else { throw CommunityRefusal.unsigned }
        var (total, rooms): (Int, [JSONValue.Member]) = (0, [])
        for room in try transaction.rooms() {
          let rights = try transaction.rights(of: caller, in: room, visit.rules, now: visit.now)
          guard rights.isModerator || (caller.person.key == key && !rights.isBanned && rights.seesRoom) else {
            continue
          }
          let count = try visit.deleteAll(of: key, in: room, transaction, caller)
          guard count > 0 else { continue }
          total += count
          rooms.append(.init(room.token, .integer(Int64(count))))
        }
        return .json(["total": .integer(Int64(total)), "rooms": .object(rooms)])
      }
    }
  }
}

extension CommunityVisit {
  fileprivate func deleteAll(
    of key: [UInt8], in room: RoomRow, _ transaction: borrowing WriteTransaction, _ caller: CommunityCaller
  ) throws -> Int {
    guard let person = try transaction.person(key: key) else { return 0 }
    let isOwn = person.id == caller.person.id
    let count = try transaction.deleteAll(
      of: person.id, in: room, by: caller.person.id,
      historyKept: isOwn ? rules.options.ownHistoryDays > 0 : rules.options.historyDays > 0, now: now)
    if count > 0, !isOwn {
      try transaction.log(
        "all deleted", room: room.id, by: caller, to: person.id, number: Int64(count), now: now)
    }
    return count
  }
}
