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
        var deletion = AuthorDeletion()
        if let person = try transaction.person(key: key) {
          deletion = try visit.deleteAll(
            of: person, in: room, limit: WriteTransaction.deletionCount, transaction, caller)
        }
        guard deletion.isEmpty else { return .json([:], goesOn: deletion.goesOn) }
        // An answer that is none of a change keeps what a former transaction has done.
        var answer = CommunityAnswer(CommunityRefusal(404, "There is nothing of this person"))
        answer.isChange = false
        return answer
      }
    }
    write(.delete, "/rooms/all/{person}") { visit in
      _ = try visit.signer()
      let key = try visit.rules.persons.named(visit["person"]).key
      return { transaction, caller in
        guard let caller else { throw CommunityRefusal.unsigned }
        guard let person = try transaction.person(key: key) else {
          return .unchanged(["total": 0, "rooms": [:]])
        }
        var (sum, total, rooms): (AuthorDeletion, Int, [JSONValue.Member]) = (AuthorDeletion(), 0, [])
        for room in try transaction.rooms() {
          let rights = try transaction.rights(of: caller, in: room, visit.rules, now: visit.now)
          guard rights.isModerator || (caller.person.key == key && !rights.isBanned && rights.seesRoom) else {
            continue
          }
          let left = WriteTransaction.deletionCount - sum.messages - sum.others
          let deletion = try visit.deleteAll(of: person, in: room, limit: max(left, 0), transaction, caller)
          sum += deletion
          // The answer counts those of the transactions to come, too.
          var count = deletion.messages
          if deletion.goesOn { count += try transaction.messageCount(of: person.id, in: room.id) }
          guard count > 0 else { continue }
          total += count
          rooms.append(.init(room.token, .integer(Int64(count))))
        }
        let json: JSONValue = ["total": .integer(Int64(total)), "rooms": .object(rooms)]
        return sum.isEmpty ? .unchanged(json) : .json(json, goesOn: sum.goesOn)
      }
    }
  }
}

extension CommunityVisit {
  fileprivate func deleteAll(
    of person: PersonRow, in room: RoomRow, limit: Int, _ transaction: borrowing WriteTransaction,
    _ caller: CommunityCaller
  ) throws -> AuthorDeletion {
    let isOwn = person.id == caller.person.id
    let deletion = try transaction.deleteAll(
      of: person.id, in: room, by: caller.person.id,
      historyKept: isOwn ? rules.options.ownHistoryDays > 0 : rules.options.historyDays > 0, limit: limit,
      now: now)
    if !deletion.isEmpty, !isOwn {
      try transaction.log(
        "all deleted", room: room.id, by: caller, to: person.id, number: Int64(deletion.messages), now: now)
    }
    return deletion
  }
}
