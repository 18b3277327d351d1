import SessionCore
import SessionHTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  @Test func aServerWithACertificateIsKnownByIt() async throws {
    let identity = try TLSIdentity.selfSigned(for: ["127.0.0.1"])
    let folder = try TemporaryFolder()
    let path = folder.path + "/certificate.pem"
    try #require(write(identity.certificate, to: path))
    var options = HTTPServer.Options()
    options.tls = identity
    let server = try HTTPServer(at: loopback(), options: options) { request in
      .text(200, "\((try? await request.body.collect(upTo: 10_000_000))?.count ?? -1)")
    }
    func call(trusting trust: HTTPClient.Options.Trust) async throws -> HTTPClient.Reply {
      var options = HTTPClient.Options.patient
      options.trust = trust
      let client = try HTTPClient(options: options)
      let request = HTTPClient.Request.patient(
        .post, "https://\(server.address)/", body: Array(repeating: 1, count: 1_000_000))
      let outcome: Result<HTTPClient.Reply, any Error>
      do { outcome = .success(try await client.send(request)) } catch { outcome = .failure(error) }
      await client.stop()
      return try outcome.get()
    }
    for trust in [HTTPClient.Options.Trust.anyone, .authorities(file: path)] {
      #expect(try await call(trusting: trust).body == Array("1000000".utf8))
    }
    let other = folder.path + "/other.pem"
    try #require(write(TLSIdentity.selfSigned(for: ["127.0.0.1"]).certificate, to: other))
    for trust in [HTTPClient.Options.Trust.system, .authorities(file: other)] {
      guard case .untrusted = await failure({ _ = try await call(trusting: trust) }) else {
        Issue.record("a stranger was trusted")
        continue
      }
    }
    await server.stop()
  }

  @Test func aCertificateOfAnotherHostIsNotTrusted() async throws {
    let identity = try TLSIdentity.selfSigned(for: ["other.example", "127.0.0.2"])
    let folder = try TemporaryFolder()
    let path = folder.path + "/certificate.pem"
    try #require(write(identity.certificate, to: path))
    var serverOptions = HTTPServer.Options()
    serverOptions.tls = identity
    let server = try HTTPServer(at: loopback(), options: serverOptions) { _ in .text(200, "") }
    var options = HTTPClient.Options.patient
    options.trust = .authorities(file: path)
    let client = try HTTPClient(options: options)
    guard
      case .untrusted = await failure({
        _ = try await client.send(HTTPClient.Request.patient(.get, "https://\(server.address)/"))
      })
    else {
      Issue.record("another host was trusted")
      return
    }
    await client.stop()
    await server.stop()
  }

  @Test func nonsenseIsNoCertificate() throws {
    var options = HTTPServer.Options()
    options.tls = TLSIdentity(certificate: Array("no".utf8), key: try SecretBytes(copying: Array("no".utf8)))
    #expect(throws: HTTPError.certificate) {
      try HTTPServer(at: loopback(), options: options) { _ in .text(200, "") }
    }
    #expect(throws: HTTPError.certificate) { try TLSIdentity.selfSigned(for: []) }
  }
}
