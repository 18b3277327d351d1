internal import CSessionCore

extension ProProof {
  /// Issues a proof as a backend does, with the 32 secret bytes of its key.
  public init(
    issuing generation: Generation, tag: [UInt8], rotatingKey: [UInt8], expiry: UInt64,
    backendSeed: SecretBytes
  ) throws(SessionError) {
    guard backendSeed.count == Int(SC_ED25519_SEED_BYTES) else { throw SessionError(SC_ERR_SEED) }
    let unsigned = try ProProof(
      generation, tag: tag, rotatingKey: rotatingKey, expiry: expiry,
      signature: [UInt8](repeating: 0, count: Int(SC_SIGNATURE_BYTES)))
    var proof = unsigned.core
    try Core.withWiped(sc_ed25519_pair.self) { (pair) throws(SessionError) in
      backendSeed.withCore { sc_ed25519_pair_from_seed(pair, $0.ptr) }
      sc_pro_issue(&proof, pair)
    }
    try self.init(
      generation, tag: tag, rotatingKey: rotatingKey, expiry: expiry,
      signature: withUnsafeBytes(of: proof.signature) { Array($0) })
  }
}
