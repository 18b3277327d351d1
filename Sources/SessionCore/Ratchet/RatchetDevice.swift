internal import CSessionCore

/// This device of an account: its own key pair, and the account's signature of it.
public struct RatchetDevice: Sendable {
  /// The public key, which others know the device by.
  public let id: [UInt8]
  /// The id of its account.
  public let account: SessionID
  /// One `sc_ratchet_device`.
  private let value: SecretBytes

  /// Makes the device of a random 32-byte seed, which never leaves the device. The same seed and time give the same
  /// device.
  public init(of account: Account, seed: SecretBytes, createdAtSeconds: UInt64) throws(SessionError) {
    guard seed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    (id, value) = try Core.withWiped(sc_ratchet_device.self) { (device) throws(SessionError) in
      seed.withCore { seed in
        account.withCore { sc_ratchet_device_make(device, $0, seed.ptr, createdAtSeconds) }
      }
      return (array(device.pointee.keys.ed.public_key), try SecretBytes(value: device))
    }
    self.account = account.id
  }

  func withCore<R, E: Error>(_ body: (UnsafePointer<sc_ratchet_device>) throws(E) -> R) throws(E) -> R {
    try value.withValue(sc_ratchet_device.self, body)
  }
}

/// The proven identity of the device that started a session.
public struct RatchetSender: Hashable, Sendable {
  public let account: SessionID
  /// The Ed25519 key of the account.
  public let accountKey: [UInt8]
  public let device: [UInt8]
  public let createdAtSeconds: UInt64

  init(_ certificate: sc_ratchet_certificate) {
    account = SessionID(certificate.account)
    accountKey = array(certificate.account_key)
    device = array(certificate.device)
    createdAtSeconds = certificate.created_s
  }
}
