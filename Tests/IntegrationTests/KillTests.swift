import Foundation
import SessionCore
import SessionMessaging
import SessionNode
import Testing

/// A device is killed in the middle of what it does, again and again: nothing is lost, and nothing is there twice.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillTests {
  private static let rounds = ProcessInfo.processInfo.environment["SOAK"] == nil ? 4 : 60

  @Test func killWhileSendingAndSyncingLosesNothing() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let folder = town.freshFolder()
      await town.stop(try await town.device(of: account, name: "Alice", in: folder))
      let desk = try await town.device(of: account)
      var (said, asked) = (0, 0)
      for round in 0..<Self.rounds {
        let resident = try Resident(in: folder, town.net.networkFile, .writing(to: bob.id))
        for _ in 0..<3 {
          asked += 1
          try await bob.send("asked \(asked)", to: account.id)
        }
        let told = try await resident.die(after: 3 + round * 7 % 20, "sent")
        said = max(said, told.compactMap { $0.dropPrefix("sent ") }.max() ?? 0)
      }
      let alice = try await town.open(folder)
      // The runner is idle while a delivery that failed waits for its retry.
      let rows = try await alice.when { device -> [MessageView]? in
        let rows = try await device.everything(in: bob.id)
        return rows.allSatisfy { $0.state != .sending } ? rows : nil
      }
      let numbers = rows.filter(\.isOutgoing).compactMap { Int($0.body) }
      let last = numbers.count
      #expect(numbers.sorted() == Array(1..<last + 1) && last >= said)
      #expect(rows.filter(\.isOutgoing).allSatisfy { $0.state == .sent })
      let written = numbers.map { "\($0)" }
      let answers = (0..<asked).map { "asked \($0 + 1)" }
      for (device, other) in [(bob, account.id), (desk, bob.id), (alice, bob.id)] {
        let bodies = try await device.when { device -> [String]? in
          let bodies = try await device.everything(in: other).map(\.body)
          return bodies.count >= last + asked ? bodies : nil
        }
        #expect(bodies.sorted() == (written + answers).sorted())
      }
      let name = try await alice.conversation(.person(bob.id))?.name
      _ = try await desk.when { try await $0.conversation(.person(bob.id))?.name == name ? true : nil }
      #expect(name?.hasPrefix("Number ") == true)
      #expect(try await bob.conversations().map(\.name) == ["Alice"])
    }
  }

  @Test func killWhileReceivingLosesNothing() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let folder = town.freshFolder()
      await town.stop(try await town.device(of: account, name: "Alice", in: folder))
      let count = 350
      for number in 0..<count { try await bob.send("\(number)", to: account.id) }
      try await bob.waitUntilIdle()
      for round in 0..<3 {
        _ = try await Resident(in: folder, town.net.networkFile).die(after: 1 + round * 60, "received")
      }
      let alice = try await town.open(folder)
      let bodies = try await alice.when { device -> [String]? in
        guard try await device.conversation(.person(bob.id)) != nil else { return nil }
        let bodies = try await device.everything(in: bob.id).map(\.body)
        return bodies.count >= count ? bodies : nil
      }
      #expect(bodies.compactMap { Int($0) }.sorted() == Array(0..<count))
      let told = try await alice.events(limit: Messenger.maxEvents).filter { $0.kind == .messageReceived }
      // Acknowledged events are not delivered again; the remaining ones are delivered once.
      #expect(Set(told.map(\.message)).count == told.count)
      #expect(try await alice.conversation(.person(bob.id))?.unreadMessages == count)
    }
  }

  @Test func killDuringUploadsSendsEachFileOnce() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let folder = town.freshFolder()
      await town.stop(try await town.device(of: account, name: "Alice", in: folder))
      var (said, unfinished) = (0, 0)
      for round in 0..<Self.rounds {
        let resident = try Resident(in: folder, town.net.networkFile, .sendingFiles(to: bob.id))
        let told = try await resident.die(after: 2 + round % 2, "moved")
        said = max(said, told.compactMap { $0.dropPrefix("sent ") }.max() ?? 0)
        unfinished += try await town.look(into: folder) { device in
          try await device.everything(in: bob.id).flatMap(\.attachments).count { $0.state == .uploading }
        }
      }
      #expect(unfinished > 0)
      let alice = try await town.open(folder)
      let rows = try await alice.when { device -> [MessageView]? in
        let rows = try await device.everything(in: bob.id)
        return rows.allSatisfy { $0.state != .sending } ? rows : nil
      }
      #expect(rows.allSatisfy { $0.state == .sent && $0.attachments.map(\.state) == [.ready] })
      let last = rows.count
      print(
        "of \(last) files that went up, \(unfinished) were unfinished at \(Self.rounds) kills")
      #expect(rows.compactMap { Int($0.body) }.sorted() == Array(1..<last + 1) && last >= said)
      let got = try await bob.when { device -> [MessageView]? in
        let got = try await device.everything(in: account.id)
        return got.count >= last ? got : nil
      }
      #expect(got.compactMap { Int($0.body) }.sorted() == Array(1..<last + 1))
      for message in got {
        #expect(try await bob.ready(try #require(message.attachments.first).id) == content(of: message.body))
      }
    }
  }

  @Test func killDuringDownloadsKeepsEachFileOnce() async throws {
    try await withTown { (town) async throws in
      let account = try Account.generate()
      let bob = try await town.device(of: try Account.generate(), name: "Bob")
      let folder = town.freshFolder()
      await town.stop(try await town.device(of: account, name: "Alice", in: folder))
      var (count, unfinished) = (0, 0)
      for round in 0..<Self.rounds {
        for _ in 0..<4 {
          count += 1
          let file = OutgoingFile(.bytes(content(of: "\(count)")), name: "\(count)")
          try await bob.send(OutgoingText("\(count)"), attachments: [file], to: account.id)
        }
        let resident = try Resident(in: folder, town.net.networkFile, .fetchingFiles)
        _ = try await resident.die(after: 2 + round % 2, "moved")
        unfinished += try await town.look(into: folder) { device in
          try await device.everything(in: bob.id).flatMap(\.attachments).count { $0.state == .downloading }
        }
      }
      print(
        "of \(count) files that came down, \(unfinished) were unfinished at \(Self.rounds) kills"
      )
      #expect(unfinished > 0)
      let alice = try await town.open(folder)
      let rows = try await alice.when { device -> [MessageView]? in
        let rows = try await device.everything(in: bob.id)
        // Interrupted downloads resume by themselves; some may never have been requested.
        let files = rows.flatMap(\.attachments)
        return rows.count == count && files.allSatisfy { $0.state != .downloading } ? rows : nil
      }
      #expect(rows.allSatisfy { [[.ready], [.remote]].contains($0.attachments.map(\.state)) })
      #expect(rows.compactMap { Int($0.body) }.sorted() == Array(1..<count + 1))
      for message in rows {
        #expect(try await alice.ready(message.attachments[0].id) == content(of: message.body))
      }
    }
  }
}

/// The content of the file with a number, as a resident makes it.
private func content(of number: String) -> [UInt8] {
  let number = Int(number) ?? 0
  return [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000_000 + number)
}

extension Messenger {
  /// All messages of a conversation, the newest one first.
  fileprivate func everything(in conversation: SessionID) async throws -> [MessageView] {
    guard try await self.conversation(.person(conversation)) != nil else { return [] }
    var all = try await messages(in: .person(conversation), limit: Self.maxPage)
    while let last = all.last {
      let more = try await messages(in: .person(conversation), before: last.id, limit: Self.maxPage)
      if more.isEmpty { break }
      all += more
    }
    return all.filter { $0.kind == .message }
  }
}

extension String {
  fileprivate func dropPrefix(_ prefix: String) -> Int? {
    hasPrefix(prefix) ? Int(dropFirst(prefix.count)) : nil
  }
}
