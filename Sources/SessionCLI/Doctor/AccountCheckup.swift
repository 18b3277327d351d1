import Glibc
import SessionBase
import SessionCore
import SessionJobs
import SessionMessaging
import SessionStorage

/// Looks at an account on this machine.
struct AccountCheckup: Sendable {
  let account: AccountFolder
  let io: CommandIO

  /// Receives each finding, and the id of the account if it can be opened.
  func run(_ tell: (Finding) throws -> Void) async throws -> SessionID? {
    try tell(permissions())
    try tell(use())
    let secret: KeySecret?
    do {
      secret = try await AccountKey(io: io).needed(for: account)
      let key = try await AccountKey.key(of: account, with: secret)
      try tell(protection())
      try tell(await database(key))
    } catch {
      try tell(locked(by: error))
      return nil
    }
    do {
      let opened = try await OpenAccount.reading(account, secret)
      let jobs: Finding
      do { jobs = Self.jobs(try await opened.messenger.jobs()) } catch { jobs = .failed("jobs", error) }
      let id = opened.messenger.id
      let groups: Finding
      do { groups = Self.groups(try await opened.messenger.groups()) } catch {
        groups = .failed("groups", error)
      }
      let rooms: Finding
      do { rooms = Self.rooms(try await opened.messenger.rooms()) } catch { rooms = .failed("rooms", error) }
      let readers: Finding
      do { readers = Self.readers(try await opened.messenger.readers(), at: io.now()) } catch {
        readers = .failed("readers", error)
      }
      let security: Finding
      do { security = Self.security(try await opened.messenger.ownSecurity(), at: io.now()) } catch {
        security = .failed("security", error)
      }
      await opened.close()
      try tell(security)
      try tell(jobs)
      try tell(groups)
      try tell(rooms)
      try tell(readers)
      return id
    } catch {
      try tell(.failed("account", error))
      return nil
    }
  }

