import SessionStorage

extension WriteTransaction {
  /// Notes the nonce of a change until a time. False for one that is there.
  func take(nonce: [UInt8], until: Int64) throws(StorageError) -> Bool {
    guard try !exists("SELECT 1 FROM nonce WHERE nonce = ?1", nonce) else { return false }
    try run("INSERT INTO nonce (nonce, until) VALUES (?1, ?2)", nonce, until)
    return true
  }

  /// Forgets nonces whose time is over.
  func removeNonces(now: Int64) throws(StorageError) {
    try run("DELETE FROM nonce WHERE until < ?1", now)
  }
}
