import SessionCore
import SessionHTTP
import SessionNodeCore
import Testing

@testable import SessionServers

/// Requests signed with a key that cannot be linked to the account.
@Suite(.timeLimit(.minutes(5))) struct SignedRequestTests {
  private let keys = try! NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 3, count: 32)))
  private let time: UInt64 = 1_642_472_103
  /// From another implementation, for `/session_version?platform=desktop` at `time`.
  private let known = [
    ("X-FS-Pubkey", "078041dc14c849621fab2c6ad5a1f6ef31759b6c1d2ff4186084379d21f0af3acf"),
    ("X-FS-Timestamp", "1642472103"),
    (
      "X-FS-Signature",
      "nJNSDQfnn51b4F5OgR8cK51Z4NbtGjEiZOfuIdeNcF7CJRWkHXpHrN8O+g2PJX1D7tiD3fl1mdYEgBE+64YdCg=="
    ),
  ]

  private func headers(_ fields: [(String, String)]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.append(name, value) }
    return headers
  }

  private func signer(
    _ fields: [(String, String)], _ path: String = "/session_version?platform=desktop",
    method: HTTPMethod = .get, body: [UInt8] = [], at seconds: UInt64? = nil
  ) throws -> [UInt8]? {
    let target = try #require(HTTPTarget(parsing: path))
    let headers = headers(fields)
    return try RequestSignature(headers)?.signer(
      of: HTTPRequest(method, target, headers: headers), body: body, now: (seconds ?? time) * 1000)
  }

  private func refusal(_ body: () throws -> [UInt8]?) -> Int? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? ServerRefusal)?.status
    }
  }

  @Test func aKnownSignatureIsOfItsKey() throws {
    #expect(try signer(known)?.hex == "8041dc14c849621fab2c6ad5a1f6ef31759b6c1d2ff4186084379d21f0af3acf")
    #expect(try signer([]) == nil)
  }

  @Test func wrongSignaturesAreRejected() {
    #expect(refusal { try signer(known, "/session_version?platform=ios") } == 401)
    #expect(refusal { try signer(known, method: .post) } == 401)
    #expect(refusal { try signer(known, body: [1]) } == 401)
  }

  @Test func theClockMayBeADayOff() throws {
    #expect(try signer(known, at: time + 86_400) != nil)
    #expect(try signer(known, at: time - 86_400) != nil)
    #expect(refusal { try signer(known, at: time + 86_401) } == 425)
    #expect(refusal { try signer(known, at: time - 86_401) } == 425)
  }

  @Test func malformedHeadersAreRefused() {
    for index in known.indices {
      var missing = known
      missing.remove(at: index)
      #expect(refusal { try signer(missing) } == 400)
      #expect(refusal { try signer(known + [known[index]]) } == 400)
      for value in ["", "05" + String(known[0].1.dropFirst(2)), "+1642472103", "01642472103", "x", "AAAA"] {
        var wrong = known
        wrong[index].1 = value
        #expect(refusal { try signer(wrong) } == 400, "\(value)")
      }
    }
  }

  @Test func theBodyIsSignedToo() throws {
    let signature = try keys.sign(bytes("\(time)POST/fileabc")).base64
    let fields = [
      ("X-FS-Pubkey", "07" + keys.publicKey.hex), ("X-FS-Timestamp", "\(time)"),
      ("X-FS-Signature", signature),
    ]
    #expect(try signer(fields, "/file", method: .post, body: bytes("abc")) == keys.publicKey)
    #expect(refusal { try signer(fields, "/file", method: .post, body: bytes("abd")) } == 401)
  }

  @Test(arguments: Way.allCases)
  func theServerLooksAtSignatures(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let now = site.clock.now / 1000
      func fields(_ path: String) throws -> [(String, String)] {
        [
          ("X-FS-Pubkey", "07" + keys.publicKey.hex), ("X-FS-Timestamp", "\(now)"),
          ("X-FS-Signature", try keys.sign(bytes("\(now)POST\(path)hello")).base64),
        ]
      }
      let sent = try await site.call(
        "POST", "/file", over: way, headers: fields("/file"), body: bytes("hello"))
      #expect(sent.status == 200)
      let wrong = try await site.call("POST", "/file", over: way, headers: fields("/x"), body: bytes("hello"))
      #expect(wrong.status == 401)
      #expect(wrong.text == #"{"status_code":401}"#)
    }
  }

  @Test(arguments: Way.allCases)
  func theVersionIsWhatTheOperatorWrites(way: Way) async throws {
    try await withFileSite { (site) async throws in
      let path = "/session_version?platform=desktop"
      #expect(try await site.call("GET", path, over: way).status == 502)
      #expect(try await site.call("GET", "/session_version", over: way).status == 404)
      let names = ["../key", "", "Desktop", "a/b", "a.b", "%2e%2e", String(repeating: "a", count: 33)]
      for name in names {
        #expect(
          try await site.call("GET", "/session_version?platform=\(name)", over: way).status == 404, "\(name)")
      }
      try site.folder.write(#"{"result":"0.5.0"}"#, to: "versions/headless.json")
      #expect(
        try await site.call("GET", "/session_version?platform=headless", over: way).text.contains("0.5.0"))
      try site.folder.write(
        #"{"result":"1.2.3","assets":[{"name":"a.deb","url":"https://x/a.deb"}],"prerelease":{"result":"1.3.0"}}"#,
        to: "versions/desktop.json")
      try site.folder.write(#"{"result":"2.0.0"}"#, to: "versions/desktop-alpha.json")
      let answer = try await site.call("GET", path, over: way)
      #expect(answer.status == 200)
      #expect(try answer.json["status_code"] as? Int == 200)
      #expect(try answer.json["result"] as? String == "1.2.3")
      #expect(try answer.json["updated"] is Double)
      #expect((try answer.json["assets"] as? [[String: Any]])?.first?["name"] as? String == "a.deb")
      let alpha = try await site.call("GET", path + "&release_channel=alpha", over: way)
      #expect(try alpha.json["result"] as? String == "2.0.0")
      let stable = try await site.call("GET", path + "&release_channel=stable", over: way)
      #expect(try stable.json["result"] as? String == "1.2.3")
      #expect(try await site.call("GET", path + "&release_channel=x", over: way).status == 400)
    }
  }
}
