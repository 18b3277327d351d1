import SessionCore
import SessionJobs
import SessionStorage

extension Messenger {
  /// Reports whether the other side is typing, now and on each change, if ``setTypingIndicators(_:)`` allows it. The
  /// sequence ends when the messenger stops.
  public nonisolated func typing(in conversation: Conversation.ID) -> AsyncStream<Bool> {
    // Observe before the first read, so that no change is missed.
    let changes = context.database.observations.observe(.threads)
    let (stream, telling) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task { [context] in
      let clock = context.environment.clock
      var told: Bool?
      while !Task.isCancelled {
        let now = clock.now
        let remaining = list.typists.remaining(in: conversation, now: context.jobTime)
        let isTyping = remaining != nil
        if told != isTyping { telling.yield(isTyping) }
        told = isTyping
        guard await changes.next(orAt: remaining.map { now.saturatingAdd($0) }, by: clock) else { break }
      }
      telling.finish()
    }
    telling.onTermination = { _ in task.cancel() }
    return stream
  }
}

extension Messenger {
  /// Reports who begins to type to the account, and who stops, from now on. The sequence ends when the messenger stops.
  nonisolated func typing() -> AsyncStream<(person: SessionID, isTyping: Bool)> {
    let changes = context.database.observations.observe(.threads)
    let (stream, telling) = AsyncStream.makeStream(
      of: (person: SessionID, isTyping: Bool).self, bufferingPolicy: .bufferingNewest(Typists.limit))
    let task = Task { [context] in
      let clock = context.environment.clock
      var told: Set<SessionID> = []
      while !Task.isCancelled {
        let now = clock.now
        let remaining = list.typists.remaining(now: context.jobTime)
        for person in told.symmetricDifference(remaining.keys) {
          telling.yield((person, remaining[person] != nil))
        }
        told = Set(remaining.keys)
        let end = remaining.values.min().map { now.saturatingAdd($0) }
        guard await changes.next(orAt: end, by: clock) else { break }
      }
      telling.finish()
    }
    telling.onTermination = { _ in task.cancel() }
    return stream
  }
}

extension Observation {
  /// Waits for a change or until a given time. Returns false if there will be no more changes.
  fileprivate func next(orAt time: Int64?, by clock: any JobClock) async -> Bool {
    guard let time else { return await next() != nil }
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.next() != nil }
      group.addTask {
        await clock.sleep(until: time)
        return true
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
