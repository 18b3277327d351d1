import Glibc
import SessionCore

/// One connection over which requests are sent, one after the other. Any failure ends the program.
final class LoadConnection {
  private let socket: Int32

  init(to address: NetworkAddress) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = address.port.bigEndian
    place.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    let isConnected = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { fatalError("the server does not listen") }
  }

  deinit { close(socket) }

  /// Sends a request, and returns the body of its answer.
  @discardableResult
  func exchange(_ request: [UInt8], expecting status: Int) -> [UInt8] {
    guard send(socket, request, request.count, 0) == request.count else { fatalError("the server has gone") }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    var end: (head: Int, all: Int)?
    while end.map({ bytes.count < $0.all }) ?? true {
      let count = recv(socket, &piece, piece.count, 0)
      guard count > 0 else { fatalError("the server has gone") }
      bytes += piece[..<count]
      if end == nil { end = Self.end(of: bytes) }
    }
    guard bytes.starts(with: Array("HTTP/1.1 \(status) ".utf8)) else {
      fatalError("an answer is not \(status): \(String(decoding: bytes.prefix(400), as: UTF8.self))")
    }
    return Array(bytes[(end?.head ?? 0)...])
  }

  /// Where the head of an answer ends, and where the body does; nil if the head is not there yet.
  private static func end(of bytes: [UInt8]) -> (head: Int, all: Int)? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let range = text.firstRange(of: "\r\n\r\n") else { return nil }
    let head = text.utf8.distance(from: text.startIndex, to: range.upperBound)
    let length = text[..<range.lowerBound].split(separator: "\r\n").compactMap { line in
      line.lowercased().hasPrefix("content-length:")
        ? Int(line.split(separator: ":")[1].filter(\.isNumber)) : nil
    }
    return (head, head + (length.first ?? 0))
  }
}
