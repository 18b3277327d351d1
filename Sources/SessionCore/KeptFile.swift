internal import CSessionCore

/// Makes a file that this machine keeps for itself, encrypted under a key of its own: content goes in piece by piece,
/// and what comes out is to be written in that order.
package final class KeptFileSealer {
  /// What opens the file. Who forgets it has destroyed the file.
  package let key: SecretBytes
  private let handle: OpaquePointer
  private let output = SinkBuffer()

  package init() throws(SessionError) {
    var handle: OpaquePointer?
    key = try Core.secret(count: Int(SC_KEPT_FILE_KEY_BYTES)) { [output] key in
      sc_kept_sealer_new(&handle, key, nil, output.sink)
    }
    guard let handle else { preconditionFailure("the core made no sealer and reported none missing") }
    self.handle = handle
  }

  deinit { sc_kept_sealer_free(handle) }

  package func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] {
    try content.lend { (content) throws(SessionError) in
      try Core.call { sc_kept_sealer_write(handle, content) }
    }
    return output.drain()
  }

  /// The end of the file.
  package func finish() throws(SessionError) -> [UInt8] {
    try Core.call { sc_kept_sealer_finish(handle) }
    return output.drain()
  }
}

/// Opens a file that this machine kept for itself. Each piece that comes out is as it went in; only `finish` proves that
/// nothing is missing.
package final class KeptFileOpener {
  private let handle: OpaquePointer
  private let output = SinkBuffer()

  package init(key: SecretBytes) throws(SessionError) {
    var handle: OpaquePointer?
    try key.withCore { [output] (key) throws(SessionError) in
      try Core.call { sc_kept_opener_new(&handle, nil, output.sink, key) }
    }
    guard let handle else { preconditionFailure("the core made no opener and reported none missing") }
    self.handle = handle
  }

  deinit { sc_kept_opener_free(handle) }

  package func open(_ sealed: [UInt8]) throws(SessionError) -> [UInt8] {
    try sealed.lend { (sealed) throws(SessionError) in
      try Core.call { sc_kept_opener_write(handle, sealed) }
    }
    return output.drain()
  }

  package func finish() throws(SessionError) -> [UInt8] {
    try Core.call { sc_kept_opener_finish(handle) }
    return output.drain()
  }
}
