internal import CSessionCore

extension MessageRule {
  /// Names the rule that the core checks while it reads a content.
  static func checkText(_ status: sc_status) throws(SessionError) -> sc_status {
    guard status != SC_ERR_UTF8 else { throw SessionError(.textEncoding) }
    return status
  }
}

/// A decoded message of the core, freed with its owner.
struct MessageHandle: ~Copyable {
  private let handle: OpaquePointer

  init(
    decoding bytes: some Collection<UInt8>,
    _ decode: (UnsafeMutablePointer<OpaquePointer?>, sc_bytes) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    var handle: OpaquePointer?
    try bytes.lend { (bytes) throws(SessionError) in
      try Core.call { () throws(SessionError) in try MessageRule.checkText(decode(&handle, bytes)) }
    }
    guard let handle else { preconditionFailure("the core decoded a message and gave none") }
    self.handle = handle
  }

  deinit { sc_message_free(handle) }

  var sender: sc_sender? { sc_message_sender(handle)?.pointee }

  var envelope: sc_envelope {
    guard let envelope = sc_message_envelope(handle) else { preconditionFailure("a message has an envelope") }
    return envelope.pointee
  }

  var proStatus: ProStatus {
    guard let pro = sc_message_pro_data(handle),
      let status = ProStatus(rawValue: Int32(pro.pointee.status.rawValue))
    else { preconditionFailure("the core gave a Pro status of no kind") }
    return status
  }

  func message() throws(SessionError) -> Message {
    guard let fields = sc_message_fields(handle) else { preconditionFailure("a message without fields") }
    return try Message(fields.pointee, hasPro: proStatus != .none)
  }
}
