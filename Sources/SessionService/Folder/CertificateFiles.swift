import SessionBase
package import SessionCore
package import SessionHTTP

/// The certificate of a server and its key, in two files of its folder.
package struct CertificateFiles: Sendable {
  private static let maxBytes = 64 * 1024

  package let certificate: String
  package let key: String

  package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

  /// The identity of the files; a fresh one, for an IPv4 address that others call, is written where there is none.
  package func identity(for address: NetworkAddress) throws -> TLSIdentity {
    if !OpenFile.isMissing(certificate), !OpenFile.isMissing(key) {
      var secret = try OpenFile(reading: key).readAll(upTo: Self.maxBytes)
      defer { secret.wipe() }
      return TLSIdentity(
        certificate: try OpenFile(reading: certificate).readAll(upTo: Self.maxBytes),
        key: try SecretBytes(copying: secret))
    }
    let host = address.hostBytes.map(String.init).joined(separator: ".")
    let identity = try TLSIdentity.selfSigned(for: [host])
    try identity.withKey { (bytes) throws(FileError) in
      try PendingFile.write(bytes, to: key, replacing: true)
    }
    try PendingFile.write(identity.certificate.span, to: certificate, replacing: true)
    return identity
  }
}
