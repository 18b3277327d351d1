internal import CSessionCore

/// One generation of prekeys, with its secrets.
public struct RatchetPrekeys: Sendable {
  /// The maximum number of one-time prekeys in a generation.
  public static let maxOneTime = Int(SC_RATCHET_MAX_ONE_TIME)

  public let generation: UInt32
  public let secret: SecretBytes
  public let kemSeed: SecretBytes
  /// The one-time prekeys that were not erased, by their places.
  public let oneTime: [Int: SecretBytes]

  /// Puts together what was stored.
  public init(
    generation: UInt32, secret: SecretBytes, kemSeed: SecretBytes, oneTime: [Int: SecretBytes]
  ) throws(SessionError) {
    guard secret.count == Int(SC_KEY_BYTES), kemSeed.count == Int(SC_MLKEM768_SEED_BYTES),
      oneTime.allSatisfy({ (0..<Self.maxOneTime).contains($0) && $1.count == Int(SC_KEY_BYTES) })
    else { throw SessionError(SC_ERR_KEY_SIZE) }
    self.generation = generation
    self.secret = secret
    self.kemSeed = kemSeed
    self.oneTime = oneTime
  }

  /// Draws a new generation. Its number must be higher than all earlier ones.
  public static func generate(
    _ generation: UInt32, oneTimeCount: Int = maxOneTime
  ) throws(SessionError) -> RatchetPrekeys {
    guard (0...maxOneTime).contains(oneTimeCount) else { throw SessionError(SC_ERR_ARGUMENT) }
    return try Core.withWiped(sc_ratchet_prekeys.self) { (prekeys) throws(SessionError) in
      try Core.call {
        sc_ratchet_prekeys_generate(prekeys, nil, generation, oneTimeCount)
        return SC_OK
      }
      let keyBytes = Int(SC_KEY_BYTES)
      var oneTime: [Int: SecretBytes] = [:]
      for place in 0..<oneTimeCount {
        oneTime[place] = try secret(prekeys, \.one_time, place * keyBytes, keyBytes)
      }
      return try RatchetPrekeys(
        generation: generation, secret: try secret(prekeys, \.secret, 0, keyBytes),
        kemSeed: try secret(prekeys, \.kem_seed, 0, Int(SC_MLKEM768_SEED_BYTES)), oneTime: oneTime)
    }
  }

  /// Copies a part of a field.
  private static func secret<Field>(
    _ prekeys: UnsafeMutablePointer<sc_ratchet_prekeys>, _ field: KeyPath<sc_ratchet_prekeys, Field>,
    _ offset: Int, _ count: Int
  ) throws(SessionError) -> SecretBytes {
    guard let start = MemoryLayout<sc_ratchet_prekeys>.offset(of: field) else {
      preconditionFailure("a field has an offset")
    }
    return try SecretBytes(
      copying: UnsafeRawBufferPointer(start: UnsafeRawPointer(prekeys) + start + offset, count: count))
  }

  func withCore<R>(
    _ body: (UnsafePointer<sc_ratchet_prekeys>) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try Core.withWiped(sc_ratchet_prekeys.self) { (prekeys) throws(SessionError) in
      prekeys.pointee.generation = generation
      copy(secret, into: &prekeys.pointee.secret, at: 0)
      copy(kemSeed, into: &prekeys.pointee.kem_seed, at: 0)
      for (place, key) in oneTime {
        copy(key, into: &prekeys.pointee.one_time, at: place * Int(SC_KEY_BYTES))
        prekeys.pointee.one_time_kept |= 1 << UInt32(place)
      }
      return try body(prekeys)
    }
  }

  private func copy<Bytes>(_ secret: SecretBytes, into bytes: inout Bytes, at offset: Int) {
    secret.withCore { content in
      withUnsafeMutableBytes(of: &bytes) { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: content.content)
      }
    }
  }
}

extension RatchetPrekeys {
  /// The public half of a generation, for bundles.
  struct Public {
    let signedPrekey: [UInt8]
    let kemKey: [UInt8]
    /// The one-time keys, concatenated.
    let oneTime: [UInt8]
  }

  func publicKeys() throws(SessionError) -> Public {
    try withCore { prekeys in
      var keys = sc_ratchet_public_prekeys()
      sc_ratchet_prekeys_public(&keys, prekeys)
      return Public(
        signedPrekey: array(keys.signed_prekey), kemKey: array(keys.kem_key),
        oneTime: Array(array(keys.one_time).prefix(keys.one_time_bytes)))
    }
  }
}
