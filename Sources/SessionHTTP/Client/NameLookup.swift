import Glibc
public import SessionCore

/// The system's way to find the addresses of a host.
public enum NameLookup {
  /// All addresses of a name, or none. Blocks.
  @Sendable
  public static func system(_ name: String, port: UInt16) -> [NetworkAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, String(port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next })
      .compactMap { $0?.pointee.ai_addr.flatMap { NetworkAddress($0) } }
  }
}
