internal import CLinux
internal import SessionCore

/// A named key in the keyring of the login session.
///
/// Calls do not fail: a kernel without keyrings, or with a full one, just has no such key.
struct KeyringEntry: Sendable {
  private let description: String

  init(name: String) {
    description = "session:\(name)"
  }

  func read() -> SecretBytes? {
    guard let id else { return nil }
    let count = DatabaseKey.byteCount + DatabaseKey.saltByteCount
    var bytes = [UInt8](repeating: 0, count: count)
    defer { bytes.wipe() }
    guard linux_key_read(id, &bytes, count) == count else { return nil }
    return try? SecretBytes(copying: bytes)
  }

  func write(_ secret: SecretBytes, lifetime: Duration) {
    let id = secret.withBytes { bytes in
      bytes.withUnsafeBytes { linux_key_add(description, $0.baseAddress, $0.count) }
    }
    guard id > 0 else { return }
    // A key without an end of its life is worse than none.
    if !limit(id, to: lifetime) { linux_key_revoke(id) }
  }

  func prolong(_ lifetime: Duration) {
    if let id { _ = limit(id, to: lifetime) }
  }

  func remove() {
    if let id { linux_key_revoke(id) }
  }

  private var id: Int32? {
    let id = linux_key_find(description)
    return id > 0 ? id : nil
  }

  private func limit(_ id: Int32, to lifetime: Duration) -> Bool {
    linux_key_expire(id, UInt32(clamping: max(lifetime.components.seconds, 1))) == 0
  }
}
