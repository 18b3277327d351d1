import Folders
import Glibc
import SessionBase
import SessionCore
import SessionStorage

@testable import SessionDaemon

/// A server of HTTP with a few methods, as its clients see it.
final class HTTPSite: Sendable {
  static let origin = "http://localhost:3000"

  let service: HTTPService
  let tokens: TokenFile
  let uploads: Uploads
  /// Keeps the folder.
  private let folder: TemporaryFolder

  init(_ methods: [RPCMethod] = [], _ accounts: any ServedAccounts = NoAccounts()) throws {
    folder = try TemporaryFolder()
    tokens = TokenFile(in: StorageRoots(inside: folder.path("roots")))
    let greeting = Greeting(version: "1", dataRoot: try FileIdentity(of: "/"))
    let own = [
      RPCMethod("look", needs: .read) { _ in "\"seen\"" },
      RPCMethod("post", needs: .send) { _ in "\"sent\"" },
    ]
    let table = Dictionary(
      uniqueKeysWithValues: (own + methods + RPCMethod.basic(greeting)).map { ($0.name, $0) })
    uploads = Uploads(in: folder.path("uploads"), maxSize: 1_000_000)
    let host = ServingHost(table, accounts, Counter(), uploads: uploads)
    service = try HTTPService(
      at: LoopbackAddress(isIPv6: false, port: 0), origins: [Self.origin], host, TokenKeeper(tokens),
      metrics: { await ServerMetrics(host: host, startedAt: 5000, number: { _ in 7 }).text(for: $0) },
      log: { _ in })
  }

  var host: String { "127.0.0.1:\(service.address.port)" }

  /// A new token; its secret.
  func token(
    _ name: String, _ scopes: Set<RPCScope> = [.read], accounts: Set<String>? = nil, expiresAt: Int64? = nil
  ) async throws -> String {
    let (token, secret) = try AccessToken.make(name, scopes, accounts: accounts, at: 1, expiresAt: expiresAt)
    try await tokens.change { $0.append(token) }
    return secret.reveal()
  }

  func connect() throws -> StreamSocket {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard service.address.withSockaddr({ Glibc.connect(socket, $0, $1) }) == 0 else {
      throw FileError.system(.unreadable, "cannot connect to", service.address.url)
    }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    return try StreamSocket(adopting: socket)
  }

  /// All that the server answers to some bytes until it ends the connection.
  func answer(to text: String) async throws -> Answer {
    let socket = try connect()
    try? await socket.write(Array(text.utf8))
    var bytes: [UInt8] = []
    while let piece = try await socket.read() { bytes += piece.bytes }
    return Answer(String(decoding: bytes, as: UTF8.self))
  }

  struct Answer {
    let text: String
    let status: Int
    let headers: [String]
    let body: String

    init(_ text: String) {
      self.text = text
      let cut = text.firstRange(of: "\r\n\r\n")
      let head = text[..<(cut?.lowerBound ?? text.endIndex)]
      let lines = head.split(separator: "\r\n").map(String.init)
      status = lines.first.flatMap { Int($0.dropFirst(9).prefix(3)) } ?? 0
      headers = Array(lines.dropFirst())
      body = cut.map { String(text[$0.upperBound...]) } ?? ""
    }

    func header(_ name: String) -> String? {
      headers.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map {
        String($0.dropFirst(name.count + 2))
      }
    }
  }
}

/// A request as a test writes it, with a mistake or without.
struct HTTPText {
  var line = "POST /v1/rpc HTTP/1.1"
  var headers: [(String, String)]
  var body = #"{"jsonrpc":"2.0","id":1,"method":"look"}"#
  var hasLength = true

  init(to host: String, _ secret: String?) {
    headers = [("Host", host), ("Content-Type", "application/json"), ("Connection", "close")]
    if let secret { headers.append(("Authorization", "Bearer \(secret)")) }
  }

  /// The same request with another value of a header; nil for none.
  func with(_ name: String, _ value: String?) -> HTTPText {
    var text = self
    text.headers.removeAll { $0.0 == name }
    if let value { text.headers.append((name, value)) }
    return text
  }

  func with(line: String, body: String = "") -> HTTPText {
    var text = self
    (text.line, text.body) = (line, body)
    return text
  }

  var text: String {
    let length = hasLength ? "Content-Length: \(body.utf8.count)\r\n" : ""
    return "\(line)\r\n" + headers.map { "\($0.0): \($0.1)\r\n" }.joined() + length + "\r\n" + body
  }
}
