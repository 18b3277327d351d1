internal import CSessionCore

extension Account {
  /// Seals one message for several accounts in one blob: each opens it, none learns who the others are.
  ///
  /// `domain` names the purpose and must be the same on both ends; 64 bytes of it count. Unlike a message
  /// sealed for one recipient, the blob does not prove its sender to third parties.
  public func seal(
    _ message: some Collection<UInt8>, forAll recipients: [SessionID], domain: String
  ) throws(SessionError) -> [UInt8] {
    for recipient in recipients { try recipient.require(.standard) }
    let recipientKeys = recipients.flatMap(\.key)
    return try withKeys { (keys) throws(SessionError) in
      try message.lend { (message) throws(SessionError) in
        try recipientKeys.lend { (recipientKeys) throws(SessionError) in
          try domain.utf8.lend { (domain) throws(SessionError) in
            let size = Int(SC_KEY_BYTES)
            let views = (0..<recipients.count).map { sc_bytes(ptr: recipientKeys.ptr + $0 * size, len: size) }
            return try Core.bytes {
              sc_multi_seal($0, nil, keys.pointer(to: \.x), views, views.count, [message], 1, domain, nil)
            }
          }
        }
      }
    }
  }

  /// Opens a blob that `sender` sealed for this account among others.
  public func open(
    _ blob: some Collection<UInt8>, fromAccount sender: SessionID, domain: String
  ) throws(SessionError) -> [UInt8] {
    try sender.require(.standard)
    return try withKeys { (keys) throws(SessionError) in
      try blob.lend { (blob) throws(SessionError) in
        try domain.utf8.lend { (domain) throws(SessionError) in
          try Core.bytes { sc_multi_open($0, keys.pointer(to: \.x), sender.key, domain, blob) }
        }
      }
    }
  }
}
