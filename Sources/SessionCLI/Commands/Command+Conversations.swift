import SessionCore
import SessionMessaging

extension Command {
  static let pin = conversation("pin", "put a conversation on top of the list, on all of your devices") {
    try await $0.setPinned(true, $1)
  }
  static let unpin = conversation("unpin", "put a conversation back to its place in the list") {
    try await $0.setPinned(false, $1)
  }
  static let unmute = conversation("unmute", "have a conversation tell of what comes again") {
    try await $0.setMuted(until: nil, $1)
  }
  static let unread = conversation("unread", "mark a conversation as unread") { try await $0.markUnread($1) }
  static let hide = conversation(
    "hide", "take a conversation out of the list until somebody writes in it; nothing is deleted"
  ) { try await $0.setHidden(true, $1) }
  static let unhide = conversation("unhide", "put a conversation that was hidden back into the list") {
    try await $0.setHidden(false, $1)
  }

  static let mute = Command(
    name: "mute",
    summary: "have a conversation tell of nothing, on all of your devices",
    arguments: [
      .chat,
      .init(
        name: "TIME", summary: "for how long, such as 8h; until it is unmuted by default", isOptional: true),
    ],
    options: [.timeout, .account],
    examples: [.init(line: "session mute alice 8h", summary: "until the morning")]
  ) { invocation, io in
    let end = try invocation.endOfSilence(io)
    return try await invocation.changing(io) { messenger in
      try await messenger.setMuted(
        until: end, try await People(of: messenger).person(invocation.arguments[0], io))
      return CommandOutput()
    }
  }

  static let contactsDownloads = Command(
    name: "contacts downloads",
    summary: "have pictures and voice messages of a contact come by themselves, or not",
    discussion: """
      Off, unless it was set: then a server sees nothing of what you look at before you ask for it. Other files always
      wait for 'session attachment save'. It holds for this device.
      """,
    arguments: [.contact, .init(name: "on|off", summary: "whether they come by themselves")],
    options: [.account],
    examples: [.init(line: "session contacts downloads alice on", summary: "trusts Alice with that")]
  ) { invocation, io in
    let isOn = try invocation.isOn(at: 1)
    return try await invocation.editing(io) { messenger in
      let person = try await People(of: messenger).person(invocation.arguments[0], io)
      try await messenger.setDownloadsByItself(isOn, of: person)
      return CommandOutput()
    }
  }

  /// A command that does one thing about one conversation.
  private static func conversation(
    _ name: String, _ summary: String,
    _ act: @escaping @Sendable (Messenger, SessionID) async throws -> Void
  ) -> Command {
    Command(name: name, summary: summary, arguments: [.chat], options: [.timeout, .account]) {
      invocation, io in
      try await invocation.changing(io) { messenger in
        try await act(messenger, try await People(of: messenger).person(invocation.arguments[0], io))
        return CommandOutput()
      }
    }
  }
}

extension Invocation {
  /// Far enough in the future for nobody to notice that it ends: the last second of the year 9999.
  private static let never: Int64 = 253_402_300_799_000

  /// Until when a conversation is to tell of nothing, in milliseconds since 1970.
  fileprivate func endOfSilence(_ io: CommandIO) throws(CommandFailure) -> Int64 {
    guard arguments.count > 1 else { return Self.never }
    guard let span = TimeSpan(arguments[1]), span.seconds > 0, span.seconds < Self.never / 1000 else {
      throw misuse("'\(arguments[1])' is no time: write 30m, 8h, 1d or 2w")
    }
    return min(Int64(clamping: io.now()) + span.seconds * 1000, Self.never)
  }
}