  private func permissions() -> Finding {
    for path in [account.data, account.database, account.key] {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        return .failed(
          "account", "\(path) is missing",
          advice: "Restore it from a backup, or the account from its recovery phrase.",
          .configuration)
      }
      guard status.st_uid == geteuid() else {
        return .failed(
          "account", "\(path) belongs to another user", advice: "Change its owner with chown.", .configuration
        )
      }
      guard access(path, R_OK | W_OK) == 0 else {
        let reason = String(cString: strerror(errno))
        return .failed(
          "account", "you may not read and write \(path): \(reason)",
          advice: "run: chmod u+rwX '\(path)' (unless the disk is read-only)", .cannotCreate
        )
      }
      guard status.st_mode & 0o077 == 0 else {
        return .failed(
          "account", "others can read \(path)", advice: "run: chmod go= '\(path)'",
          .configuration)
      }
    }
    return .ok("account", "\(account.name), for its owner alone")
  }

  private func use() -> Finding {
    guard let holder = AccountLock.holder(of: account) else {
      return .ok("use", "no program works on it now")
    }
    return .ok("use", "\(holder.purpose) works on it now (process \(holder.process))")
  }

  private func protection() throws -> Finding {
    let keys = DatabaseKeys(path: account.key)
    let slots = try keys.slots()
    guard slots.contains(where: { $0.lock == .recovery }) else {
      return .warning(
        "key", "the recovery phrase does not open the messages on this machine",
        advice: "run: session key add recovery")
    }
    if let slot = slots.first(where: { $0.damage != nil }), let damage = slot.damage {
      return .warning(
        "key", "slot \(slot.id) (\(DisplayText.line(slot.kindName))) cannot be used: \(damage)",
        advice: "'session key list' shows the slots; 'session key remove' removes one.")
    }
    switch try keys.protection() {
    case .passphrase: return .ok("key", "a passphrase protects it")
    case .elsewhere:
      let kinds = slots.filter { $0.kind?.isAutomatic ?? false }.map(\.kindName)
      return .ok("key", "it is kept elsewhere: \(kinds.joined(separator: ", "))")
    case .open, .none: return .ok("key", DatabaseKeys.openWarningWithAdvice)
    }
  }

  private func locked(by error: any Error) -> Finding {
    let failure = CommandFailure(error)
    return .failed("key", failure.message, advice: failure.advice, failure.status)
  }

  private func database(_ key: DatabaseKey) async -> Finding {
    let result = await WorkerQueue("session.doctor").run { [account] in Result { try account.integrity(key) }
    }
    do {
      let report = try result.get()
      if let first = report.damage.first {
        return .failed("database", first, advice: "To recover it, run: session db salvage", .data)
      }
      if let first = report.problems.first {
        return .warning("database", first, advice: "'session db check' shows all problems.")
      }
      var status = stat()
      let size = lstat(account.database, &status) == 0 ? Int64(status.st_size) : 0
      return .ok("database", "sound, \(ByteCount.text(size))")
    } catch {
      return .failed("database", error)
    }
  }

  static func jobs(_ view: JobView) -> Finding {
    let (failed, unread) = (view.counts[.failed] ?? 0, view.counts[.setAside] ?? 0)
    if failed > 0 {
      let last = view.jobs.last { $0.state == .failed }?.failure
      return .warning(
        "jobs", "\(failed) failed" + (last.map { ", the last one because: \($0)" } ?? ""),
        advice: "'session jobs list --failed' shows them; 'session jobs retry all' retries them.")
    }
    if unread > 0 {
      return .warning("jobs", "\(unread) cannot be read by this version", advice: "Update session.")
    }
    return .ok("jobs", "nothing has failed")
  }

  /// How long the keys of this device may not have been published, in milliseconds.
  private static let longestUnpublished: Int64 = 7 * 24 * 3_600_000

  static func security(_ security: OwnSecurityView, at now: UInt64) -> Finding {
    if security.isForeign {
      return .warning(
        "security", "the account was copied from another machine, and sends without forward secrecy",
        advice: "run: session device renew")
    }
    guard security.setting != .off else {
      return .ok("security", "no forward secrecy; 'session security enable' switches it on")
    }
    if let stranger = security.devices.first(where: {
      [.provisional, .settled, .suspended].contains($0.status)
    }) {
      return .warning(
        "security", "a device that is not linked uses this account: \(stranger.shortID)",
        advice:
          "If it is yours, link it with 'session device link'. If not, somebody has your recovery phrase.")
    }
    // A new device publishes with its first polls.
    let published = security.publishedAt ?? security.devices.first { $0.status == .own }?.acceptedAt
    guard let published, Int64(clamping: now) - published <= longestUnpublished else {
      return .warning(
        "security", "the keys of this device were not published lately",
        advice:
          "Contacts cannot start sessions with it: run 'session receive' while the network can be reached.")
    }
    guard security.isClosed else {
      return .warning(
        "security", "keys are published, but not used for sending yet",
        advice: "run: session security enable")
    }
    let count = security.devices.count { $0.status == .own || $0.status == .accepted }
    return .ok("security", "forward secrecy on \(count) \(count == 1 ? "device" : "linked devices")")
  }

  static func rooms(_ rooms: [RoomView]) -> Finding {
    let unread = rooms.filter { $0.state == .noAccess || $0.state == .gone }
    guard let first = unread.first else {
      let servers = Set(rooms.map(\.server)).count
      return .ok(
        "rooms",
        rooms.isEmpty ? "none" : "\(rooms.count) on \(servers) \(servers == 1 ? "server" : "servers")")
    }
    let name = DisplayText.line(first.id.description)
    return .warning(
      "rooms",
      first.state == .gone
        ? "\(name) does not exist any more" : "the server of \(name) does not let you read it",
      advice: "'session community list' shows all rooms; 'session community leave' removes one.")
  }

  /// How many events a reader may be behind.
  private static let maxPending = 10_000
  /// How long a reader may leave events unacknowledged, in milliseconds.
  private static let maxSilence: Int64 = 7 * 24 * 3_600_000

  static func readers(_ readers: [EventReaderView], at now: UInt64) -> Finding {
    let advice =
      "'session readers list' shows them; 'session readers forget NAME' forgets one that is not used any more."
    func name(_ reader: EventReaderView) -> String { DisplayText.line(reader.name) }
    if let reader = readers.first(where: { $0.dead > 0 }) {
      return .warning(
        "readers", "\(name(reader)) could not handle \(reader.dead) events",
        advice: "'session readers dead' shows them; 'session readers retry NAME all' delivers them again.")
    }
    if let reader = readers.first(where: { $0.pending > maxPending }) {
      return .warning("readers", "\(name(reader)) is \(reader.pending) events behind", advice: advice)
    }
    let silent = readers.first { $0.pending > 0 && Int64(clamping: now) - $0.acknowledgedAt > maxSilence }
    if let silent {
      return .warning(
        "readers", "\(name(silent)) has acknowledged nothing since \(LocalTime.text(silent.acknowledgedAt))",
        advice: advice)
    }
    return .ok("readers", readers.isEmpty ? "none" : "\(readers.count), all of them up to date")
  }

  static func groups(_ groups: [GroupView]) -> Finding {
    let joined = groups.filter { $0.standing == .joined }
    func count(_ number: Int) -> String { number == 1 ? "one group" : "\(number) groups" }
    let expired = joined.count(where: \.isExpired)
    guard expired == 0 else {
      return .warning(
        "groups", "no key to read \(count(expired))",
        advice: "'session group list' shows them; an admin of each has to come online.")
    }
    let closed = joined.count(where: \.hasLostAccess)
    guard closed == 0 else {
      return .warning(
        "groups", "\(count(closed)) did not let this account in",
        advice: "'session group list' shows them; if this lasts, ask an admin for a new invitation.")
    }
    return .ok("groups", joined.isEmpty ? "none" : "\(count(joined.count)), none without access")
  }
}
