internal import CSessionCore

extension MessageRule {
  /// Maps a text error to the rule that the core checks while it parses a content.
  static func checkText(_ status: sc_status) throws(SessionError) -> sc_status {
    guard status != SC_ERR_UTF8 else { throw SessionError(.textEncoding) }
    return status
  }

  /// Uses the body that the core reads.
  static func body<R>(
    _ read: (UnsafeMutablePointer<UnsafePointer<sc_message_body>?>, UnsafeMutablePointer<sc_message_rule>) ->
      sc_status, as use: (sc_message_body) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    var body: UnsafePointer<sc_message_body>?
    try call { read(&body, $0) }
    guard let body else { preconditionFailure("the core read a body and gave none") }
    return try use(body.pointee)
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

  func withBody<R>(_ use: (sc_message_body) throws(SessionError) -> R) throws(SessionError) -> R {
    try MessageRule.body({ sc_message_body_of($0, handle, $1) }, as: use)
  }
}
