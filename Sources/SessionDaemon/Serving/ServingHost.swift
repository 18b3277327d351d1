import SessionBase
import Synchronization

/// What all sockets of a program serve, and their clients together.
final class ServingHost: Sendable {
  let methods: [String: RPCMethod]
  let accounts: any ServedAccounts
  /// The number of connections.
  let count: Counter
  let statistics: CallStatistics
  /// The files that clients have uploaded; nil if it takes none.
  let uploads: Uploads?
  /// The number of connections of each other user.
  private let guests = Mutex<[UInt32: Int]>([:])

  init(
    _ methods: [String: RPCMethod], _ accounts: any ServedAccounts, _ count: Counter,
    _ statistics: CallStatistics = CallStatistics(), uploads: Uploads? = nil
  ) {
    self.statistics = statistics
    self.uploads = uploads
    self.methods = methods
    self.accounts = accounts
    self.count = count
  }

  /// Counts a new connection of a user. Throws `limit-reached` if there are too many.
  func enter(_ user: UInt32, own: UInt32) throws(RPCError) {
    guard count.value < RPCLimits.connections else {
      throw RPCError(71, "limit-reached", "there are \(RPCLimits.connections) connections already")
    }
    if user != own {
      let isAdmitted = guests.withLock { guests in
        guard guests[user, default: 0] < RPCLimits.guestConnections else { return false }
        guests[user, default: 0] += 1
        return true
      }
      guard isAdmitted else {
        throw RPCError(
          71, "limit-reached", "your user has \(RPCLimits.guestConnections) connections already")
      }
    }
    count.add(1)
  }

  /// Counts the end of a connection.
  func leave(_ user: UInt32, own: UInt32) {
    count.add(-1)
    guard user != own else { return }
    guests.withLock { guests in
      guests[user, default: 1] -= 1
      if guests[user] == 0 { guests[user] = nil }
    }
  }
}
