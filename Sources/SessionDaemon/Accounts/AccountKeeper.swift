import SessionBase
import SessionCore
package import SessionMessaging
package import SessionStorage

/// Keeps the accounts of a user open, each for itself: a failure of one delays no other.
package actor AccountKeeper: ServedAccounts {
  /// An account that was opened.
  package struct Opened: Sendable {
    package let messenger: Messenger
    /// Opens the account again after another program worked on it, where only this program knows it.
    let key: DatabaseKey?
    package let close: @Sendable () async -> Void
    /// Closes it for the same program started anew, so that no other program gets it in between.
    let handOver: @Sendable () async -> Void

    package init(
      _ messenger: Messenger, _ key: DatabaseKey? = nil, handOver: (@Sendable () async -> Void)? = nil,
      close: @escaping @Sendable () async -> Void
    ) {
      self.messenger = messenger
      self.key = key
      self.close = close
      self.handOver = handOver ?? close
    }
  }

  /// Opens an account and starts it. Throws `locked` if another program holds it, `passphraseNeeded` if a person has to
  /// unlock it.
  package typealias Opening = @Sendable (AccountFolder, _ secret: KeySecret?) async throws -> Opened

  private enum State {
    case opening
    /// It needs its passphrase.
    case locked
    case running(Opened)
    /// Closed while another program works on it alone.
    case parked
    case failed(any Error)

    /// True if another state follows by itself.
    var isPassing: Bool {
      switch self {
      case .opening, .parked: true
      case .locked, .running, .failed: false
      }
    }

    var isClosedForOthers: Bool { if case .parked = self { true } else { false } }

    var name: String {
      switch self {
      case .opening: "opening"
      case .locked: "locked"
      case .running: "running"
      case .parked: "parked"
      case .failed: "failed"
      }
    }
  }

  private struct Entry {
    let folder: AccountFolder
    /// Changes when the account is locked or parked: one that was being opened before is closed again.
    var epoch: Int
    var state = State.opening
    /// The number of programs that have it closed.
    var parkers = 0
    /// True while another program holds it.
    var isHeld = false
    /// True if a client locked it: only an unlocking client opens it again.
    var isLocked = false
    /// What opened it before it was parked.
    var key: DatabaseKey?
    /// True if a client wants it to be open, but to do nothing.
    var isSuspended = false
    var task: Task<Void, Never>?
    var id: String?

    var stateName: String {
      if case .running = state, isSuspended { "suspended" } else { state.name }
    }
  }

  private let roots: StorageRoots
  /// The names of the accounts to serve; nil for all.
  private var chosen: Set<String>?
  private let open: Opening
  private let permits = Permits(4)
  private var entries: [String: Entry] = [:]
  private var lastEpoch = 0
  private var watching: Task<Void, Never>?
  private var isStopped = false
  /// True while the machine sleeps, or is about to.
  private var isAsleep = false
  /// Opens at the next change of any state.
  private var change = Latch()
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastListener = 0
  /// What the program knew before it started itself anew, of accounts that were not looked at yet.
  private var kept: KeptAccounts

  package init(
    _ roots: StorageRoots, only chosen: Set<String>? = nil, continuing kept: KeptAccounts = KeptAccounts(),
    open: @escaping Opening
  ) {
    self.roots = roots
    self.chosen = chosen
    self.kept = kept
    self.open = open
  }

  /// Begins to open the accounts, also those that are made later.
  package func start() {
    look()
    watching = Task { [weak self] in
      while (try? await Task.sleep(for: .seconds(1))) != nil { await self?.look() }
    }
  }

  /// Serves other accounts from now on, all of them for nil: opens those that are missing, and closes the rest.
  /// Those that could not be opened are tried again at once.
  package func serve(only chosen: Set<String>?) {
    self.chosen = chosen
    look()
    for (name, entry) in entries {
      guard case .failed = entry.state else { continue }
      entry.task?.cancel()
      entries[name]?.epoch = nextEpoch()
      set(.opening, name)
      begin(name)
    }
  }

  /// Returns when no account is being opened but those that other programs hold.
  package func untilOpened() async {
    while !isStopped, entries.values.contains(where: { $0.state.name == "opening" && !$0.isHeld }) {
      await change.wait()
      if Task.isCancelled { return }
    }
  }

  /// Closes all accounts; with `isHandingOver` for the same program started anew, which has to know the result.
  @discardableResult package func stop(isHandingOver: Bool = false) async -> KeptAccounts {
    isStopped = true
    watching?.cancel()
    let running = entries.values
    for entry in running { entry.task?.cancel() }
    for entry in running { await entry.task?.value }
    await withTaskGroup { group in
      for case .running(let opened) in entries.values.map(\.state) {
        group.addTask { await (isHandingOver ? opened.handOver : opened.close)() }
      }
    }
    // Not before: an account may be locked until it is closed.
    let kept = isHandingOver ? toKeep() : KeptAccounts()
    entries = [:]
    tellChange()
    return kept
  }

  /// Forgets the keys of accounts that were open before the program started itself anew, and are not served now.
  package func dropKeptKeys() { kept.keys = [:] }

  /// What the same program started anew has to know, which no file tells.
  private func toKeep() -> KeptAccounts {
    var kept = KeptAccounts()
    for (name, entry) in entries {
      if entry.isLocked { kept.locked.insert(name) }
      if entry.isSuspended { kept.suspended.insert(name) }
      var key = entry.key
      if case .running(let opened) = entry.state { key = opened.key }
      // Without any protection the file of the key has it.
      if let key, !entry.isLocked, (try? DatabaseKeys(path: entry.folder.key).protection()) != .open {
        kept.keys[name] = key
      }
    }
    return kept
  }

  // MARK: - What is there

  package func all() -> [ServedAccount] {
    // Some may be new.
    look()
    return entries.values.sorted { $0.folder.name < $1.folder.name }.map { entry in
      var account = ServedAccount(name: entry.folder.name, id: entry.id, state: entry.stateName)
      switch entry.state {
      case .running(let opened): account.writingTime = opened.messenger.writingTime
      case .failed(let error): account.failure = "\(error)"
      case .opening, .locked, .parked: break
      }
      return account
    }
  }

  /// The messengers of the accounts that are open.
  package func running() -> [Messenger] {
    entries.values.compactMap { entry in
      if case .running(let opened) = entry.state { opened.messenger } else { nil }
    }
  }

  package func messenger(named name: String?) async throws -> Messenger {
    while true {
      let entry = try entry(named: name)
      switch entry.state {
      case .running(let opened): return opened.messenger
      case .opening, .parked:
        await change.wait()
        try Task.checkCancellation()
      case .locked:
        throw RPCError(
          78, "account-locked", "the account \(entry.folder.name) needs its passphrase",
          advice: "run: session account unlock \(entry.folder.name)")
      case .failed(let error):
        throw RPCError(75, "failed", "the account \(entry.folder.name) cannot be opened: \(error)")
      }
    }
  }

  package func openMessenger(named name: String) -> Messenger? {
    guard case .running(let opened)? = entries[name]?.state else { return nil }
    return opened.messenger
  }

  private func entry(named name: String?) throws(RPCError) -> Entry {
    if let name {
      if entries[name] == nil { look() }
      guard let entry = entries[name] else { throw .noAccount(name) }
      return entry
    }
    guard let only = entries.values.first, entries.count == 1 else {
      throw .accountRequired(entries.keys.sorted())
    }
    return only
  }

  // MARK: - Opening

  /// Looks which accounts there are.
  package func look() {
    guard !isStopped, let folders = try? AccountFolder.all(in: roots) else { return }
    let wanted = folders.filter { chosen?.contains($0.name) ?? !$0.wasReplaced }
    for folder in wanted where entries[folder.name] == nil {
      entries[folder.name] = newEntry(folder)
      if case .opening? = entries[folder.name]?.state { begin(folder.name) }
    }
    for name in entries.keys where !wanted.contains(where: { $0.name == name }) { forget(name) }
  }

  /// An account as it was before the program started itself anew; one that is to be opened if that is not known.
  private func newEntry(_ folder: AccountFolder) -> Entry {
    var entry = Entry(folder: folder, epoch: nextEpoch())
    entry.isSuspended = kept.suspended.remove(folder.name) != nil
    entry.key = kept.keys.removeValue(forKey: folder.name)
    if kept.locked.remove(folder.name) != nil,
      (try? DatabaseKeys(path: folder.key).protection()) != .open
    {
      (entry.isLocked, entry.state) = (true, .locked)
    }
    return entry
  }

  /// Closes an account whose folder is gone.
  private func forget(_ name: String) {
    guard let entry = entries.removeValue(forKey: name) else { return }
    entry.task?.cancel()
    if case .running(let opened) = entry.state { Task { await opened.close() } }
    tellChange()
  }

  private func nextEpoch() -> Int {
    lastEpoch += 1
    return lastEpoch
  }

  private func begin(_ name: String) {
    guard let epoch = entries[name]?.epoch else { return }
    entries[name]?.task = Task { [weak self] in await self?.opening(name, epoch) }
  }

  /// Opens an account, and tries again until that is done, a person is needed, or it is hopeless.
  private func opening(_ name: String, _ epoch: Int) async {
    var (waits, failures) = (0, 0)
    while !Task.isCancelled, let entry = entries[name], entry.epoch == epoch {
      do {
        guard await permits.take() else { return }
        defer { permits.giveBack() }
        return await enter(try await open(entry.folder, nil), name, epoch)
      } catch let error as StorageError where error.code == .locked {
        // Another program holds the account; try again until it has ended.
        if waits == 0, entries[name]?.epoch == epoch {
          entries[name]?.isHeld = true
          tellChange()
        }
        if waits % 10 == 0 || waits > 100 { await release(entry.folder) }
        waits += 1
        try? await Task.sleep(for: waits <= 100 ? .milliseconds(100) : .seconds(1))
      } catch let error as StorageError where error.code == .passphraseNeeded {
        do {
          if let opened = try await reopened(entry) { return await enter(opened, name, epoch) }
          return set(.locked, name, in: epoch)
        } catch is CancellationError {
          return
        } catch {
          set(.failed(error), name, in: epoch)
          try? await Task.sleep(for: .seconds(min(60, 1 << min(failures, 6))))
          failures += 1
        }
      } catch is CancellationError {
        return
      } catch {
        set(.failed(error), name, in: epoch)
        try? await Task.sleep(for: .seconds(min(60, 1 << min(failures, 6))))
        failures += 1
      }
    }
  }

  /// Opens an account with what opened it before it was parked. Nil if that is unknown, or is of no use any more.
  private func reopened(_ entry: Entry) async throws -> Opened? {
    guard let key = entry.key else { return nil }
    do { return try await open(entry.folder, .key(key)) } catch let error as StorageError
      where [.wrongKey, .slotFailed, .passphraseNeeded].contains(error.code)
    {
      entries[entry.folder.name]?.key = nil
      return nil
    }
  }

  /// Lets clients use an account that was opened, once it is suspended or not, as they want it. Closes it if it was
  /// forgotten, locked or parked meanwhile.
  private func enter(_ opened: Opened, _ name: String, _ epoch: Int) async {
    await suspendOrResume(opened.messenger, name, isSuspended: false)
    guard entries[name]?.epoch == epoch, !isStopped else { return await opened.close() }
    entries[name]?.id = opened.messenger.id.description
    entries[name]?.isHeld = false
    entries[name]?.isLocked = false
    entries[name]?.key = nil
    set(.running(opened), name)
  }

  /// Returns when an account is as clients want it, who may change that meanwhile. `isSuspended` is nil if it is unknown.
  private func suspendOrResume(_ messenger: Messenger, _ name: String, isSuspended: Bool?) async {
    var isSuspended = isSuspended
    while let entry = entries[name] {
      let wanted = entry.isSuspended || isAsleep
      guard wanted != isSuspended else { return }
      if wanted { await messenger.suspend() } else { await messenger.resume() }
      isSuspended = wanted
    }
  }

  /// Has all accounts pause while the machine sleeps, and go on, with an immediate poll, when it wakes. Clients still see them
  /// as they want them.
  package func setAsleep(_ isAsleep: Bool) async {
    guard self.isAsleep != isAsleep else { return }
    self.isAsleep = isAsleep
    await withDiscardingTaskGroup { changing in
      for (name, entry) in entries {
        guard case .running(let opened) = entry.state else { continue }
        changing.addTask { [self] in await suspendOrResume(opened.messenger, name, isSuspended: nil) }
      }
    }
  }

  /// Asks the program that holds an account to let this one have it. Programs that end soon do not.
  private func release(_ folder: AccountFolder) async {
    guard let socket = AccountLock.holder(of: folder)?.socket, let client = try? RPCClient(to: socket) else {
      return
    }
    _ = try? await withinTime(.seconds(5)) { try await client.call("x.release") }
    client.close()
  }

  private func set(_ state: State, _ name: String) {
    entries[name]?.state = state
    tellChange()
  }

  private func set(_ state: State, _ name: String, in epoch: Int) {
    if entries[name]?.epoch == epoch { set(state, name) }
  }

  private func tellChange() {
    change.open()
    change = Latch()
    for listener in listeners.values { listener.yield() }
  }

  package func changes() -> AsyncStream<Void> {
    let (changes, telling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    lastListener += 1
    let number = lastListener
    listeners[number] = telling
    telling.onTermination = { [weak self] _ in Task { await self?.forgetListener(number) } }
    telling.yield()
    return changes
  }

  private func forgetListener(_ number: Int) { listeners[number] = nil }

  // MARK: - Closing for a while

  /// Unlocks an account with a secret, or without one if no person is needed, also one that is just being opened. Throws
  /// `wrongPassphrase`, or why it cannot be opened.
  package func unlock(_ name: String, _ secret: KeySecret?) async throws {
    var entry = try entry(named: name)
    while entry.state.isPassing, !entry.isHeld {
      await change.wait()
      try Task.checkCancellation()
      entry = try self.entry(named: name)
    }
    guard case .locked = entry.state else { return }
    await enter(try await open(entry.folder, secret), name, entry.epoch)
    // One that was locked again meanwhile stays so.
    if case .locked? = entries[name]?.state { DatabaseKeys(path: entry.folder.key).lock() }
  }

  package func change(_ name: String, _ change: AccountChange) async throws {
    let entry = try entry(named: name)
    switch change {
    case .lock: try await lock(entry)
    case .suspend, .resume:
      entries[name]?.isSuspended = change == .suspend
      guard case .running(let opened) = entry.state else { return }
      await suspendOrResume(opened.messenger, name, isSuspended: nil)
      tellChange()
    }
  }

  /// Locks the accounts that a passphrase protects, as a client can, also those that are not open yet.
  package func lockProtected() async {
    var locked: [Entry] = []
    for entry in entries.values {
      switch entry.state {
      // One that another program works on is locked by it when it is done.
      case .locked, .parked: continue
      case .opening, .running, .failed: break
      }
      guard (try? DatabaseKeys(path: entry.folder.key).protection()) == .passphrase,
        (try? setLocked(entry)) != nil
      else { continue }
      locked.append(entry)
    }
    // All of them are locked before the first is closed, which may take time.
    for entry in locked { await finishClosing(entry) }
  }

  private func lock(_ entry: Entry) async throws {
    try setLocked(entry)
    await finishClosing(entry)
  }

  private func setLocked(_ entry: Entry) throws {
    let keys = DatabaseKeys(path: entry.folder.key)
    guard try keys.protection() != .open else {
      throw StorageError(.passphraseNotSet, "\(entry.folder.name) has no passphrase")
    }
    let name = entry.folder.name
    guard !entry.state.isClosedForOthers else {
      throw RPCError(75, "busy", "another program works on the account \(name)")
    }
    keys.lock()
    entries[name]?.isLocked = true
    entries[name]?.key = nil
    setClosed(entry, .locked)
  }

  /// Closes an account. It has its new state at once, so that another change meanwhile finds that.
  private func close(_ entry: Entry, _ state: State) async {
    setClosed(entry, state)
    await finishClosing(entry)
  }

  private func setClosed(_ entry: Entry, _ state: State) {
    entries[entry.folder.name]?.epoch = nextEpoch()
    set(state, entry.folder.name)
    entry.task?.cancel()
  }

  /// Closes what was open, or was being opened, in the state before.
  private func finishClosing(_ entry: Entry) async {
    await entry.task?.value
    if case .running(let opened) = entry.state { await opened.close() }
  }

  /// Closes an account, so that another program can work on it alone.
  package func park(_ name: String) async throws {
    let entry = try entry(named: name)
    entries[name]?.parkers += 1
    if case .running(let opened) = entry.state { entries[name]?.key = opened.key }
    await close(entry, .parked)
  }

  /// The daemon keeps its accounts until it ends.
  package func release(to process: Int32) throws {
    throw RPCError(75, "busy", "this program keeps its accounts")
  }

  package func isDeleted(_ name: String) -> Bool {
    (try? AccountFolder(name, in: roots))?.exists == false
  }

  /// Opens an account again after ``park(_:)``, unless it was deleted meanwhile.
  package func unpark(_ name: String) {
    look()
    guard let entry = entries[name], entry.parkers > 0 else { return }
    entries[name]?.parkers -= 1
    guard entry.parkers == 1, case .parked = entry.state else { return }
    // Without any protection there is nothing to unlock it with.
    let isOpen = try? DatabaseKeys(path: entry.folder.key).protection() == .open
    guard !entry.isLocked || isOpen == true else { return set(.locked, name) }
    set(.opening, name)
    begin(name)
  }
}
