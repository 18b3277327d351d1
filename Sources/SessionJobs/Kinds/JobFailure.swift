import FoundationEssentials
public import SessionCore
public import SessionStorage

/// What a failure means for the job that met it.
public enum JobVerdict: Hashable, Sendable {
  /// It would fail again.
  case permanent
  /// It may do better later: after the usual rest, or a longer one that the other side asked for.
  case retry(after: Duration? = nil)
}

/// An error that says by itself whether it is worth trying again. Others are.
public protocol JobFailing: Error {
  var verdict: JobVerdict { get }
}

/// Thrown by a job that cannot go on yet, which is no failure: it runs again after a while, and not before what it
/// waits for. One that does so three times in three seconds has failed.
public struct JobDeferral: Error, Sendable {
  public let rest: Duration
  public let dependencies: [JobDependency]

  public init(for rest: Duration = .seconds(1), after dependencies: [JobDependency] = []) {
    self.rest = rest
    self.dependencies = dependencies
  }

  /// How many deferrals within as many seconds are a loop.
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
