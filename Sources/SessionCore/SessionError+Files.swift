package import SessionBase

extension SessionError {
  package init(_ error: FileError) { self.init(Code(error.code), error.message) }

  /// Runs work on files, and converts its errors to this module's.
  package static func files<R: ~Copyable>(
    _ work: () throws(FileError) -> R
  ) throws(SessionError) -> R {
    do throws(FileError) { return try work() } catch { throw SessionError(error) }
  }

  /// Does the same for asynchronous work. Other errors are passed on unchanged.
  package static func files<R>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> R
  ) async throws -> R {
    do { return try await work() } catch let error as FileError { throw SessionError(error) }
  }
}

extension SessionError.Code {
  fileprivate init(_ code: FileError.Code) {
    switch code {
    case .unreadable, .device: self = .fileUnreadable
    case .uncreatable: self = .fileUncreatable
    case .exists: self = .fileExists
    case .unwritable: self = .fileUnwritable
    case .readerGone: self = .readerGone
    case .forbidden, .inUse: self = .fileForbidden
    case .diskFull: self = .diskFull
    case .tooLarge: self = .tooLarge
    }
  }
}
