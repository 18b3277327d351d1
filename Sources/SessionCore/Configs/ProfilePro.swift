internal import CSessionCore

/// The Pro subscription of an account, as its devices share it. It is not verified here.
public struct ProfilePro: Hashable, Sendable {
  /// A proof, and the seed of the key that it names.
  public struct Credential: Hashable, Sendable {
    public let proof: ProProof
    /// 32 bytes.
    public let seed: SecretBytes

    public init(_ proof: ProProof, seed: SecretBytes) {
      self.proof = proof
      self.seed = seed
    }
  }

  public var credential: Credential?
  /// When access ends, in seconds since 1970; 0 if unknown. The same holds for the following times.
  public var accessEndsAtSeconds: Int64
  /// The grace period in seconds while a renewal is tried.
  public var graceSeconds: Int64
  public var renews: Bool
  /// When a refund was requested; 0 if that is long ago. The same holds for the purchase.
  public var refundRequestedAtSeconds: Int64
  /// When a purchase was started that has not completed.
  public var purchaseBegunAtSeconds: Int64
}

extension ProfilePro {
  init(_ pro: UnsafePointer<sc_profile_pro>) throws(SessionError) {
    credential = pro.pointee.has_credential ? try Credential(pro) : nil
    accessEndsAtSeconds = pro.pointee.access_expiry_s
    graceSeconds = pro.pointee.grace_s
    renews = pro.pointee.renews
    refundRequestedAtSeconds = pro.pointee.refund_requested_s
    purchaseBegunAtSeconds = pro.pointee.purchase_begun_s
  }
}

extension ProfilePro.Credential {
  fileprivate init(_ pro: UnsafePointer<sc_profile_pro>) throws(SessionError) {
    proof = try ProProof(pro.pointee.credential.proof)
    seed = try withUnsafeBytes(of: pro.pointee.credential.seed) { bytes in
      Result { () throws(SessionError) in try SecretBytes(copying: bytes) }
    }.get()
  }

  fileprivate func lend<R>(
    _ body: (UnsafePointer<sc_pro_credential>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    guard seed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
    return try Core.withWiped(sc_pro_credential.self) { (credential) throws(SessionError) in
      credential.pointee.proof = proof.core
      seed.withCore { seed in
        withUnsafeMutableBytes(of: &credential.pointee.seed) { $0.copyBytes(from: seed.content) }
      }
      return try body(credential)
    }
  }
}

extension ProfileConfig {
  /// Returns the account's Pro subscription at a time.
  public func pro(at now: MessageTime) throws(SessionError) -> ProfilePro {
    let object = handle.object
    return try Core.withWiped(sc_profile_pro.self) { (pro) throws(SessionError) in
      sc_user_profile_get_pro(pro, object, now.milliseconds)
      return try ProfilePro(pro)
    }
  }

  /// Changes the subscription. A valid credential or access in the future completes a purchase; while either exists,
  /// no purchase is recorded. Throws ``SessionError/Code/keyMismatch`` if the seed does not match the key of the
  /// proof.
  public mutating func updatePro(
    at now: MessageTime, _ change: (inout ProfilePro) -> Void
  ) throws(SessionError) {
    let old = try pro(at: now)
    var new = old
    change(&new)
    let (object, now) = (handle.object, now.milliseconds)
    if new.credential != old.credential { try set(new.credential, now) }
    try Core.set(new.accessEndsAtSeconds, over: old.accessEndsAtSeconds) {
      sc_user_profile_set_access_expiry(object, $0, now)
    }
    try Core.set(new.graceSeconds, over: old.graceSeconds) { sc_user_profile_set_grace(object, $0) }
    try Core.set(new.renews, over: old.renews) { sc_user_profile_set_renews(object, $0) }
    try Core.set(new.refundRequestedAtSeconds, over: old.refundRequestedAtSeconds) {
      sc_user_profile_set_refund_requested(object, $0, now)
    }
    try Core.set(new.purchaseBegunAtSeconds, over: old.purchaseBegunAtSeconds) {
      sc_user_profile_set_purchase_begun(object, $0, now)
    }
  }

  private func set(_ credential: ProfilePro.Credential?, _ now: UInt64) throws(SessionError) {
    let object = handle.object
    guard let credential else { return try SessionError.check(sc_user_profile_remove_credential(object)) }
    try credential.lend { (credential) throws(SessionError) in
      try SessionError.check(sc_user_profile_set_credential(object, credential, now))
    }
  }

  /// Sets the features that differ from the old ones, bit by bit.
  func set(
    _ features: MessagePro.ProfileFeatures, over old: MessagePro.ProfileFeatures, at now: MessageTime
  ) throws(SessionError) {
    let changed = features.symmetricDifference(old).rawValue
    for bit in (0..<UInt64.bitWidth).map({ UInt64(1) << $0 }) where changed & bit != 0 {
      let isOn = features.rawValue & bit != 0
      try SessionError.check(
        sc_user_profile_set_feature(handle.object, bit, isOn, now.milliseconds))
    }
  }
}
