import SessionCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct NetworkServiceTests {
  private let key = try! [UInt8](
    hex: Array("b8eef9821445ae16e2e97ef8aa6fe782fd11ad5253cd6723b281341dba22e371".utf8))

  @Test(
    arguments: [
      ("http://filev2.getsession.org", "filev2.getsession.org", nil, false),
      ("https://files.example:8443", "files.example", 8443, true),
      ("http://127.0.0.1:80", "127.0.0.1", 80, false),
      ("http://[::1]:5000", "[::1]", 5000, false), ("https://[2001:db8::1]", "[2001:db8::1]", nil, true),
    ] as [(String, String, UInt16?, Bool)])
  func aURLSaysWhereTheServerIs(url: String, host: String, port: UInt16?, usesTLS: Bool) throws {
    let server = try NetworkService(url: url, key: key).server
    #expect(server.host == host)
    #expect(server.port == port)
    #expect(server.usesTLS == usesTLS)
    #expect(server.target == "/oxen/v4/lsrpc")
    // The X25519 key that the operator of this key tells beside it.
    #expect(server.key.hex == "09324794aa9c11948189762d198c618148e9136ac9582068180661208927ef34")
  }

  @Test(arguments: [
    "", "files.example", "ftp://files.example", "http://", "http://files.example/", "http://files.example/x",
    "http://a@files.example", "http://files.example:0", "http://files.example:65536",
    "http://files.example:x",
    "http://files.example:", "http://a b", "http://::1",
  ])
  func invalidServerURLsAreRejected(url: String) {
    #expect(throws: SessionError.self) { try NetworkService(url: url, key: key) }
  }

  @Test func aKeyHas32Bytes() {
    #expect(throws: SessionError.self) { try NetworkService(url: "http://a", key: [1]) }
  }

  @Test func aFileIsCalledAsItsContentSays() {
    #expect(FileName.of("hello".utf8) == "tKO2VVg1JPHwgZuvqK_7bDHJeSr4UJ_8i13ETlwAn0jB")
    #expect(FileName.of([]).utf8.count == FileName.length)
  }
}
