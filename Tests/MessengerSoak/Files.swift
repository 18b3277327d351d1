import SessionCore
import SessionMessaging
import SessionStorage

/// Files that cross, a few at a time.
struct FileRun: Sendable {
  let name: String
  let count: Int
  let bytes: Int
  let atOnce: Int
  let alice: Messenger
  let bob: Messenger

  /// Brings all of them to the server, from when one is written down until its message is sent.
  func up() async throws -> Run {
    try await each("uploads", "sent") { number in
      let file = OutgoingFile(.bytes(content(number)), name: "\(number)")
      let sent = try await alice.send(OutgoingText(body(number)), attachments: [file], to: bob.id)
      try await alice.wait { device in
        switch try await device.message(sent)?.state {
        case .sent: true
        case .failed(let reason): throw Lost(what: "file \(number) was not sent: \(reason)")
        default: false
        }
      }
    }
  }

  /// Fetches all files and measures each download.
  func down() async throws -> Run {
    try await each("downloads", "are here") { number in
      let file = try await file(number)
      try await bob.download(file.id)
      try await bob.wait { device in
        let file = try await device.attachment(file.id)
        guard let file, ![.failed, .unusable].contains(file.state) else {
          throw Lost(what: "file \(number) did not come")
        }
        return file.isHere
      }
    }
  }

  /// Sees that each of them is there once, and whole.
  func check() async throws {
    for number in 0..<count {
      var bytes: [UInt8] = []
      for try await piece in try await bob.content(of: try await file(number).id) { bytes += piece }
      guard bytes == content(number) else { throw Lost(what: "file \(number) is another one") }
    }
  }

  private func file(_ number: Int) async throws -> AttachmentView {
    try await bob.wait { try await !$0.find(body(number), from: alice).isEmpty }
    let messages = try await bob.find(body(number), from: alice)
    guard messages.count == 1, messages[0].attachments.count == 1 else {
      throw Lost(what: "file \(number) came \(messages.flatMap(\.attachments).count) times")
    }
    return messages[0].attachments[0]
  }

  private func body(_ number: Int) -> String { "file \(number), \(name)" }

  /// Bytes that mean nothing, others for each number.
  private func content(_ number: Int) -> [UInt8] {
    var state = UInt64(number) &+ 0x9E37_79B9_7F4A_7C15
    return (0..<bytes).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  private func each(
    _ direction: String, _ outcome: String, _ body: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Run {
    try await withThrowingTaskGroup(of: Duration.self) { group in
      var run = Run(
        name: "\(direction) of \(bytes >> 20) MiB, \(atOnce) at once, \(name)", outcome: outcome)
      for number in 0..<count {
        if number >= atOnce, let time = try await group.next() { run.times.append(time) }
        group.addTask {
          let begun = ContinuousClock.now
          try await body(number)
          return .now - begun
        }
      }
      for try await time in group { run.times.append(time) }
      return run
    }
  }
}

extension Messenger {
  /// Returns once something is so: it looks whenever anything has happened.
  fileprivate func wait(until isSo: (Messenger) async throws -> Bool) async throws {
    let last = try await lastEvent()
    if try await isSo(self) { return }
    for try await _ in events(from: last) {
      if try await isSo(self) { return }
    }
    throw Lost(what: "a device ended by itself")
  }

  fileprivate func find(_ body: String, from person: Messenger) async throws -> [MessageView] {
    guard try await conversation(.person(person.id)) != nil else { return [] }
    return try await messages(in: .person(person.id), limit: Self.maxPage).filter { $0.body == body }
  }
}
