import SessionCore
import SessionJobs
import SessionStorage

/// The groups that the account is in or was in.
final class Groups: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor

  var handlers: [JobHandler] { [makeKeptInvitation()] }

  init(_ context: AccountContext, _ author: ConfigAuthor) {
    self.context = context
    self.author = author
  }

  /// Deletes the conversation of a group that the account cannot take part in any more, on all devices.
  func deleteConversation(_ group: SessionID) async throws {
    try await act { [self] in
      guard try database.read({ transaction in try transaction.thread(at: group.address) }) != nil else {
        throw MessengerError(.noConversation, "no such conversation")
      }
      try author.editNow { configs, _ in
        guard try configs.groups[group]?.credentials(of: account) == nil else {
          throw MessengerError(.notAllowed, "only groups that you are no longer in can be deleted")
        }
        try configs.groups.remove(group)
        try configs.conversations.remove(.group(group))
      } writing: { _, transaction, now in
        // Already done if the configs had an entry.
        try ConfigProjection(context: context, now: now).removeGroup(group, in: transaction)
      }
    }
  }
}
