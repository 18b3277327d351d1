import FoundationEssentials
public import SessionCore
public import SessionStorage

/// The meaning of a failure for its job.
public enum JobVerdict: Hashable, Sendable {
  /// It would fail again.
  case permanent
  /// It may succeed later: after the usual backoff, or a longer one that the other side requested.
  case retry(after: Duration? = nil)
}

/// An error that knows if a retry is worthwhile. Other errors are retried.
public protocol JobFailing: Error {
  var verdict: JobVerdict { get }
}

/// Thrown by a job that cannot continue yet. It is no failure: the job runs again later, but not before the jobs it
/// waits for. The third deferral within three seconds is a failure.
public struct JobDeferral: Error, Sendable {
  public let delay: Duration
  public let dependencies: [JobDependency]

  public init(for delay: Duration = .seconds(1), after dependencies: [JobDependency] = []) {
    self.delay = delay
    self.dependencies = dependencies
  }

  /// The number of deferrals within as many seconds that count as a loop.
  static let maxInARow = 3
}

extension JobDeferral: CustomStringConvertible {
  public var description: String { "it postponed itself too often" }
}

/// An error of a job that is of no other kind.
public struct JobFailure: JobFailing, CustomStringConvertible {
  public let verdict: JobVerdict
  public let description: String

  public init(_ verdict: JobVerdict, _ description: String) {
    self.verdict = verdict
    self.description = description
  }
}

extension JobVerdict {
  init(_ error: any Error) {
    self =
      switch error {
      case let error as any JobFailing: error.verdict
      case is DecodingError, is EncodingError: .permanent
      default: .retry()
      }
  }
}

// MARK: - Errors of the other modules

extension JobError: JobFailing {
  public var verdict: JobVerdict {
    switch code {
    case .tooManyWaiting, .alreadyRunning, .notRunning: .retry()
    default: .permanent
    }
  }
}

extension StorageError: JobFailing {
  public var verdict: JobVerdict {
    switch code {
    case .busy, .full, .io, .locked, .overloaded, .interrupted, .closed, .noMemory, .passphraseNeeded,
      .tooManyAttempts:
      .retry()
    default: .permanent
    }
  }
}

extension SessionError: JobFailing {
  public var verdict: JobVerdict {
    switch code {
    case .noMemory, .noRandomness, .configLagged: return .retry()
    case .requestTooLarge, .requestName, .storageMethod, .storageParameter, .storageUnauthorized, .onionURL,
      .networkDestination, .address, .quicKey:
      return .permanent
    default: break
    }
    return switch code.family {
    case .network, .fileSystem: .retry()
    default: .permanent
    }
  }
}
