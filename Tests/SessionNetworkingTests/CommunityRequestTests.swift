import SessionCore
import Testing

@testable import SessionNetworking

/// What requests to community servers look like, byte for byte.
@Suite struct CommunityRequestTests {
  private let room: Community.Place
  private let nonce: [UInt8]
  private let time: MessageTime

  init() throws {
    room = try Community.Place(server: "https://example.org", room: "The-Best-Room")
    nonce = try [UInt8](hex: "09d0799f2295990182c3ab3406fbfc5b".utf8)
    time = try MessageTime(milliseconds: 1_642_472_103_999)
  }

  private func identity(_ scheme: CommunityIdentity.Scheme) throws -> CommunityIdentity {
    // The account of these words is that of any other test: only the form of the headers is looked at.
    try CommunityIdentity(
      of: Account(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 16))),
      on: [UInt8](hex: "c3b3c6f32f0ab5a57f853cc4f30f5da7fda5624b0c77b3fb0829de562ada081d".utf8),
      scheme: scheme)
  }

  @Test(arguments: CommunityIdentity.Scheme.allCases)
  func signedRequestsNameTheIdOfTheScheme(scheme: CommunityIdentity.Scheme) throws {
    let identity = try identity(scheme)
    let call = CommunityCall<CommunityPage>.messages(.recent, in: room, limit: 25)
    let request = try ServerRequest(call.request, as: identity, nonce: nonce, at: time)
    #expect(request.endpoint == "/room/the-best-room/messages/recent?t=r&reactors=5&limit=25")
    #expect(request.body == nil)
    #expect(
      request.headers.map(\.name) == [
        "X-SOGS-Pubkey", "X-SOGS-Timestamp", "X-SOGS-Nonce", "X-SOGS-Signature",
      ])
    let prefix = [CommunityIdentity.Scheme.unblinded: "00", .blinded15: "15", .blinded25: "25"][scheme]
    #expect(request.headers[0].value == identity.signer.description)
    #expect(request.headers[0].value.prefix(2) == prefix ?? "")
    #expect(request.headers[1].value == "1642472103")
    #expect(request.headers[2].value == "CdB5nyKVmQGCw6s0Bvv8Ww==")
    let signature = try [UInt8](base64: request.headers[3].value.utf8)
    let text =
      identity.server + nonce
      + Array("1642472103GET/room/the-best-room/messages/recent?t=r&reactors=5&limit=25".utf8)
    try Signature.verify(signature, of: text, by: identity.signer.key)
  }

  @Test func anEmojiIsSignedAsItIs() throws {
    let identity = try identity(.blinded15)
    let call = try CommunityCall<CommunityReactionChange>.removeReaction("👍🏽", from: 12, in: room)
    let request = try ServerRequest(call.request, as: identity, nonce: nonce, at: time)
    #expect(request.endpoint == "/room/the-best-room/reaction/12/👍🏽")
    let text =
      identity.server + nonce + Array("1642472103DELETE/room/the-best-room/reaction/12/👍🏽".utf8)
    try Signature.verify(
      [UInt8](base64: request.headers[3].value.utf8), of: text, by: identity.signer.key)
  }

  @Test func anonymousRequestsHaveNoHeaders() throws {
    let request = try ServerRequest(
      CommunityCall<[CommunityRoom]>.rooms.request, as: nil, nonce: nonce, at: time)
    #expect(request == ServerRequest(.get, "/rooms"))
  }

  private static func text(_ request: CommunityRequest) -> String {
    let body = request.body.bytes.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
    return "\(request.method.name) \(request.target)\(body)"
  }

  @Test func callsHaveTheFormsOfTheProtocol() throws {
    typealias Act = CommunityCall<Void>
    let person = try identity(.blinded15).author
    let requests = [
      CommunityCall<CommunityCapabilities>.capabilities.request,
      CommunityCall<CommunityRoom>.room(room).request,
      CommunityCall<CommunityPoll>.poll(room, knowing: 7).request,
      CommunityCall<CommunityPage>.messages(.since(sequence: 9), in: room).request,
      CommunityCall<CommunityPage>.messages(.before(number: 9), in: room).request,
      CommunityCall<CommunityMessage>.message(3, in: room).request,
      CommunityCall<CommunityReceipt>.post([1], signature: [2], files: [5], whisper: .moderators, in: room)
        .request,
      CommunityCall<CommunityReceipt>.post([1], signature: [2], whisper: .person(person), in: room).request,
      Act.edit(3, [1], signature: [2], in: room).request, Act.delete(3, in: room).request,
      Act.pin(3, in: room).request, Act.unpin(3, in: room).request, Act.unpinAll(in: room).request,
      try CommunityCall<CommunityReactionChange>.react("🦆", to: 3, in: room).request,
      try CommunityCall<CommunityReactionChange>.removeAllReactions("🦆", from: 3, in: room).request,
      try CommunityCall<CommunityReactionChange>.removeAllReactions(from: 3, in: room).request,
      CommunityCall<CommunityLetterPage>.inbox(since: 0).request,
      CommunityCall<CommunityLetterPage>.outbox(since: 4).request,
      CommunityCall<CommunityLetterReceipt>.send([1], to: person).request, Act.emptyInbox.request,
      Act.ban(person, from: .room(room), for: .seconds(60)).request,
      Act.ban(person, from: .server).request, Act.unban(person, from: .room(room)).request,
      Act.appoint(person, .admin, in: .room(room)).request,
      Act.appoint(person, .member, in: .server).request,
      Act.deleteAll(by: person, in: .room(room)).request, Act.deleteAll(by: person, in: .server).request,
    ]
    let (r, p) = ("/room/the-best-room", "\(person)")
    #expect(
      requests.map(Self.text) == [
        "GET /capabilities", "GET \(r)", "GET \(r)/pollInfo/7",
        "GET \(r)/messages/since/9?t=r&reactors=5&limit=100",
        "GET \(r)/messages/before/9?t=r&reactors=5&limit=100", "GET \(r)/message/3?reactors=5",
        #"POST \#(r)/message {"data":"AQ==","signature":"Ag==","files":[5],"whisper_mods":true}"#,
        #"POST \#(r)/message {"data":"AQ==","signature":"Ag==","whisper_to":"\#(p)"}"#,
        #"PUT \#(r)/message/3 {"data":"AQ==","signature":"Ag=="}"#, "DELETE \(r)/message/3",
        "POST \(r)/pin/3 {}", "POST \(r)/unpin/3 {}", "POST \(r)/unpin/all {}", "PUT \(r)/reaction/3/🦆 {}",
        "DELETE \(r)/reactions/3/🦆", "DELETE \(r)/reactions/3", "GET /inbox/since/0?limit=100",
        "GET /outbox/since/4?limit=100",
        #"POST /inbox/\#(p) {"message":"AQ=="}"#, "DELETE /inbox",
        #"POST /user/\#(p)/ban {"rooms":["the-best-room"],"timeout":60}"#,
        #"POST /user/\#(p)/ban {"global":true}"#, #"POST /user/\#(p)/unban {"rooms":["the-best-room"]}"#,
        #"POST /user/\#(p)/moderator {"rooms":["the-best-room"],"moderator":true,"admin":true,"visible":true}"#,
        #"POST /user/\#(p)/moderator {"global":true,"moderator":false,"admin":false,"visible":true}"#,
        "DELETE \(r)/all/\(p)", "DELETE /rooms/all/\(p)",
      ])
  }

  @Test func filesAreSentWithTheirNameAndType() throws {
    let call = CommunityCall<Int64>.upload([1, 2], name: "Öl & Wasser.txt", to: room)
    let request = try ServerRequest(call.request, as: nil, nonce: nonce, at: time)
    #expect(request.endpoint == "/room/the-best-room/file" && request.body == [1, 2])
    #expect(
      request.headers.map(\.value) == [
        "application/octet-stream", "attachment; filename*=UTF-8''%C3%96l%20%26%20Wasser.txt",
      ])
    #expect(call.request.timeout == .seconds(60))
  }

  @Test(arguments: ["", ".", "..", "a/b", "?", "a#b", "100%", "a b", "\n", String(repeating: "🦆", count: 13)])
  func emojisThatNoPathCanHoldAreRefused(emoji: String) throws {
    #expect(throws: NetworkFailure.self) {
      try CommunityCall<CommunityReactionChange>.react(emoji, to: 3, in: room)
    }
  }

  @Test func aBatchHasOnlyTheBodiesOfItsRequests() throws {
    let batch = CommunityRequest(
      batch: [
        CommunityCall<CommunityCapabilities>.capabilities.request,
        CommunityCall<Void>.pin(3, in: room).request,
        CommunityCall<Int64>.upload([1, 2], name: nil, to: room).request,
      ], inOrder: true)
    #expect(
      Self.text(batch)
        == #"POST /sequence [{"method":"GET","path":"/capabilities"},"#
        + #"{"method":"POST","path":"/room/the-best-room/pin/3","json":{}},"#
        + #"{"method":"POST","path":"/room/the-best-room/file","headers":{"Content-Type":"application/octet-stream","#
        + #""Content-Disposition":"attachment"},"b64":"AQI="}]"#)
  }

  @Test(arguments: ["ftp://example.org", "https://example.org:99999", "https://a:b:c", "example.org", ""])
  func addressesOfNoServerAreRefused(url: String) throws {
    #expect(throws: SessionError.self) { try CommunityServer(url, key: [UInt8](repeating: 9, count: 32)) }
  }

  @Test func aKeyOfZerosIsNone() {
    #expect {
      try CommunityServer("https://chat.example.org", key: [UInt8](repeating: 0, count: 32))
    } throws: { SessionError.Code.keyInvalid ~= $0 }
  }
}
