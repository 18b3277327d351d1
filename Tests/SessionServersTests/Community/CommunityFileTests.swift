import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// Files of rooms.
@Suite(.onAllStorages, .timeLimit(.minutes(10))) struct CommunityFileTests {
  private func upload(
    _ site: CommunitySite, _ member: Member?, _ content: [UInt8] = bytes("content"),
    headers: [(String, String)] = [], over way: Way = .plain, room: String = "lobby"
  ) async throws -> CommunitySite.Answer {
    try await site.call(member, "POST", "/room/\(room)/file", content, over: way, headers: headers)
  }

  private func download(_ site: CommunitySite, _ member: Member?, _ number: Int64, over way: Way = .plain)
    async throws -> CommunitySite.Answer
  {
    try await site.call(member, "GET", "/room/lobby/file/\(number)", over: way)
  }

  private func post(_ site: CommunitySite, _ member: Member, _ files: [JSONValue]) async throws {
    let json = try member.post("with files", [.init("files", .array(files))])
    #expect(try await site.call(member, "POST", "/room/lobby/message", json: json).status == 201)
  }

  @Test(
    arguments: [
      ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a;b.txt\"", "a;b.txt"),
      ("attachment; filename=\"a\\\"b;\\\\.txt\"; size=1", "a\"b;\\.txt"),
      ("attachment; filename=\"x\"; filename*=UTF-8''%C3%A4", "ä"),
      ("attachment; filename=\"open;", "\"open;"),
      ("attachment", nil), ("", nil), (";", nil),
    ] as [(String, String?)])
  func namesAreReadFromHeaders(header: String, name: String?) {
    #expect(AttachmentName.parse(header) == name)
  }

  @Test(arguments: Way.allCases) func filesOfMessagesAreForThoseWhoSeeThem(way: Way) async throws {
    try await withCommunity { (site) async throws in
      let (member, other) = (try site.member(), try site.member())
      let answer = try await upload(
        site, member, headers: [("Content-Disposition", "attachment; filename*=UTF-8''b%C3%A4r.txt")],
        over: way)
      #expect(answer.status == 201)
      #expect(answer.json == ["id": 1])
      // Only the uploader can have it until there is a message.
      #expect(try await download(site, other, 1, over: way).status == 404)
      #expect(try await download(site, nil, 1, over: way).status == 404)
      #expect(try await download(site, member, 1, over: way).status == 200)
      try await post(site, member, ["1"])
      let file = try await download(site, nil, 1, over: way)
      #expect(file.status == 200)
      #expect(file.body == bytes("content"))
      #expect(file.headers["Content-Type"] == "application/octet-stream")
      #expect(file.headers["Content-Disposition"] == "attachment; filename*=UTF-8''b%C3%A4r.txt")
      #expect(file.headers["X-Content-Type-Options"] == "nosniff")
      #expect(file.headers["Content-Security-Policy"] == "sandbox")
      #expect(file.headers.values(of: "Date") == [HTTPDate.text(site.clock.now)])
      #expect(file.headers["Expires"] == HTTPDate.text(site.clock.now + 15 * 86_400_000))
      #expect(
        try await site.call(nil, "GET", "/room/lobby/file/1/any.name", over: way).body == bytes("content"))
      _ = try await site.call(member, "DELETE", "/room/lobby/message/1", over: way)
      #expect(try await download(site, nil, 1, over: way).status == 404)
      try await site.tidy()
      #expect(try await site.contentCount() == 0)
    }
  }

  @Test func uploadsNeedThePermission() async throws {
    try await withCommunity { (site) async throws in
      #expect(try await upload(site, nil).status == 401)
      let member = try site.member()
      #expect(try await upload(site, member, []).status == 400)
      #expect(try await upload(site, member, room: "none").status == 404)
      try await site.server.store.write { try SQLText.defaults(3).run($0) }
      #expect(try await upload(site, member).status == 403)
      #expect(try await site.contentCount() == 0)
    }
  }

  @Test func largeFilesAreRefused() async throws {
    try await withCommunity {
      $0.maxFileBytes = 1000
    } body: { (site) async throws in
      let member = try site.member()
      #expect(try await upload(site, member, [UInt8](repeating: 1, count: 1001)).status == 413)
      #expect(try await upload(site, member, [UInt8](repeating: 1, count: 1000)).status == 201)
      let element = #"[{"method":"POST","path":"/room/lobby/file","b64":""}]"#
      let batch = try await site.call(member, "POST", "/batch", bytes(element))
      #expect(batch.json.elements.first?["code"] == 400)
      let right =
        #"[{"method":"POST","path":"/room/lobby/file","b64":"aGk="},{"method":"GET","path":"/room/lobby/file/2"}]"#
      let answers = try await site.call(member, "POST", "/batch", bytes(right)).json.elements
      #expect(answers.map { $0["code"] } == [201, 200])
      #expect(answers.last?["body"] == "aGk=")
    }
  }

  @Test func thePublicFileSizeIsTheLargest() async throws {
    try await withCommunity { (site) async throws in
      let member = try site.member()
      #expect(try await upload(site, member, [UInt8](repeating: 1, count: 10_000_000)).status == 201)
      #expect(try await upload(site, member, [UInt8](repeating: 1, count: 10_000_001)).status == 413)
    }
  }

  @Test func messagesTakeOnlyFilesThatAreTheirAuthorsAndNew() async throws {
    try await withCommunity { (site) async throws in
      try await site.addRoom("other")
      let (member, other) = (try site.member(), try site.member())
      for (person, room) in [(other, "lobby"), (member, "other"), (member, "lobby"), (member, "lobby")] {
        #expect(try await upload(site, person, room: room).status == 201)
      }
      try await post(site, member, [1, 2, 3, -1, 99])
      #expect(try await download(site, nil, 1).status == 404)
      #expect(try await download(site, nil, 3).status == 200)
      #expect(try await site.call(nil, "GET", "/room/other/file/2").status == 404)
      // One that has a message already, and one that is too old.
      site.clock.advance(.seconds(3601))
      try await post(site, member, [3, 4])
      #expect(try await download(site, nil, 4).status == 404)
      try await site.tidy()
      #expect(try await site.contentCount() == 1)
    }
  }

  @Test func filesOfWhispersAreWhispered() async throws {
    try await withCommunity { (site) async throws in
      let (admin, member) = (try await site.admin(), try site.member())
      #expect(try await upload(site, admin).status == 201)
      let json = try admin.post("x", [.init("whisper_mods", true), .init("files", [1])])
      _ = try await site.call(admin, "POST", "/room/lobby/message", json: json)
      #expect(try await download(site, member, 1).status == 404)
      #expect(try await download(site, admin, 1).status == 200)
    }
  }

  @Test func pinnedFilesStay() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      _ = try await upload(site, admin)
      try await post(site, admin, [1])
      _ = try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:])
      site.clock.advance(.seconds(20 * 86_400))
      try await site.tidy()
      #expect(try await download(site, nil, 1).headers["Expires"] == nil)
      _ = try await site.call(admin, "POST", "/room/lobby/unpin/1", json: [:])
      #expect(
        try await download(site, nil, 1).headers["Expires"] == HTTPDate.text(site.clock.now + 3_600_000))
      site.clock.advance(.seconds(3601))
      #expect(try await download(site, nil, 1).status == 404)
    }
  }

  @Test func filesThatAPinnedMessageGetsByAnEditStay() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      try await site.post("pinned", as: admin)
      _ = try await site.call(admin, "POST", "/room/lobby/pin/1", json: [:])
      #expect(try await upload(site, admin).status == 201)
      site.clock.advance(.seconds(4))
      let json = try admin.post("with files", [.init("files", [1])])
      #expect(try await site.call(admin, "PUT", "/room/lobby/message/1", json: json).status == 200)
      site.clock.advance(.seconds(20 * 86_400))
      try await site.tidy()
      let file = try await download(site, nil, 1)
      #expect(file.status == 200)
      #expect(file.headers["Expires"] == nil)
    }
  }

  @Test func roomsHavePictures() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8] + [1, 2, 3]
      _ = try await upload(site, admin, bytes("<svg/>"))
      _ = try await upload(site, admin, picture)
      _ = try await upload(site, admin, picture + [UInt8](repeating: 0, count: 5_000_000))
      for number in [1, 3, 9] as [Int64] {
        #expect(
          try await site.call(admin, "PUT", "/room/lobby", json: ["image": .integer(number)]).status == 406)
      }
      #expect(try await site.call(admin, "PUT", "/room/lobby", json: ["image": "2"]).status == 200)
      #expect(try await site.call(nil, "GET", "/room/lobby").json["image_id"] == 2)
      site.clock.advance(.seconds(30 * 86_400))
      try await site.tidy()
      try await site.server.store.write { try SQLText.defaults(8).run($0) }
      #expect(try await download(site, nil, 2).body == picture)
      #expect(try await site.call(admin, "PUT", "/room/lobby", json: ["image": .null]).status == 200)
      #expect(try await site.call(nil, "GET", "/room/lobby").json["image_id"] == nil)
      #expect(try await download(site, nil, 2).status == 404)
    }
  }

  @Test func filesOfMessagesAreNoRoomImages() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8] + [1, 2, 3]
      for _ in 0..<2 { #expect(try await upload(site, admin, picture).status == 201) }
      try await post(site, admin, [1])
      let json = try admin.post("x", [.init("whisper_mods", true), .init("files", [2])])
      _ = try await site.call(admin, "POST", "/room/lobby/message", json: json)
      for number in [1, 2] as [Int64] {
        let change: JSONValue = ["image": .integer(number)]
        #expect(try await site.call(admin, "PUT", "/room/lobby", json: change).status == 406)
      }
      #expect(try await download(site, nil, 2).status == 404)
    }
  }

  @Test func anUploadOfSomebodyElseIsNoRoomImage() async throws {
    try await withCommunity { (site) async throws in
      let (admin, member) = (try await site.admin(), try site.member())
      let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] as [UInt8] + [1, 2, 3]
      // It has no message yet, so no one else may see it.
      #expect(try await upload(site, member, picture).status == 201)
      #expect(try await site.call(admin, "PUT", "/room/lobby", json: ["image": 1]).status == 406)
      #expect(try await download(site, admin, 1).status == 404)
    }
  }

  @Test func picturesOfOperatorsThatAreRefusedLeaveNothing() async throws {
    try await withCommunity { (site) async throws in
      let picture = [0xFF, 0xD8, 0xFF] as [UInt8] + [1, 2, 3]
      for (room, content) in [("lobby", bytes("<svg/>")), ("none", picture)] {
        await #expect(throws: (any Error).self) {
          try await site.server.carryOut(.setImage(room: room, content: Data(content)))
        }
        #expect(try await site.contentCount() == 0)
        #expect(site.server.rules.shelves.bytes == 0)
      }
      _ = try await site.server.carryOut(.setImage(room: "lobby", content: Data(picture)))
      #expect(try await download(site, nil, 1).body == picture)
    }
  }

  @Test func pictureOfARoomOutlivesItsMessage() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      _ = try await upload(site, admin, [0xFF, 0xD8, 0xFF, 1])
      #expect(try await site.call(admin, "PUT", "/room/lobby", json: ["image": 1]).status == 200)
      try await post(site, admin, [1])
      for action in ["pin", "unpin"] {
        _ = try await site.call(admin, "POST", "/room/lobby/\(action)/1", json: [:])
      }
      _ = try await site.call(admin, "DELETE", "/room/lobby/message/1")
      site.clock.advance(.seconds(20 * 86_400))
      try await site.tidy()
      #expect(try await download(site, nil, 1).status == 200)
    }
  }

  @Test func uploadsOfADayAreBounded() async throws {
    try await withCommunity { options in
      options.uploads = .init(files: 3, bytes: 100, newcomerFiles: 2, newcomerBytes: 50)
    } body: { (site) async throws in
      let member = try site.member()
      for status in [201, 201, 429] { #expect(try await upload(site, member).status == status) }
      let other = try site.member()
      #expect(try await upload(site, other, [UInt8](repeating: 1, count: 51)).status == 429)
      site.clock.advance(.seconds(86_401))
      for status in [201, 201, 201, 429] { #expect(try await upload(site, member).status == status) }
    }
  }

  @Test func deletedFilesCountToo() async throws {
    try await withCommunity { options in
      options.uploads = .init(files: 2, bytes: 100, newcomerFiles: 2, newcomerBytes: 100)
    } body: { (site) async throws in
      let admin = try await site.admin()
      for person in [try site.member(), admin] {
        for _ in 0..<2 { #expect(try await upload(site, person).status == 201) }
        #expect(try await upload(site, person).status == 429)
        _ = try await site.call(person, "DELETE", "/room/lobby/all/\(person.id)")
        try await site.tidy()
        #expect(try await site.contentCount() == 0)
        #expect(try await upload(site, person).status == 429)
      }
    }
  }

  @Test func aFullStoreTakesNoMore() async throws {
    try await withCommunity {
      $0.maxFileStore = 150
    } body: { (site) async throws in
      let admin = try await site.admin()
      // Newcomers get little of it.
      site.clock.advance(.seconds(86_401))
      let content = [UInt8](repeating: 1, count: 100)
      #expect(try await upload(site, admin, content).status == 201)
      #expect(try await upload(site, admin, content).status == 507)
      #expect(try await site.contentCount() == 1)
      site.clock.advance(.seconds(3601))
      try await site.tidy()
      #expect(try await upload(site, admin, content).status == 201)
    }
  }

  @Test func contentWithoutARowGoes() async throws {
    let folder = try TemporaryFolder()
    try await withCommunity(in: folder) { (site) async throws in
      _ = try await upload(site, try await site.admin())
    }
    for name in ["files/ab/" + String(repeating: "ab", count: 16), "files/incoming/abc"] {
      try folder.write("x", to: name)
      // Other processes do not store it any more.
      try folder.age(name, seconds: 7200)
    }
    try await withCommunity(in: folder) { (site) async throws in
      #expect(try await site.contentCount() == 1)
    }
  }

  @Test func lostContentIsNotFound() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      _ = try await upload(site, admin)
      for name in site.folder.files(in: "files") { try site.server.rules.shelves.shelves.remove(name) }
      try await site.server.store.write { try $0.run("DELETE FROM file_chunk") }
      #expect(try await download(site, admin, 1).status == 404)
    }
  }

  @Test(
    arguments: [
      (nil, nil), ("attachment", nil), ("attachment; filename=\"a b.txt\"", "a b.txt"),
      ("attachment; filename=a.txt; filename*=UTF-8''%E2%82%AC.txt", "€.txt"),
      ("attachment; filename*=UTF-8''..%2F..%2Fx", "..\u{FFFD}..\u{FFFD}x"),
      ("attachment; filename*=UTF-8''%zz", nil),
      ("attachment; filename*=UTF-8''%FF", nil), ("attachment; filename=\"\"", nil),
      (
        "attachment; filename=\"" + String(repeating: "a", count: 10_000) + "\"",
        String(repeating: "a", count: 40) + "..." + String(repeating: "a", count: 17)
      ),
    ] as [(String?, String?)])
  func namesOfFilesAreHarmless(header: String?, name: String?) {
    #expect(AttachmentName.parse(header) == name)
    if let name { #expect(AttachmentName.parse(AttachmentName.header(name)) == name) }
  }
}
