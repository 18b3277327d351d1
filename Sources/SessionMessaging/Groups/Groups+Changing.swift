import SessionCore
import SessionJobs
import SessionStorage

/// The content to delete when a group is cleared.
public enum GroupContent: Hashable, Sendable, Codable {
  case messages
  case messagesWithFiles
}

extension Groups {
  /// Changes the name, description or timer of a group. Only for admins.
  func update(_ group: SessionID, _ change: GroupChange) async throws {
    try await act { [self] in
      try author.editNow { configs, _ in
        let key = try requireAdmin(of: group, in: configs)
        let before = try configs.readGroup(group) { (group) throws(SessionError) in
          GroupDetails(try group.getInfo())
        }
        let after = before.changed(by: change)
        let checked = try after == before ? before : after.checked()
        if checked != before {
          try configs.withGroup(group) { (group) throws(SessionError) in
            try group.updateInfo { $0.set(checked) }
          }
        }
        return (key: key, before: before, after: checked, profile: try configs.ownProfile())
      } writing: { plan, transaction, now in
        let (before, after) = (plan.before, plan.after)
        if after.name != before.name {
          try announce(
            .name(after.name), as: .renamed(after.name), with: plan.key, profile: plan.profile, at: now,
            in: transaction)
        }
        if after.timerSeconds != before.timerSeconds {
          try announce(
            .disappearing(seconds: after.timerSeconds), as: .timerChanged, with: plan.key,
            profile: plan.profile, at: now, in: transaction)
        }
      }
    }
  }

  /// Adds the note of a change by us, and tells the members. The configs have changed already.
  func announce(
    _ change: GroupInfoChange, as note: MessageView.Note, with key: GroupAdminKey, profile: MessageProfile?,
    at now: MessageTime, in transaction: borrowing WriteTransaction
  ) throws {
    let thread = try transaction.conversation(.group(key.group))
    let row = try transaction.insertOwnNote(note, in: thread, at: now, context)
    try transaction.announce(
      .infoChange(change), noted: row, in: thread, with: key, profile: profile, context)
  }

  /// Deletes what was written up to a time, for everyone. Only for admins.
  func clear(_ group: SessionID, _ content: GroupContent, before time: Int64) async throws {
    try await act { [self] in
      try author.editNow { configs, now in
        _ = try requireAdmin(of: group, in: configs)
        let (seconds, latest) = (min(time, now.stored) / 1000, now.stored / 1000)
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo { info in
            // The time only grows, unless it is one in the future, which no admin can have meant.
            func later(than known: Int64) -> Int64 { known > latest ? seconds : max(known, seconds) }
            switch content {
            case .messages: info.deletesBeforeSeconds = later(than: info.deletesBeforeSeconds)
            case .messagesWithFiles:
              info.deletesAttachmentsBeforeSeconds = later(than: info.deletesAttachmentsBeforeSeconds)
            }
          }
        }
      } writing: { _, _, _ in
      }
    }
  }
}
