import SessionCore
import SessionJobs
import SessionStorage
import Synchronization

/// The groups that the account is in or was in.
final class Groups: AccountPart {
  let context: AccountContext
  let author: ConfigAuthor
  let files: Files
  let ratchet: Ratchet
  static let queue = JobQueue("groups")
  private let poller = Mutex<(@Sendable (SessionID) async -> Bool)?>(nil)

  var handlers: [JobHandler] {
    [
      makeKeptInvitation(), makeCreation(), makeInviting(), makePromoting(), makeRemoval(), makeRevocation(),
      makeLeaving(), makeDestroying(), makeMemberMarks(), makeClearing(), makePictureUpload(),
    ]
  }

  init(_ context: AccountContext, _ author: ConfigAuthor, _ files: Files, _ ratchet: Ratchet) {
    self.context = context
    self.author = author
    self.files = files
    self.ratchet = ratchet
  }

  /// The partition of the work for a group. Messages have their own: they do not wait for work that is repeated for hours.
  static func partition(of group: SessionID) -> String { "groups:\(group.address)" }

  /// Sets how a group is polled. It returns false if the poll failed.
  func poll(by body: @escaping @Sendable (SessionID) async -> Bool) { poller.withLock { $0 = body } }

  /// Polls a group now; false if that failed.
  func poll(_ group: SessionID) async -> Bool {
    guard let poll = poller.withLock({ $0 }) else { return false }
    return await poll(group)
  }

  /// Deletes the conversation of a group that the account cannot take part in any more, on all devices.
  func deleteConversation(_ group: SessionID) async throws {
    try await act { [self] in
      guard try database.read({ transaction in try transaction.thread(at: group.address) }) != nil else {
        throw MessengerError(.noConversation, "no such conversation")
      }
      try author.editNow { configs, _ in
        guard try configs.groups[group]?.credentials(of: account) == nil, !configs.unlisted.contains(group)
        else {
          throw MessengerError(.notAllowed, "only groups that you are no longer in can be deleted")
        }
        try configs.groups.remove(group)
        try configs.conversations.remove(.group(group))
      } writing: { _, transaction, now in
        // Already done if the configs had an entry.
        try ConfigProjection(context: context, now: now).removeGroup(group, in: transaction)
        try transaction.requestFileSweep(at: jobTime)
      }
    }
  }
}
