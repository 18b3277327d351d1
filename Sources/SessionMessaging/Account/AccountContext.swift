import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// State shared by all parts of one account's messenger: the account, its database, its environment and the time.
///
/// Lock order: the configs first, then the database.
final class AccountContext: Sendable {
  let account: Account
  let database: Database
  let environment: MessengerEnvironment
  let access: Messenger.Access
  /// Runs config edits and the writes that follow from them.
  let queue = WorkerQueue("session.messenger")
  /// The part of the program's polls that this account has; nil if it has no limit.
  let pollShare: PollShare?
  /// The number of programs that wait for events.
  private let awaiting = Mutex(0)
  /// The last time that an action waited for the network's time without success.
  private let waitedForTimeAt = Mutex<Int64>(.zero)

  init(
    _ account: Account, _ database: Database, _ environment: MessengerEnvironment,
    _ access: Messenger.Access = .working
  ) {
    self.account = account
    self.database = database
    self.environment = environment
    self.access = access
    pollShare = environment.pollBudget?.share()
  }

  /// True while a program waits for events.
  var isAwaited: Bool { awaiting.withLock { $0 > 0 } }

  /// Records that one program more, or less, waits for events.
  func noteAwaiting(_ difference: Int) { awaiting.withLock { $0 += difference } }

  /// The error allowed for the estimate of the network's time, in milliseconds.
  static let clockError: Int64 = 2000
  /// How long an action waits for the network's time, and how long after a failed wait the next one is skipped.
  private static let measurementTimeout: Int64 = 3000
  private static let timeRetry: Int64 = 30_000

  var own: SessionID { account.id }

  /// True while only this machine's clock dates messages.
  var isTimeUncertain: Bool { environment.swarms.time == nil }

  /// The time for jobs, and for state that stays on this device.
  var jobTime: Int64 { environment.clock.now }

  /// A time for requests that somebody else's message causes, within two seconds. At once they would tell a watcher of
  /// the network that we received it.
  var unpredictableTime: Int64 { jobTime + 200 + Int64(environment.chance() * 1800) }

  /// The time to put into messages.
  func time() throws -> MessageTime {
    if let time = environment.swarms.time { return time }
    return try MessageTime(milliseconds: UInt64(max(jobTime, 1)))
  }

  /// Throws `readOnly` if the account was opened for reading.
  func requireWorking() throws {
    guard access == .working else {
      throw MessengerError(.readOnly, "the account was opened read-only")
    }
  }

  /// If the network's time is unknown, waits briefly for it, so that no message is dated by a wrong local clock.
  func learnTime(isUrgent: Bool = false) async {
    guard access == .working, isTimeUncertain,
      isUrgent || abs(jobTime - waitedForTimeAt.withLock { $0 }) > Self.timeRetry
    else { return }
    let (swarms, clock) = (environment.swarms, environment.clock)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await swarms.learnTime() }
      group.addTask { await clock.sleep(until: clock.now.saturatingAdd(Self.measurementTimeout)) }
      await group.next()
      group.cancelAll()
    }
    if isTimeUncertain, !Task.isCancelled { waitedForTimeAt.withLock { $0 = jobTime } }
  }

  /// Runs a user's action on the worker queue, once the time is known.
  func act<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    await learnTime()
    let settling = Settling.current
    return try await queue.run { try Settling.$current.withValue(settling, operation: body) }
  }

  /// Writes changes that involve no config.
  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try requireWorking()
    let now = try time()
    let settling = Settling.current
    let (result, isSettled) = try await database.write { [jobTime] transaction in
      // Before the change, whose own event must not count as known.
      let isSettled = try settling?.settle(in: transaction, at: jobTime) ?? false
      return (try body(transaction, now), isSettled)
    }
    if isSettled { settling?.noteDone() }
    return result
  }
}

/// A part of an account's messenger. Parts are created in a fixed order, and each knows only the parts created before
/// it: work for a later part is a job or an event in the same transaction.
protocol AccountPart: AnyObject, Sendable {
  var context: AccountContext { get }
  /// The handlers of this part's jobs.
  var handlers: [JobHandler] { get }
}

extension AccountPart {
  var handlers: [JobHandler] { [] }

  var account: Account { context.account }
  var own: SessionID { context.own }
  var database: Database { context.database }
  var environment: MessengerEnvironment { context.environment }
  var queue: WorkerQueue { context.queue }
  var jobTime: Int64 { context.jobTime }

  func time() throws -> MessageTime { try context.time() }

  func act<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await context.act(body)
  }

  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try await context.write(body)
  }
}

extension MessageTime {
  /// The value stored in the database.
  var stored: Int64 { Int64(clamping: milliseconds) }
}

extension SessionID {
  /// The value stored in the database.
  var address: String { description }
}

extension Conversation.ID {
  /// The value stored in the database.
  var address: String { description }

  /// Returns itself. Throws `invalidRecipient` for a case built by hand with the wrong kind of id.
  func requireValid() throws(MessengerError) -> Self {
    guard isValid else {
      throw MessengerError(.invalidRecipient, "this is not a conversation id")
    }
    return self
  }

  /// Returns the person a conversation is with. Throws `invalidRecipient` for a group or a room.
  func requirePerson() throws(MessengerError) -> SessionID {
    guard case .person(let id) = self, isValid else {
      throw MessengerError(.invalidRecipient, "this works only in conversations with people")
    }
    return id
  }
}
