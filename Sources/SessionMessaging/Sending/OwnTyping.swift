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

  /// Records a keystroke. Returns true if a typing message is due; calls `stop` when no more keystrokes follow.
  func note(
    _ person: SessionID, by clock: any JobClock, stop: @escaping @Sendable () async -> Void
  ) -> Bool {
    let now = clock.now
    return state.withLock { state in
      let before = state.told[person]
      before?.timer.cancel()
      state.next += 1
      let number = state.next
      let timer = Task { [weak self] in
        await clock.sleep(until: now.saturatingAdd(Self.idle))
        guard !Task.isCancelled, self?.end(person, number) == true else { return }
        await stop()
      }
      let isDue = before.map { now < $0.at || now - $0.at >= Self.refresh } ?? true
      state.told[person] = Told(at: isDue ? now : before?.at ?? now, number: number, timer: timer)
      return isDue
    }
  }

  /// Ends typing there. Returns true if the other side was told of it.
  func end(_ person: SessionID) -> Bool {
    let told = state.withLock { $0.told.removeValue(forKey: person) }
    told?.timer.cancel()
    return told != nil
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
  func setTyping(_ isTyping: Bool, in conversation: SessionID) async throws {
    guard isTyping else {
      if ownTyping.end(conversation) { try await tellTyping(.stopped, to: conversation) }
      return
    }
    guard try await mayTellTyping(to: conversation) else { return }
    let isDue = ownTyping.note(conversation, by: environment.clock) { [weak self] in
      do { try await self?.tellTyping(.stopped, to: conversation) } catch {
        self?.environment.log(.debug, .messages, "typing-not-sent", .error(error))
      }
    }
    if isDue { try await tellTyping(.started, to: conversation) }
  }

  private func mayTellTyping(to conversation: SessionID) async throws -> Bool {
    try await database.read { [own] transaction in
      guard try transaction.value(of: .usesTypingIndicators) == true, conversation != own,
        let contact = try transaction.contact(conversation.address)
      else { return false }
      return contact.isApproved && !contact.isBlocked
    }
  }

  /// Not retried: an indicator is useless later.
  private func tellTyping(_ action: TypingIndicator.Action, to conversation: SessionID) async throws {
    guard try await mayTellTyping(to: conversation) else { return }
    let now = try time()
    let sealed = try seal(
      Message(.typing(TypingIndicator(action, sentAt: now)), sentAt: now), for: conversation)
    do throws(NetworkFailure) {
      try await environment.swarms.perform([.store(sealed.item)], in: conversation, as: nil).check()
    } catch {
      environment.log(.debug, .messages, "typing-not-sent", .error(error))
    }
  }
}
