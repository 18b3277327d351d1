import SessionStorage

// What rows are remembered of. Each transaction that changes one of them notes it, and what is remembered of it is
// forgotten with the commit, in this process and in all others on the same database.
extension ObservationKey {
  /// The row of a room; nil for all rooms.
  static func communityRoom(_ room: Int64?) -> ObservationKey {
    ObservationKey(.communityRoom, room.map { .row($0) })
  }

  /// What a person may do: a ban, a role, or what is special about them in a room.
  static func communityPerson(_ person: Int64) -> ObservationKey {
    ObservationKey(.communityPerson, .row(person))
  }

  /// The letters that a person has sent or received.
  static func communityLetters(_ person: Int64) -> ObservationKey {
    ObservationKey(.communityLetters, .row(person))
  }
}

extension ObservationKey.Topic {
  static let communityRoom = Self(rawValue: "room")
  static let communityPerson = Self(rawValue: "person")
  static let communityLetters = Self(rawValue: "letters")
}

extension WriteTransaction {
  /// Notes that the row of a room, or of all rooms for nil, has changed.
  func noteRoom(_ room: Int64?) { note(.updated, .communityRoom(room)) }

  /// Notes that the rights of a person have changed.
  func noteRights(of person: Int64) { note(.updated, .communityPerson(person)) }
}
