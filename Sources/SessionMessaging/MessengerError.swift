public import SessionBase

/// The failure of a call: a code to branch on, and a message for people.
///
/// Errors of the core, the storage and the jobs are passed on unchanged.
public struct MessengerError: CodedError, Hashable, Sendable {
  public enum Code: String, Sendable, CaseIterable {
    /// The folder contains no account.
    case noAccount
    /// The folder already contains an account.
    case accountExists
    /// The messenger was started before, or has stopped.
    case notReady
    /// The account was opened for reading only.
    case readOnly
    /// The conversation does not exist.
    case noConversation
    /// The message does not exist, or no longer.
    case noMessage
    /// The job does not exist, or has ended.
    case noJob
    /// The job is internal and cannot be cancelled; the message has the reason.
    case jobNotCancellable
    /// The person is blocked.
    case blocked
    /// This device knows no such group.
    case noGroup
    /// The account, or another person, is not a member of the group.
    case notMember
    /// Only admins of the group can do it.
    case notAdmin
    /// There is no such room, or its server does not let us in.
    case noRoom
    /// The server of a room could not be reached, or failed; the message has the reason.
    case serverFailed
    /// The server of a room is known with another key than the link has.
    case keyDiffers
    /// The only admin cannot leave the group.
    case lastAdmin
    /// The only member cannot leave the group, but delete it.
    case lastMember
    /// The member is an admin, and admins cannot be removed.
    case isAdmin
    /// The person is still being removed from the group.
    case removalPending
    /// The person is a member already.
    case alreadyMember
    /// The group has as many members as it can have.
    case groupFull
    /// The group is still being created, or its newest key has not arrived yet.
    case groupNotReady
    /// No key of the group is left: an admin has to come online.
    case groupExpired
    /// The group was deleted for everyone.
    case groupDestroyed
    /// The swarm of the group does not let us in at the moment.
    case accessLost
    /// The name is empty or too long.
    case invalidName
    /// The id is not one that messages can be sent to.
    case invalidRecipient
    /// The action does not apply to the message; the error's message has the reason.
    case notAllowed
    /// The key of a message was used for another one.
    case keyConflict
    /// The cursor of events is beyond the newest event: it belongs to another database.
    case unknownCursor
    /// The account has as many readers of events as it can have.
    case tooManyReaders
    /// The file cannot be sent, downloaded or read; the message has the reason.
    case fileUnavailable
    /// The time is not known.
    case unknownTime
    /// The message cannot be protected as required.
    case security
    /// The person has to be verified first, or has changed since they were; the message has the reason.
    case identity
    /// The program that holds the account ended before it replied: look whether the change was made before you repeat it.
    case outcomeUnknown
  }

  public let code: Code
  /// One sentence without a full stop.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static let unexpectedReply = MessengerError(
    .outcomeUnknown, "the program that holds the account sent an unexpected reply")
}

extension MessengerError: CustomStringConvertible {
  public var description: String { message }
}

extension MessengerError.Code {
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? MessengerError)?.code == code }
}
