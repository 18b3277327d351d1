import SessionCore
import SessionNodeCore

/// Servers that onion requests may go to: `files.example`, `files.example:8080`, `*.example` for all names below one,
/// `[2001:db8::1]:80`, or `*` for every server.
public struct HostRule: Hashable, Sendable {
  private enum Host: Hashable {
    case any
    case name(String)
    /// The suffix with its dot.
    case below(String)
    case address([UInt8])
  }

  private let host: Host
  /// Nil for every port.
  private let port: UInt16?

  /// Nil for an invalid rule.
  public init?(_ text: String) {
    let end = text.lastIndex(of: "]") ?? text.startIndex
    let colon = text[end...].lastIndex(of: ":")
    if let colon {
      let digits = text[text.index(after: colon)...]
      guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
      self.port = port
    } else {
      port = nil
    }
    let host = String(text[..<(colon ?? text.endIndex)])
    if host == "*" {
      self.host = .any
    } else if let bytes = Self.address(host) {
      self.host = .address(bytes)
    } else if host.hasPrefix("*."), Self.isName(host.dropFirst(2)) {
      self.host = .below(host.dropFirst().lowercased())
    } else if Self.isName(host[...]) {
      self.host = .name(host.lowercased())
    } else {
      return nil
    }
  }

  /// True if it admits every server.
  package var isOpen: Bool { host == .any }

  func admits(_ target: OnionTarget) -> Bool {
    guard port == nil || port == target.port else { return false }
    if let bytes = Self.address(target.host) {
      return host == .any || host == .address(bytes)
    }
    let name = target.host.lowercased()
    return switch host {
    case .any: true
    case .name(let wanted): name == wanted
    case .below(let suffix): name.hasSuffix(suffix) && name.count > suffix.count
    case .address: false
    }
  }

  private static func address(_ host: String) -> [UInt8]? {
    (try? NetworkAddress(parsing: "\(host):1"))?.hostBytes
  }

  /// Letters, digits, hyphens and underscores between dots.
  private static func isName(_ text: Substring) -> Bool {
    text.utf8.count <= 253
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        !label.isEmpty
          && label.unicodeScalars.allSatisfy {
            ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
              || $0 == "_"
          }
      }
  }
}
