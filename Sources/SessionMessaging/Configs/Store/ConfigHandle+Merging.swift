import SessionCore

extension ConfigHandle {
  /// The most messages, and bytes of them, in one merge. A single message may be larger.
  private static let maxMerged = 1000
  private static let maxMergedBytes = 16 << 20

  /// Merges messages. Returns the effect, the rejected messages, and true if the earlier revision is now too old for
  /// others to merge.
  private func mergeAll(
    _ messages: [ConfigMessage], at now: MessageTime
  ) throws(SessionError) -> (effect: ConfigEffect, rejected: [ConfigMerge.Rejection], wasLeftBehind: Bool) {
    var effect = ConfigEffect.kept
    var rejected: [ConfigMerge.Rejection] = []
    var wasLeftBehind = false
    var rest = messages[...]
    while !rest.isEmpty {
      let number = sequenceNumber
      let portion = rest.prefix(Self.portion(of: rest))
      let merged = try merge(portion, at: now)
      effect = max(effect, merged.effect)
      wasLeftBehind =
        wasLeftBehind || (merged.effect == .adopted && sequenceNumber - number >= ConfigDocument.lag)
      // After many rejected messages the core leaves the rest unread: merge the rest again on its own.
      let read = max(1, merged.errors.firstIndex { $0?.code == .configUnread } ?? portion.count)
      for (message, error) in zip(portion, merged.errors.prefix(read)) {
        if let error { rejected.append(ConfigMerge.Rejection(hash: message.hash, error: error)) }
      }
      rest = rest.dropFirst(read)
    }
    return (effect, rejected, wasLeftBehind)
  }

  /// Merges messages, and repeats unpushed edits if others are too far ahead to merge them, or if merging reverted
  /// them without a conflict.
  func merge(
    _ messages: [ConfigMessage], keeping edits: inout ConfigEdits, at now: MessageTime
  ) throws(SessionError) -> (effect: ConfigEffect, rejected: [ConfigMerge.Rejection]) {
    let unpushed = isClean ? nil : ConfigMark(of: self)
    var (effect, rejected, wasLeftBehind) = try mergeAll(messages, at: now)
    if let unpushed, wasLeftBehind {
      if try edits.redo(upTo: unpushed, in: self) { effect = .redone }
    } else if effect == .resolved {
      try closeMerge()
      if try edits.redoOvertaken(upTo: unpushed, in: self) { effect = .redone }
    }
    return (effect, rejected)
  }

  private static func portion(of messages: ArraySlice<ConfigMessage>) -> Int {
    var bytes = 0
    let fitting = messages.prefix(maxMerged).prefix { message in
      bytes += message.stored.count
      return bytes <= maxMergedBytes
    }
    return max(1, fitting.count)
  }
}
