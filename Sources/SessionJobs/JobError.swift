public import SessionBase

/// Why something could not be done with jobs: a code to branch on, and a message a person can act on.
public struct JobError: CodedError, Sendable {
  public let code: Code
  /// One sentence without a full stop.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension JobError {
  /// One name for each failure that callers may need to distinguish.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Another runner works on the database.
    public static let alreadyRunning = Code(rawValue: "alreadyRunning")
    /// The runner was not started, or was stopped.
    public static let notRunning = Code(rawValue: "notRunning")
    /// Two kinds, or two queues, are called the same, and are not.
    public static let ambiguous = Code(rawValue: "ambiguous")
    /// A payload is too large to store.
    public static let payloadTooLarge = Code(rawValue: "payloadTooLarge")
    /// A payload is of a version that this program does not know, or no payload at all.
    public static let unreadable = Code(rawValue: "unreadable")
    /// More waits than may wait.
    public static let tooManyWaiting = Code(rawValue: "tooManyWaiting")
    /// A job depends on more than it may.
    public static let tooManyDependencies = Code(rawValue: "tooManyDependencies")
    /// A job is to depend on all of some things, and on any of others.
    public static let conflictingDependencies = Code(rawValue: "conflictingDependencies")
    /// A job is to depend on itself, or on one that depends on it.
    public static let cyclicDependency = Code(rawValue: "cyclicDependency")
    /// The job to depend on does not exist.
    public static let unknownDependency = Code(rawValue: "unknownDependency")

    /// All of them.
    public static let all: [Code] = [
      .alreadyRunning, .notRunning, .ambiguous, .payloadTooLarge, .unreadable, .tooManyWaiting,
      .tooManyDependencies, .conflictingDependencies, .cyclicDependency, .unknownDependency,
    ]
  }
}

extension JobError.Code: CustomStringConvertible {
  public var description: String { rawValue }
}

extension JobError: CustomStringConvertible {
  public var description: String { message }
}

extension JobError.Code {
  public static func ~= (code: Self, error: JobError) -> Bool { error.code == code }
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? JobError)?.code == code }
}
