internal import CSessionCore

extension Account {
  /// Seals a message for the members of a group, under the group's key of 32 bytes.
  public func seal(
    _ message: some Collection<UInt8>, forGroup group: SessionID, key: SecretBytes
  ) throws(SessionError) -> [UInt8] {
    try group.require(.group)
    return try withKeys { (keys) throws(SessionError) in
      try key.withCore { (key) throws(SessionError) in
        try message.lend { (message) throws(SessionError) in
          try Core.bytes { sc_group_seal($0, nil, keys, group.key, key, message, nil) }
        }
      }
    }
  }

  /// Opens a message of a group with the first of `keys` that fits, and proves its sender.
  ///
  /// ``SessionError/Code/noKey`` means that newer keys are needed: keep the message.
  public static func open(
    _ sealed: some Collection<UInt8>, ofGroup group: SessionID, keys: [SecretBytes]
  ) throws(SessionError) -> OpenedMessage {
    try group.require(.group)
    return try keys.withCore { (keys) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in
        try OpenedMessage { sc_group_open($0, $1, nil, nil, group.key, keys, keys.count, sealed) }
      }
    }
  }
}
