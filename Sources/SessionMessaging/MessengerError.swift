/// Why a messenger did not do what it was asked: a code to branch on, and a message a person can act on.
///
/// What the core, the storage and the jobs say is passed on as it is.
public struct MessengerError: Error, Hashable, Sendable {
  public enum Code: String, Sendable, CaseIterable {
    /// There is no account in the folder.
    case noAccount
    /// There is an account in the folder already.
    case accountExists
    /// The messenger was started before, or has stopped.
    case notReady
    /// It was opened for reading alone.
    case readOnly
    /// There is no such conversation.
    case noConversation
    /// There is no such message, or it is gone.
    case noMessage
    /// There is no such job, or it is over.
    case noJob
    /// The job is internal and cannot be cancelled; the message says why.
    case jobNotCancellable
    /// The person is blocked.
    case blocked
    /// The id is not one that messages can be sent to.
    case invalidRecipient
    /// The action does not apply to the message; the message says why.
    case notAllowed
    /// The key of a message was used for another one.
    case keyConflict
    /// The file cannot be sent, fetched or read; the message says why.
    case fileUnavailable
    /// The time is not known.
    case unknownTime
  }

  public let code: Code
  /// One sentence without a full stop.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension MessengerError: CustomStringConvertible {
  public var description: String { message }
}

extension MessengerError.Code {
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? MessengerError)?.code == code }
}
