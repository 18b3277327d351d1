internal import CGnuTLS
import Glibc
public import SessionCore

/// A certificate and the key that belongs to it, both as PEM.
public struct TLSIdentity: Sendable {
  public let certificate: [UInt8]
  let key: SecretBytes

  public init(certificate: [UInt8], key: SecretBytes) {
    self.certificate = certificate
    self.key = key
  }

  /// The key, for storing it.
  public func withKey<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try key.withBytes(body)
  }

  /// A fresh key with a certificate that it signs itself, valid from yesterday for ten years. `names` are names of
  /// hosts and IP addresses; the first is the one it is issued to.
  public static func selfSigned(for names: [String]) throws(HTTPError) -> TLSIdentity {
    var key: gnutls_x509_privkey_t?
    var certificate: gnutls_x509_crt_t?
    guard gnutls_x509_privkey_init(&key) == 0 else { throw .certificate }
    defer { gnutls_x509_privkey_deinit(key) }
    guard gnutls_x509_crt_init(&certificate) == 0 else { throw .certificate }
    defer { gnutls_x509_crt_deinit(certificate) }
    guard gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, curve, 0) == 0,
      fill(certificate, names), gnutls_x509_crt_set_key(certificate, key) == 0,
      gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0) == 0,
      let publicText = export({ gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_PEM, $0, $1) }),
      var secretText = export({ gnutls_x509_privkey_export(key, GNUTLS_X509_FMT_PEM, $0, $1) })
    else { throw .certificate }
    defer { secretText.wipe() }
    guard let secret = try? SecretBytes(copying: secretText) else { throw .certificate }
    return TLSIdentity(certificate: publicText, key: secret)
  }

  private static let curve = UInt32(1) << 31 | GNUTLS_ECC_CURVE_SECP256R1.rawValue

  private static func fill(_ certificate: gnutls_x509_crt_t?, _ names: [String]) -> Bool {
    let now = time(nil)
    var serial = (0..<16).map { _ in UInt8.random(in: 0...255) }
    serial[0] = serial[0] & 0x7f | 0x40
    guard gnutls_x509_crt_set_version(certificate, 3) == 0,
      gnutls_x509_crt_set_serial(certificate, serial, serial.count) == 0,
      gnutls_x509_crt_set_activation_time(certificate, now - 86_400) == 0,
      gnutls_x509_crt_set_expiration_time(certificate, now + 3650 * 86_400) == 0,
      let name = names.first,
      gnutls_x509_crt_set_dn_by_oid(
        certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.utf8.count)) == 0
    else { return false }
    return names.allSatisfy { add($0, to: certificate) }
  }

  private static func add(_ name: String, to certificate: gnutls_x509_crt_t?) -> Bool {
    let address = (try? NetworkAddress(parsing: "\(name):0")) ?? (try? NetworkAddress(parsing: "[\(name)]:0"))
    let (kind, bytes) =
      address.map { (GNUTLS_SAN_IPADDRESS, $0.hostBytes) } ?? (GNUTLS_SAN_DNSNAME, Array(name.utf8))
    return gnutls_x509_crt_set_subject_alt_name(
      certificate, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)) == 0
  }

  private static func export(
    _ write: (UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>) -> Int32
  ) -> [UInt8]? {
    var count = 16 * 1024
    var bytes = [UInt8](repeating: 0, count: count)
    defer { bytes.wipe() }
    guard bytes.withUnsafeMutableBytes({ write($0.baseAddress, &count) }) == 0 else { return nil }
    return Array(bytes[..<count])
  }
}
