import Synchronization

/// The state of the members of a swarm in this process, apart from their cursors. Times are in milliseconds.
final class SwarmMembers: Sendable {
  /// How long a member that lacks messages is polled last.
  static let lag: Int64 = 3_600_000
  /// How often the replies of a member are compared with those of others.
  static let comparison: Int64 = 600_000

  private struct State {
    /// The members that lack messages, and until when they are polled last.
    var laggards: [String: Int64] = [:]
    var comparedAt: [String: Int64] = [:]
    /// The members that had nothing, since something is missing that would otherwise be there.
    var witnesses: Set<String> = []
    /// The member that is being read from the beginning.
    var fullyRead: String?
    var wasQuiet = false
  }

  private let state = Mutex(State())
}

// MARK: - Members that lack messages

extension SwarmMembers {
  /// The members that lack messages of others.
  func laggards(at now: Int64) -> Set<String> {
    state.withLock { state in
      state.laggards = state.laggards.filter { $0.value > now && $0.value <= now + Self.lag }
      return Set(state.laggards.keys)
    }
  }

  /// True if it is time to compare the replies of a member with those of others.
  func mayCompare(_ node: String, at now: Int64) -> Bool {
    state.withLock { state in
      if let last = state.comparedAt[node], last <= now, now - last < Self.comparison { return false }
      state.comparedAt = state.comparedAt.filter { now - $0.value < Self.comparison }
      state.comparedAt[node] = now
      return true
    }
  }

  func noteLag(of node: String, at now: Int64) {
    state.withLock { $0.laggards[node] = now + Self.lag }
  }
}

// MARK: - Reading from the beginning

extension SwarmMembers {
  /// True if this member is being read from the beginning.
  func isFullyRead(_ node: String) -> Bool { state.withLock { $0.fullyRead == node } }

  /// Begins to read a member from the beginning, if the last reply brought nothing, or it cannot wait any longer.
  /// False if another member is being read.
  func beginFullReading(of node: String, isOverdue: Bool) -> Bool {
    state.withLock { state in
      guard state.fullyRead == nil, state.wasQuiet || isOverdue else { return false }
      state.fullyRead = node
      return true
    }
  }

  /// Records the end of a reply. True if it was the last one of a member that was read from the beginning.
  func note(_ node: String, isComplete: Bool, hasNew: Bool) -> Bool {
    state.withLock { state in
      state.wasQuiet = isComplete && !hasNew
      guard isComplete, state.fullyRead == node else { return false }
      state.fullyRead = nil
      return true
    }
  }
}

// MARK: - Absence

extension SwarmMembers {
  /// Records that a member had nothing of what is missing. Returns how many members have said so.
  func noteAbsence(by node: String) -> Int {
    state.withLock { state in
      state.witnesses.insert(node)
      return state.witnesses.count
    }
  }

  /// Records that nothing is missing.
  func noteNoAbsence() { state.withLock { $0.witnesses = [] } }
}
