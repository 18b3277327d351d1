import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// The people to whom we sent a typing indicator; in memory only.
final class OwnTyping: Sendable {
  /// The interval of repeated typing messages, in milliseconds: receivers show one for fifteen seconds.
  static let refresh: Int64 = 10_000
  /// The time after the last keystroke at which typing ends, in milliseconds.
  static let idle: Int64 = 3000
  /// The same for clients that repeat `typing` instead of reporting keystrokes.
  static let longIdle: Int64 = 15_000

  private struct Told {
    let at: Int64
    let number: Int
    let timer: Task<Void, Never>
  }

  private struct State {
    var told: [SessionID: Told] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Records a keystroke. Returns true if a typing message is due; calls `repeated` when another one is, and `stop` when no
  /// more keystrokes follow for as long as this one lasts.
  func note(
    _ person: SessionID, lasting time: Int64, by clock: any JobClock,
    repeated: @escaping @Sendable () async -> Void, stop: @escaping @Sendable () async -> Void
  ) -> Bool {
    let now = clock.now
    return state.withLock { state in
      let before = state.told[person]
      before?.timer.cancel()
      state.next += 1
      let number = state.next
      let isDue = before.map { now < $0.at || now - $0.at >= Self.refresh } ?? true
      let toldAt = isDue ? now : before?.at ?? now
      let end = now.saturatingAdd(time)
      let timer = Task { [weak self] in
        // Keystrokes that are reported one by one repeat it themselves.
        var next = time < Self.refresh ? end : toldAt.saturatingAdd(Self.refresh)
        while next < end {
          await clock.sleep(until: next)
          guard !Task.isCancelled, self?.repeats(person, number, at: next) == true else { return }
          await repeated()
          next = next.saturatingAdd(Self.refresh)
        }
        await clock.sleep(until: end)
        guard !Task.isCancelled, self?.end(person, number) == true else { return }
        await stop()
      }
      state.told[person] = Told(at: toldAt, number: number, timer: timer)
      return isDue
    }
  }

  /// Ends typing there. Returns true if the other side was told of it.
  func end(_ person: SessionID) -> Bool {
    let told = state.withLock { $0.told.removeValue(forKey: person) }
    told?.timer.cancel()
    return told != nil
  }

  /// Records another notice to the other side. False if there was another keystroke meanwhile.
  private func repeats(_ person: SessionID, _ number: Int, at now: Int64) -> Bool {
    state.withLock { state in
      guard let told = state.told[person], told.number == number else { return false }
      state.told[person] = Told(at: now, number: number, timer: told.timer)
      return true
    }
  }

  /// Does the same, unless there was another keystroke.
  private func end(_ person: SessionID, _ number: Int) -> Bool {
    state.withLock { state in
      guard state.told[person]?.number == number else { return false }
      state.told[person] = nil
      return true
    }
  }

  /// Ends typing everywhere without sending a message.
  func endAll() {
    let told = state.withLock { state in
      defer { state.told = [:] }
      return Array(state.told.values)
    }
    for told in told { told.timer.cancel() }
  }
}

extension Outbox {
  /// Records that the user is typing, or has stopped, and tells the other side.
  func setTyping(_ isTyping: Bool, in conversation: SessionID, isReportedSeldom: Bool) async throws {
    guard isTyping else {
      if ownTyping.end(conversation) { try await tellTyping(.stopped, to: conversation) }
      return
    }
    guard try await mayTellTyping(to: conversation) else { return }
    let isDue = ownTyping.note(
      conversation, lasting: isReportedSeldom ? OwnTyping.longIdle : OwnTyping.idle, by: environment.clock,
      repeated: { [weak self] in await self?.tellTypingOrLog(.started, to: conversation) },
      stop: { [weak self] in await self?.tellTypingOrLog(.stopped, to: conversation) })
    if isDue { try await tellTyping(.started, to: conversation) }
  }

  private func tellTypingOrLog(_ action: TypingIndicator.Action, to conversation: SessionID) async {
    do { try await tellTyping(action, to: conversation) } catch {
      environment.log(.debug, .messages, "typing-not-sent", .error(error))
    }
  }

  private func mayTellTyping(to conversation: SessionID) async throws -> Bool {
    try await database.read { [own] transaction in
      guard try transaction.value(of: .usesTypingIndicators) == true, conversation != own,
        conversation.kind == .standard, let contact = try transaction.contact(conversation.address)
      else { return false }
      return contact.isApproved && !contact.isBlocked
    }
  }

  /// Not retried: an indicator is useless later.
  private func tellTyping(_ action: TypingIndicator.Action, to conversation: SessionID) async throws {
    guard try await mayTellTyping(to: conversation) else { return }
    let now = try time()
    // With forward secrecy it would cost a key and a gap each, and it is not worth less protection.
    switch try await database.read({ [ratchet] transaction in
      try ratchet.typingRule(for: conversation, at: now, in: transaction)
    }) {
    case .sent: break
    case .unsent: return
    case .unknown:
      return try await write { [jobTime] transaction, _ in
        try transaction.requestBundles(of: conversation, at: jobTime)
      }
    }
    let message = try Message(.typing(TypingIndicator(action, sentAt: now)), sentAt: now)
    let item = SwarmItem(
      try account.encode(message, for: .contact(conversation)),
      for: try Destination(.person(conversation), own: own).lifetime(of: .typing, with: nil))
    do throws(NetworkFailure) {
      try await environment.swarms.perform([.store(item)], in: conversation, as: nil).check()
    } catch {
      environment.log(.debug, .messages, "typing-not-sent", .error(error))
    }
  }
}
