internal import CSessionCore

/// Seals content piece by piece. Unusable after a failure.
package protocol AttachmentSealer: AnyObject {
  /// True if the whole content must be measured before it is sealed.
  var measuresFirst: Bool { get }
  func measure(_ content: [UInt8]) throws(SessionError)
  /// Ends measuring. Returns the next piece to write before the content; empty once the content is next.
  func head() throws(SessionError) -> [UInt8]
  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8]
  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer)
}

/// Opens a sealed file piece by piece. Each piece is authenticated; only `finish` proves that nothing is missing.
/// Unusable after a failure.
package final class FileOpener {
  private let coder: CoreCoder
  /// True if the whole file must be verified before it is opened.
  package let checksFirst: Bool

  /// Opens an attachment.
  package init(_ pointer: AttachmentPointer) throws(SessionError) {
    checksFirst = pointer.format == .legacy
    coder =
      switch pointer.format {
      case .legacy:
        try CoreCoder(
          free: sc_legacy_opener_free, write: sc_legacy_opener_open, end: sc_legacy_opener_open_finish
        ) { (out, sink) throws(SessionError) in
          try pointer.key.withCore { (key) throws(SessionError) in
            try pointer.digest.lend { sc_legacy_opener_new(out, nil, sink, key, $0, pointer.size) }
          }
        }
      case .stream:
        try CoreCoder(
          free: sc_stream_opener_free, write: sc_stream_opener_write, end: sc_stream_opener_finish
        ) { out, sink in pointer.key.withCore { sc_stream_opener_new(out, nil, sink, $0) } }
      }
  }

  /// Decrypts a locally stored file.
  package init(keptUnder key: SecretBytes) throws(SessionError) {
    checksFirst = false
    coder = try CoreCoder(
      free: sc_kept_opener_free, write: sc_kept_opener_write, end: sc_kept_opener_finish
    ) { out, sink in key.withCore { sc_kept_opener_new(out, nil, sink, $0) } }
  }

  package func check(_ sealed: [UInt8]) throws(SessionError) {
    precondition(checksFirst)
    try Core.call(with: sealed) { sc_legacy_opener_check(coder.handle, $0) }
  }

  package func finishChecking() throws(SessionError) {
    precondition(checksFirst)
    try Core.call { sc_legacy_opener_check_finish(coder.handle) }
  }

  package func open(_ sealed: [UInt8]) throws(SessionError) -> [UInt8] { try coder.pass(sealed) }
  package func finish() throws(SessionError) -> [UInt8] { try coder.finish() }
}

// MARK: - The legacy format

final class LegacySealer: AttachmentSealer {
  private let coder: CoreCoder

  init(isSizeUnlimited: Bool) throws(SessionError) {
    coder = try CoreCoder(free: sc_legacy_sealer_free, write: sc_legacy_sealer_write) {
      sc_legacy_sealer_new($0, nil, $1, isSizeUnlimited)
    }
  }

  var measuresFirst: Bool { false }
  func measure(_ content: [UInt8]) {}
  func head() -> [UInt8] { [] }

  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] { try coder.pass(content) }

  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer) {
    let pointer = try Core.withWiped(sc_legacy_file_pointer.self) { (pointer) throws(SessionError) in
      try Core.call { sc_legacy_sealer_finish(pointer, coder.handle) }
      return AttachmentPointer(
        format: .legacy,
        key: try SecretBytes(
          copying: UnsafeRawBufferPointer(start: pointer, count: Int(SC_LEGACY_FILE_KEY_BYTES))),
        digest: array(pointer.pointee.digest), size: pointer.pointee.size)
    }
    return (coder.drain(), pointer)
  }
}

// MARK: - The stream format

final class StreamSealer: AttachmentSealer {
  private let coder: CoreCoder
  private var size: UInt64 = 0
  private var key: SecretBytes?

  init(
    by account: Account, as domain: AttachmentSealing.StreamDomain, isSizeUnlimited: Bool
  ) throws(SessionError) {
    coder = try CoreCoder(
      free: sc_stream_sealer_free, write: sc_stream_sealer_write, end: sc_stream_sealer_finish
    ) { out, sink in
      account.withSeed { sc_stream_sealer_new(out, nil, sink, $0, domain.core, isSizeUnlimited) }
    }
  }

  var measuresFirst: Bool { true }

  func measure(_ content: [UInt8]) throws(SessionError) {
    try Core.call(with: content) { sc_stream_sealer_measure(coder.handle, $0) }
    size += UInt64(content.count)
  }

  func head() throws(SessionError) -> [UInt8] {
    if key == nil {
      key = try Core.secret(count: Int(SC_STREAM_FILE_KEY_BYTES)) { sc_stream_sealer_begin($0, coder.handle) }
      return coder.drain()
    }
    var more = true
    while more && !coder.hasOutput {
      try Core.call { sc_stream_sealer_pad(&more, coder.handle) }
    }
    return coder.drain()
  }

  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] { try coder.pass(content) }

  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer) {
    guard let key else { throw SessionError(SC_ERR_STATE) }
    return (try coder.finish(), AttachmentPointer(format: .stream, key: key, size: size))
  }
}

// MARK: - Local files

/// Encrypts a file for local storage under its own key. Pass the content piece by piece, and write the output in
/// order.
package final class KeptFileSealer {
  /// The key of the file. Without it the file is lost.
  package let key: SecretBytes
  private let coder: CoreCoder

  package init() throws(SessionError) {
    var made: SecretBytes?
    coder = try CoreCoder(
      free: sc_kept_sealer_free, write: sc_kept_sealer_write, end: sc_kept_sealer_finish
    ) { (out, sink) throws(SessionError) in
      made = try Core.secret(count: Int(SC_KEPT_FILE_KEY_BYTES)) { sc_kept_sealer_new(out, $0, nil, sink) }
      return SC_OK
    }
    guard let made else { preconditionFailure("a sealer has a key") }
    key = made
  }

  package func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] { try coder.pass(content) }

  /// Returns the end of the file.
  package func finish() throws(SessionError) -> [UInt8] { try coder.finish() }
}
