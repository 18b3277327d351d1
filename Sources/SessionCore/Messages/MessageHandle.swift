internal import CSessionCore

extension MessageRule {
  /// Maps a text error to the rule that the core checks while it parses a content.
  static func checkText(_ status: sc_status) throws(SessionError) -> sc_status {
    guard status != SC_ERR_UTF8 else { throw SessionError(.textEncoding) }
    return status
  }
}

/// A parsed content of the core, freed with its owner.
struct ContentHandle: ~Copyable {
  private let handle: OpaquePointer

  init(parsing bytes: some Collection<UInt8>) throws(SessionError) {
    handle = try bytes.lend { (bytes) throws(SessionError) in
      try Core.object { (out) throws(SessionError) in
        try MessageRule.checkText(sc_content_parse(out, nil, bytes))
      }
    }
  }

  deinit { sc_content_free(handle) }

  func message() throws(SessionError) -> Message {
    var body: UnsafePointer<sc_message_body>?
    try MessageRule.call { sc_content_body(&body, handle, $0) }
    guard let body else { preconditionFailure("the core read a body and gave none") }
    return try Message(body.pointee)
  }
}

/// A decoded message of the core, freed with its owner.
struct MessageHandle: ~Copyable {
  private let handle: OpaquePointer

  init(
    decoding bytes: some Collection<UInt8>,
    _ decode: (UnsafeMutablePointer<OpaquePointer?>, sc_bytes) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    handle = try bytes.lend { (bytes) throws(SessionError) in
      try Core.object { (out) throws(SessionError) in try MessageRule.checkText(decode(out, bytes)) }
    }
  }

  deinit { sc_message_free(handle) }

  var sender: sc_sender? { sc_message_sender(handle)?.pointee }

  var envelope: sc_envelope {
    guard let envelope = sc_message_envelope(handle) else { preconditionFailure("a message has an envelope") }
    return envelope.pointee
  }

  var proStatus: ProStatus {
    guard let pro = sc_message_pro_data(handle) else { preconditionFailure("a message has Pro data") }
    return ProStatus(pro.pointee.status)
  }

  /// Lends the body of the message.
  func withBody<R>(_ use: (sc_message_body) throws(SessionError) -> R) throws(SessionError) -> R {
    var body: UnsafePointer<sc_message_body>?
    try MessageRule.call { sc_message_body_of(&body, handle, $0) }
    guard let body else { preconditionFailure("the core read a body and gave none") }
    return try use(body.pointee)
  }
}
