internal import CSessionCore

/// Display pictures in their older format, under a key that travels with the profile.
public enum Picture {
  /// The size limit of a picture to seal.
  public static let maxBytes = Int(SC_PICTURE_MAX_BYTES)

  /// Seals a picture under a fresh key.
  public static func seal(
    _ picture: some Collection<UInt8>
  ) throws(SessionError) -> (sealed: [UInt8], key: SecretBytes) {
    var sealed: [UInt8] = []
    let key = try picture.lend { (picture) throws(SessionError) in
      try Core.secret(count: Int(SC_PICTURE_KEY_BYTES)) { (key) throws(SessionError) in
        sealed = try Core.bytes { sc_picture_seal($0, key, nil, picture) }
        return SC_OK
      }
    }
    return (sealed, key)
  }

  /// Opens a sealed picture. Throws ``SessionError/Code/fileDamaged`` for another key or a changed picture.
  public static func open(
    _ sealed: some Collection<UInt8>, key: SecretBytes
  ) throws(SessionError) -> [UInt8] {
    try key.withCore { (key) throws(SessionError) in
      try Core.bytes(of: sealed) { sc_picture_open($0, key, $1) }
    }
  }
}
