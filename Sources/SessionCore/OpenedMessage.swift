internal import CSessionCore

/// An opened message and its proven author.
public struct OpenedMessage: Hashable, Sendable {
  public let content: [UInt8]
  /// The account that wrote it.
  public let sender: SessionID
  /// The sender's Ed25519 key, 32 bytes.
  public let senderEd25519PublicKey: [UInt8]
}

extension OpenedMessage {
  init(
    _ open: (UnsafeMutablePointer<sc_buffer>, UnsafeMutablePointer<sc_sender>) -> sc_status
  ) throws(SessionError) {
    var sender = sc_sender()
    self.content = try Core.bytes { open($0, &sender) }
    self.sender = SessionID(sender.id)
    self.senderEd25519PublicKey = array(sender.ed25519_public)
  }
}
