import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// What all parts of one account's messenger share.
///
/// Lock order: the configs first, then the database.
final class Engine: Sendable {
  let account: Account
  let database: Database
  let configs: ConfigStore
  let dependencies: MessengerEnvironment
  let access: Messenger.Access
  /// The encrypted files next to the database; nil for an in-memory database.
  let accountFiles: AccountFiles?
  /// Receives the progress of files.
  let transfers = TransferBoard()
  let intake = IntakeBoard()
  /// Where configs are edited, and what follows from that is written.
  let queue = WorkerQueue("session.messenger")
  /// Of each config, when the newest message that is in it was stored.
  private let configTimes: Mutex<[ConfigName: Int64]>
  /// By the time of jobs.
  let syncPace = Mutex(SyncPace())
  /// True if it is not known that the configs say all that follows from what was merged into them: see
  /// ``settleConfigs(after:)``.
  let owesSettling = Mutex(true)
  /// Of contacts that were deleted, how often their remnants were erased.
  let erasures = Mutex<[SessionID: Int]>([:])
  /// When an action waited for the network's time in vain.
  private let waitedForTimeAt = Mutex<Int64>(.zero)
  /// Who types now, and until when that is believed.
  let typists = Typists()
  /// Where we type ourselves.
  let ownTyping = OwnTyping()

  var own: SessionID { account.id }
  var signer: Storage.Signer { .account(account) }

  init(
    _ account: Account, _ database: Database, _ dependencies: MessengerEnvironment,
    _ access: Messenger.Access = .working,
    folder: String? = nil
  ) throws {
    self.account = account
    self.database = database
    self.dependencies = dependencies
    self.access = access
    accountFiles = folder.map { AccountFiles(database, in: $0) }
    var dumps: [ConfigDump] = []
    var times: [ConfigName: Int64] = [:]
    try database.read { transaction in
      for row in try transaction.configDumps() {
        guard let owner = SessionID(row.owner), let kind = ConfigKind(stored: row.kind) else { continue }
        let name = ConfigName(kind, of: owner)
        let parts = try transaction.configParts(row.kind, of: row.owner)
        dumps.append(ConfigDump(name, content: row.content, parts: parts.map(HeldConfigPart.init)))
        times[name] = row.at
      }
    }
    configs = try ConfigStore(account, dumps: dumps)
    configTimes = Mutex(times)
    if access == .working { try forgetWhatDamagedConfigsSaw() }
  }

  /// Throws where nothing may be written.
  func requireWorking() throws {
    guard access == .working else {
      throw MessengerError(.readOnly, "the account was opened for reading alone")
    }
  }

  /// How long an action waits for the network's time, and how long none does after that was in vain.
  private static let timePatience: Int64 = 3000
  private static let timeRetry: Int64 = 30_000

  /// Does what a person asked for, on the worker queue. It waits a moment for the network's time where that is not known, so that
  /// a wrong clock of this machine dates nothing.
  func act<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    await learnTime()
    return try await queue.run(body)
  }

  func learnTime(isUrgent: Bool = false) async {
    guard access == .working, isTimeUncertain,
      isUrgent || abs(jobTime - waitedForTimeAt.withLock { $0 }) > Self.timeRetry
    else { return }
    let (swarms, clock) = (dependencies.swarms, dependencies.clock)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await swarms.learnTime() }
      group.addTask { await clock.sleep(until: clock.now.saturatingAdd(Self.timePatience)) }
      await group.next()
      group.cancelAll()
    }
    if isTimeUncertain, !Task.isCancelled { waitedForTimeAt.withLock { $0 = jobTime } }
  }

  /// True while messages are dated by this machine's clock alone.
  var isTimeUncertain: Bool { dependencies.swarms.time == nil }

  /// The time to put into messages.
  func time() throws -> MessageTime {
    if let time = dependencies.swarms.time { return time }
    return try MessageTime(milliseconds: UInt64(max(jobTime, 1)))
  }

  /// The time that jobs go by, and what is kept for this device alone.
  var jobTime: Int64 { dependencies.clock.now }

  /// When the newest message that is in a config was stored; 0 when none is.
  func configTime(of name: ConfigName) -> Int64 { configTimes.withLock { $0[name] ?? 0 } }

  func setConfigTime(_ time: Int64, of name: ConfigName) {
    configTimes.withLock { $0[name] = max($0[name] ?? 0, time) }
  }

  private func forgetWhatDamagedConfigsSaw() throws {
    let damaged = configs.damaged.keys
    guard !damaged.isEmpty else { return }
    dependencies.log("\(damaged.count) configs could not be read, and are retrieved again")
    try database.write { transaction in
      for name in damaged {
        guard let namespace = name.kind.namespace else { continue }
        try transaction.forgetHashes(of: name.owner.description, namespace: Int(namespace.rawValue))
      }
    }
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

  /// The person a conversation is with. Throws `invalidRecipient` for a group or a room.
  func requirePerson() throws(MessengerError) -> SessionID {
    guard case .person(let id) = self, isValid else {
      throw MessengerError(.invalidRecipient, "only conversations with people can do this")
    }
    return id
  }
}
