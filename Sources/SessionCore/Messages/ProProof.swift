internal import CSessionCore

/// A proof of a Pro subscription, issued by a backend.
public struct ProProof: Hashable, Sendable {
  public enum Generation: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_pro_generation
    /// Times are in milliseconds; its version is 0.
    case a
    /// Times are in seconds.
    case b
  }

  public let generation: Generation
  /// The tag that a revocation names, 32 bytes. It stays the same for a subscription: never log it.
  public let tag: [UInt8]
  /// The key whose signatures are valid, 32 bytes.
  public let rotatingKey: [UInt8]
  /// The expiry, in the unit of its generation.
  public let expiry: UInt64
  /// The backend's signature, 64 bytes.
  public let signature: [UInt8]

  public init(
    _ generation: Generation, tag: [UInt8], rotatingKey: [UInt8], expiry: UInt64, signature: [UInt8]
  ) throws(SessionError) {
    let hasItsSizes =
      tag.count == Int(SC_KEY_BYTES) && rotatingKey.count == Int(SC_KEY_BYTES)
      && signature.count == Int(SC_SIGNATURE_BYTES)
    try MessageRule.proProof.require(hasItsSizes && expiry <= Int64.max)
    self.generation = generation
    self.tag = tag
    self.rotatingKey = rotatingKey
    self.expiry = expiry
    self.signature = signature
  }

  init(_ proof: sc_pro_proof) throws(SessionError) {
    try self.init(
      Generation(proof.generation), tag: array(proof.tag), rotatingKey: array(proof.rotating_key),
      expiry: proof.expiry, signature: array(proof.signature))
  }

  var core: sc_pro_proof {
    var proof = sc_pro_proof()
    proof.generation = generation.core
    fill(&proof.tag, with: tag)
    fill(&proof.rotating_key, with: rotatingKey)
    proof.expiry = expiry
    fill(&proof.signature, with: signature)
    return proof
  }

  /// Issues a proof as a backend does, with the 32-byte seed of its key.
  public init(
    issuing generation: Generation, tag: [UInt8], rotatingKey: [UInt8], expiry: UInt64,
    backendSeed: SecretBytes
  ) throws(SessionError) {
    guard backendSeed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_SEED) }
    let unsigned = try ProProof(
      generation, tag: tag, rotatingKey: rotatingKey, expiry: expiry,
      signature: [UInt8](repeating: 0, count: Int(SC_SIGNATURE_BYTES)))
    var proof = unsigned.core
    try backendSeed.withPair { sc_pro_issue(&proof, $0) }
    try self.init(proof)
  }
}
