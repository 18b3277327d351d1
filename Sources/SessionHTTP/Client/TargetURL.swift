internal import CHTTP
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

  private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
