internal import CGnuTLS
internal import CHTTP
import Glibc
import SessionCore

/// A URL parsed by libcurl, which also fetches it, so that two parsers cannot disagree.
final class TargetURL {
  let handle: OpaquePointer
  /// A name, or an IP address without brackets, in the usual form.
  let host: String
  let port: UInt16

  init(_ text: String) throws(HTTPError) {
    guard http_load_client() else { throw .unreachable("libcurl is missing") }
    guard !text.utf8.contains(0), let handle = curl_url() else { throw .url }
    let flags = UInt32(CURLU_DISALLOW_USER)
    guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
      ["http", "https"].contains(Self.part(CURLUPART_SCHEME, of: handle)),
      let host = Self.part(CURLUPART_HOST, of: handle), !host.isEmpty,
      let port = Self.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)).flatMap({ UInt16($0) }),
      port > 0
    else {
      curl_url_cleanup(handle)
      throw .url
    }
    self.handle = handle
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
  }

  deinit { curl_url_cleanup(handle) }

  /// Nil for a name.
  var address: NetworkAddress? {
    (try? NetworkAddress(parsing: "\(host):\(port)")) ?? (try? NetworkAddress(parsing: "[\(host)]:\(port)"))
  }

  /// A reference that a page has, such as `/picture.png`, resolved against the page's URL.
  fileprivate func resolve(_ reference: String) -> Bool {
    !reference.utf8.contains(0)
      && curl_url_set(handle, CURLUPART_URL, reference, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK
  }

  fileprivate var text: String? { Self.part(CURLUPART_URL, of: handle) }
  fileprivate var scheme: String? { Self.part(CURLUPART_SCHEME, of: handle) }

  /// Puts the host into letters of ASCII, as name servers know it. Returns false if it has no such form.
  fileprivate func setPlainHost() -> Bool {
    guard !host.utf8.allSatisfy({ $0 < 0x80 }) else { return true }
    var plain = gnutls_datum_t()
    guard gnutls_idna_map(host, UInt32(host.utf8.count), &plain, 0) == 0, let data = plain.data else {
      return false
    }
    // GnuTLS allocates with malloc.
    defer { free(data) }
    let name = String(decoding: UnsafeBufferPointer(start: data, count: Int(plain.size)), as: UTF8.self)
    return curl_url_set(handle, CURLUPART_HOST, name, 0) == CURLUE_OK
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

/// The address of a page: an HTTP URL without a user, as the client reads it.
public struct PageURL: Hashable, Sendable {
  /// With the host in ASCII: an international name has the form that name servers know, which looks like no other name.
  public let text: String
  public let isSecure: Bool
  /// In lower case; an address has no brackets.
  public let host: String
  public let port: UInt16
  /// True if the host is an IP address.
  public let isLiteral: Bool

  /// Throws `url`.
  public init(parsing text: String) throws(HTTPError) { try self.init(TargetURL(text)) }

  /// A link in a page, or where a server sends requests. Throws `url`.
  public func resolving(_ reference: String) throws(HTTPError) -> PageURL {
    let url = try TargetURL(text)
    guard url.resolve(reference), let text = url.text else { throw .url }
    return try PageURL(parsing: text)
  }

  /// How often a URL is read until it says the same as before.
  private static let maxReadings = 4

  private init(_ given: TargetURL) throws(HTTPError) {
    let (url, text) = try Self.settled(given)
    guard let scheme = url.scheme else { throw .url }
    self.text = text
    isSecure = scheme == "https"
    host = url.host.lowercased()
    port = url.port
    isLiteral = url.address != nil
  }

  /// Reads the text again that the client will read. A host with full-width digits or percent signs is an address only
  /// then.
  private static func settled(_ given: TargetURL) throws(HTTPError) -> (url: TargetURL, text: String) {
    var url = given
    for _ in 0..<maxReadings {
      guard url.setPlainHost(), let text = url.text else { throw .url }
      let read = try TargetURL(text)
      // No name has a percent sign, but a proxy may read one as the beginning of another sign.
      if read.text == text, !read.host.contains("%") { return (read, text) }
      url = read
    }
    throw .url
  }
}
