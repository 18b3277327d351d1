import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// What all parts of one account's messenger share: the account, its database, its environment and the time.
///
/// Lock order: the configs first, then the database.
final class AccountContext: Sendable {
  let account: Account
  let database: Database
  let environment: MessengerEnvironment
  let access: Messenger.Access
  /// Where configs are edited, and what follows from that is written.
  let queue = WorkerQueue("session.messenger")
  /// When an action waited for the network's time in vain.
  private let waitedForTimeAt = Mutex<Int64>(.zero)

  init(
    _ account: Account, _ database: Database, _ environment: MessengerEnvironment,
    _ access: Messenger.Access = .working
  ) {
    self.account = account
    self.database = database
    self.environment = environment
    self.access = access
  }

  /// By how many milliseconds the time of the network may be estimated wrongly.
  static let clockError: Int64 = 2000
  /// How long an action waits for the network's time, and how long none does after that was in vain.
  private static let timePatience: Int64 = 3000
  private static let timeRetry: Int64 = 30_000

  var own: SessionID { account.id }

  /// True while messages are dated by this machine's clock alone.
  var isTimeUncertain: Bool { environment.swarms.time == nil }

  /// The clock of jobs, and of what is kept for this device alone.
  var jobTime: Int64 { environment.clock.now }

  /// The time to put into messages.
  func time() throws -> MessageTime {
    if let time = environment.swarms.time { return time }
    return try MessageTime(milliseconds: UInt64(max(jobTime, 1)))
  }

  /// Throws `readOnly` where nothing may be written.
  func requireWorking() throws {
    guard access == .working else {
      throw MessengerError(.readOnly, "the account was opened read-only")
    }
  }

  /// Waits a moment for the network's time where it is not known, so that a wrong clock of this machine dates nothing.
  func learnTime(isUrgent: Bool = false) async {
    guard access == .working, isTimeUncertain,
      isUrgent || abs(jobTime - waitedForTimeAt.withLock { $0 }) > Self.timeRetry
    else { return }
    let (swarms, clock) = (environment.swarms, environment.clock)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await swarms.learnTime() }
      group.addTask { await clock.sleep(until: clock.now.saturatingAdd(Self.timePatience)) }
      await group.next()
      group.cancelAll()
    }
    if isTimeUncertain, !Task.isCancelled { waitedForTimeAt.withLock { $0 = jobTime } }
  }

  /// Does what a person asked for on the worker queue, once the time is known.
  func act<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    await learnTime()
    return try await queue.run(body)
  }

  /// Writes what concerns no config.
  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try requireWorking()
    let now = try time()
    return try await database.write { transaction in try body(transaction, now) }
  }
}

/// A part of an account's messenger. Parts are made in a fixed order, and each knows only those made before it: what has to
/// happen in a later one is a job or an event in the same transaction.
protocol AccountPart: AnyObject, Sendable {
  var context: AccountContext { get }
  /// What does the jobs of this part.
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
  /// As the database has it.
  var stored: Int64 { Int64(clamping: milliseconds) }
}

extension SessionID {
  /// As the database has it.
  var address: String { description }
}

extension Conversation.ID {
  /// As the database has it.
  var address: String { description }

  /// The same; throws `invalidRecipient` for a case that was built by hand with an id of another kind.
  func requireValid() throws(MessengerError) -> Self {
    guard isValid else {
      throw MessengerError(.invalidRecipient, "this is no id of a conversation")
    }
    return self
  }

  /// The person a conversation is with. Throws `invalidRecipient` for a group or a room.
  func requirePerson() throws(MessengerError) -> SessionID {
    guard case .person(let id) = self, isValid else {
      throw MessengerError(.invalidRecipient, "this works only in conversations with people")
    }
    return id
  }
}
