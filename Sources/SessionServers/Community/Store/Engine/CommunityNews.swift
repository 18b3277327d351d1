import SessionStorage

/// Tells which rows have changed.
protocol CommunityNews: Sendable {
  /// False while a change may happen without being told.
  var isComplete: Bool { get }

  /// The changes since the last call; nil for none. A change of this process appears before the call that
  /// made it returns.
  func fetch() -> ChangeSet?
}

extension Observation: CommunityNews {
  /// One process has the rows for itself.
  var isComplete: Bool { true }
}

extension ObservationCenter {
  /// What a server remembers of its rows.
  func observeCommunity() -> Observation {
    observe(
      ObservationKey(.communityRoom), ObservationKey(.communityPerson), ObservationKey(.communityLetters))
  }
}
