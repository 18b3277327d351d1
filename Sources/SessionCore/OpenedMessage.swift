internal import CSessionCore

/// An opened message and its proven author.
public struct OpenedMessage: Hashable, Sendable {
  public let content: [UInt8]
  public let sender: SessionID
  /// The sender's Ed25519 key, 32 bytes.
  public let senderEd25519PublicKey: [UInt8]

  init(
    _ sealed: some Collection<UInt8>,
    _ open: (UnsafeMutablePointer<sc_buffer>, UnsafeMutablePointer<sc_sender>, sc_bytes) -> sc_status
  ) throws(SessionError) {
    var sender = sc_sender()
    self.content = try Core.bytes(of: sealed) { open($0, &sender, $1) }
    self.sender = SessionID(sender.id)
    self.senderEd25519PublicKey = array(sender.ed25519_public)
  }
}
