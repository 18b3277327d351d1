internal import CSessionCore

final class StreamSealer: AttachmentSealer {
  private let handle: OpaquePointer
  private let output = SinkBuffer()
  private var size: UInt64 = 0
  private var key: SecretBytes?

  init(
    by account: Account, as domain: AttachmentSealing.StreamDomain, isSizeUnlimited: Bool
  ) throws(SessionError) {
    let domain =
      switch domain {
      case .attachment: SC_STREAM_FILE_ATTACHMENT
      case .displayPicture: SC_STREAM_FILE_PICTURE
      }
    var handle: OpaquePointer?
    try account.withKeys { [output] (keys) throws(SessionError) in
      guard let secret = keys.pointer(to: \.ed.secret) else { preconditionFailure("a pair has a secret") }
      let seed = sc_bytes_make(secret, Int(SC_ED25519_SEED_BYTES))
      try Core.call { sc_stream_sealer_new(&handle, nil, output.sink, seed, domain, isSizeUnlimited) }
    }
    guard let handle else { preconditionFailure("the core made no sealer and reported none missing") }
    self.handle = handle
  }

  deinit { sc_stream_sealer_free(handle) }

  var measuresFirst: Bool { true }

  func measure(_ content: [UInt8]) throws(SessionError) {
    try content.lend { (content) throws(SessionError) in
      try Core.call { sc_stream_sealer_measure(handle, content) }
    }
    size += UInt64(content.count)
  }

  func head() throws(SessionError) -> [UInt8] {
    if key == nil {
      key = try Core.secret(count: Int(SC_STREAM_FILE_KEY_BYTES)) { sc_stream_sealer_begin($0, handle) }
      return output.drain()
    }
    var more = true
    while more && output.isEmpty {
      try Core.call { sc_stream_sealer_pad(&more, handle) }
    }
    return output.drain()
  }

  func seal(_ content: [UInt8]) throws(SessionError) -> [UInt8] {
    try content.lend { (content) throws(SessionError) in
      try Core.call { sc_stream_sealer_write(handle, content) }
    }
    return output.drain()
  }

  func finish() throws(SessionError) -> (end: [UInt8], pointer: AttachmentPointer) {
    guard let key else { throw SessionError(SC_ERR_STATE) }
    try Core.call { sc_stream_sealer_finish(handle) }
    return (output.drain(), AttachmentPointer(format: .stream, key: key, size: size))
  }
}

final class StreamOpener: AttachmentOpener {
  private let handle: OpaquePointer
  private let output = SinkBuffer()

  init(_ pointer: AttachmentPointer) throws(SessionError) {
    var handle: OpaquePointer?
    try pointer.key.withCore { [output] (key) throws(SessionError) in
      try Core.call { sc_stream_opener_new(&handle, nil, output.sink, key) }
    }
    guard let handle else { preconditionFailure("the core made no opener and reported none missing") }
    self.handle = handle
  }

  deinit { sc_stream_opener_free(handle) }

  var checksFirst: Bool { false }
  func check(_ sealed: [UInt8]) {}
  func finishChecking() {}

  func open(_ sealed: [UInt8]) throws(SessionError) -> [UInt8] {
    try sealed.lend { (sealed) throws(SessionError) in
      try Core.call { sc_stream_opener_write(handle, sealed) }
    }
    return output.drain()
  }

  func finish() throws(SessionError) -> [UInt8] {
    try Core.call { sc_stream_opener_finish(handle) }
    return output.drain()
  }
}
