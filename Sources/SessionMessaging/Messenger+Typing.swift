import SessionCore
import SessionJobs
import SessionStorage

extension Messenger {
  /// Reports whether the other side is typing, now and on each change, if ``setTypingIndicators(_:)`` allows it. The
  /// sequence ends when the messenger stops.
  public nonisolated func typing(in conversation: Conversation.ID) -> AsyncStream<Bool> {
    // Watched from before the first look, so that nothing falls in between.
    let changes = engine.database.observations.observe(.threads)
    let (stream, telling) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task { [engine] in
      let clock = engine.dependencies.clock
      var told: Bool?
      while !Task.isCancelled {
        let now = clock.now
        let rest = engine.typists.rest(in: conversation, now: engine.jobTime)
        let isTyping = rest != nil
        if told != isTyping { telling.yield(isTyping) }
        told = isTyping
        guard await engine.untilChange(changes, orAt: rest.map { now.saturatingAdd($0) }) else { break }
      }
      telling.finish()
    }
    telling.onTermination = { _ in task.cancel() }
    return stream
  }
}

extension Engine {
  /// Returns when there is a change, or it is some time; false when there will be no more changes.
  fileprivate func untilChange(_ changes: Observation, orAt time: Int64?) async -> Bool {
    guard let time else { return await changes.next() != nil }
    let clock = dependencies.clock
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await changes.next() != nil }
      group.addTask {
        await clock.sleep(until: time)
        return true
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
