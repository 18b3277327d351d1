import Glibc
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import Testing

/// A contact says that files lie where a real network does not go.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StrangeServerTests {
  @Test func unknownServersAreNeverContacted() async throws {
    try await withFourDevices { (town, alice, bob) async throws in
      let trap = try Trap()
      let known = try FileServer(try #require(town.net.file.services[NetworkService.fileServer]))
      let key = try Account.generate().ed25519PublicKey
      let urls = [
        // An unknown server without a key; the known one with another key, and at another port.
        try FileURL(.http, host: Trap.host, port: trap.port, fileID: "1"),
        try FileURL(known.scheme, host: known.host, port: known.port, fileID: "2", serverKey: key),
        try FileURL(known.scheme, host: known.host, port: trap.port, fileID: "3"),
        // A server of the stranger's own.
        try FileURL(.http, host: Trap.host, port: trap.port, fileID: "4", serverKey: key),
      ]
      let pointer = AttachmentPointer(
        format: .legacy, key: try .random(count: 64), digest: blur(32), size: 5000)
      let files = try urls.map { try MessageAttachment(url: $0, pointer: pointer, contentType: "image/png") }
      try await town.put(
        .visible(VisibleMessage(body: "look", attachments: files)),
        by: Account(try alice[0].recoveryPhrase()), to: bob[0].id)
      for device in bob {
        let shown = try await device.message("look", in: alice[0].id).attachments
        #expect(shown.map(\.state) == [.unusable, .unusable, .unusable, .remote])
        // A download fails with the reason.
        for file in shown { try await device.download(file.id) }
        try await device.wait { try await $0.attachment(shown[3].id)?.state == .failed }
        #expect(
          try await device.attachments(of: device.message("look", in: alice[0].id).id).map(\.state)
            == [.unusable, .unusable, .unusable, .failed])
        let told = try await device.events(limit: Messenger.maxEvents).last { $0.attachment == shown[3].id }
        #expect(told?.reason?.isEmpty == false)
      }
      #expect(!trap.wasReached)
    }
  }
}

/// A local port that counts connections.
private final class Trap {
  static let host = "127.0.0.1"

  let port: UInt16
  private let socket: Int32

  init() throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, Self.host, &address.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, size) == 0 && listen(socket, 16) == 0
          && getsockname(socket, address, &size) == 0
      }
    }
    self.socket = socket
    port = UInt16(bigEndian: address.sin_port)
    try #require(isOpen)
  }

  deinit { close(socket) }

  /// True if a client has connected.
  var wasReached: Bool {
    let visitor = accept(socket, nil, nil)
    guard visitor >= 0 else { return false }
    close(visitor)
    return true
  }
}
