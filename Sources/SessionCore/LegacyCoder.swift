internal import CSessionCore

final class LegacySealer: AttachmentSealer {
  private let handle: OpaquePointer
  private let output = SinkBuffer()

  init(isSizeUnlimited: Bool) throws(SessionError) {
    var handle: OpaquePointer?
    try Core.call { [output] in sc_legacy_sealer_new(&handle, nil, output.sink, isSizeUnlimited) }
    guard let handle else { preconditionFailure("the core made no sealer and reported none missing") }
    self.handle = handle
  }

  deinit { sc_legacy_sealer_free(handle) }

  var measuresFirst: Bool { false }
  func measure(_ content: [UInt8]) {}
  func head() -> [UInt8] { [] }

  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] {
    try content.lend { (content) throws(SessionError) in
      try Core.call { sc_legacy_sealer_write(handle, content) }
    }
    return output.drain()
  }

  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer) {
    let pointer = try Core.withWiped(sc_legacy_file_pointer.self) { (pointer) throws(SessionError) in
      try Core.call { sc_legacy_sealer_finish(pointer, handle) }
      return AttachmentPointer(
        format: .legacy,
        key: try SecretBytes(
          copying: UnsafeRawBufferPointer(start: pointer, count: Int(SC_LEGACY_FILE_KEY_BYTES))),
        digest: withUnsafeBytes(of: pointer.pointee.digest) { Array($0) },
        size: pointer.pointee.size)
    }
    return (output.drain(), pointer)
  }
}

final class LegacyOpener: AttachmentOpener {
  private let handle: OpaquePointer
  private let output = SinkBuffer()

  init(_ pointer: AttachmentPointer) throws(SessionError) {
    var handle: OpaquePointer?
    try pointer.key.withCore { [output] (key) throws(SessionError) in
      try pointer.digest.lend { (digest) throws(SessionError) in
        try Core.call { sc_legacy_opener_new(&handle, nil, output.sink, key, digest, pointer.size) }
      }
    }
    guard let handle else { preconditionFailure("the core made no opener and reported none missing") }
    self.handle = handle
  }

  deinit { sc_legacy_opener_free(handle) }

  var checksFirst: Bool { true }

  func check(_ sealed: [UInt8]) throws(SessionError) {
    try sealed.lend { (sealed) throws(SessionError) in
      try Core.call { sc_legacy_opener_check(handle, sealed) }
    }
  }

  func finishChecking() throws(SessionError) {
    try Core.call { sc_legacy_opener_check_finish(handle) }
  }

  func open(_ sealed: [UInt8]) throws(SessionError) -> [UInt8] {
    try sealed.lend { (sealed) throws(SessionError) in
      try Core.call { sc_legacy_opener_open(handle, sealed) }
    }
    return output.drain()
  }

  func finish() throws(SessionError) -> [UInt8] {
    try Core.call { sc_legacy_opener_open_finish(handle) }
    return output.drain()
  }
}
