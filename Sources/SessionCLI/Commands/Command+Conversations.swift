import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let pin = conversation("pin", "pin a conversation on all of your devices") {
    try await $0.setPinned(true, $1)
  }
  static let unpin = conversation("unpin", "unpin a conversation") {
    try await $0.setPinned(false, $1)
  }
  static let unmute = conversation("unmute", "unmute a conversation") {
    try await $0.setMuted(until: nil, $1)
  }
  static let unread = conversation("unread", "mark a conversation as unread") { try await $0.markUnread($1) }
  static let hide = conversation(
    "hide", "hide a conversation until its next message; nothing is deleted"
  ) { try await $0.setHidden(true, $1) }
  static let unhide = conversation("unhide", "show a hidden conversation again") {
    try await $0.setHidden(false, $1)
  }

  static let mute = Command(
    name: "mute",
    summary: "mute a conversation on all of your devices",
    arguments: [
      .chat,
      .init(
        name: "TIME", summary: "the duration, such as 8h; until unmuted by default", isOptional: true),
    ],
    options: [.timeout, .account],
    examples: [.init(line: "session mute alice 8h", summary: "mute the conversation for eight hours")],
    rpc: .method(.manage)
  ) { invocation, io in
    let end = try invocation.endOfSilence(io)
    return try await invocation.changing(io) { messenger in
      try await messenger.setMuted(
        until: end, try await Directory(of: messenger).conversation(invocation.arguments[0], io))
      return CommandOutput()
    }
  }

  static let notify = Command(
    name: "notify",
    summary: "choose which messages of a conversation notify, and with which sound",
    discussion: """
      Which messages notify is the same on all of your devices. A mention is your id in a text, or a reply to one of your
      messages; only groups and rooms have them.

      The sound is that of this device: 'default' is that of the desktop, 'none' is silence, a name such as
      message-new-instant is one of the desktop's sound theme, and a path that begins with / is a file of at most 1 MiB. The
      desktop plays it. A file that is gone when a message comes counts as the default.
      """,
    arguments: [
      .chat,
      .init(
        name: "all|mentions|nothing", parameter: "messages", summary: "the messages that notify",
        isOptional: true),
    ],
    options: [
      .init(name: "sound", value: "default|none|NAME|PATH", summary: "the sound on this device"), .timeout,
      .account,
    ],
    examples: [
      .init(line: "session notify friends mentions", summary: "notify only of mentions in a group"),
      .init(line: "session notify alice --sound message-new-instant", summary: "give a contact a sound"),
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let notifying: Notifying?
    switch invocation.arguments.dropFirst().first {
    case "all": notifying = .ofEverything
    case "mentions": notifying = .ofMentions
    case "nothing": notifying = .ofNothing
    case nil: notifying = nil
    case let word?: throw invocation.misuse("'\(word)' is not all, mentions or nothing")
    }
    let sound = try invocation.sound()
    guard notifying != nil || sound != nil else {
      throw invocation.misuse("give the messages that notify, or --sound, or both")
    }
    @Sendable func change(_ messenger: Messenger) async throws -> CommandOutput {
      let chat = try await Directory(of: messenger).conversation(invocation.arguments[0], io)
      if case .person = chat, notifying == .ofMentions {
        throw invocation.misuse("in a conversation with one person, messages have no mentions")
      }
      if let sound { try await messenger.setSound(sound, chat) }
      if let notifying { try await messenger.setNotified(notifying, chat) }
      return CommandOutput()
    }
    // The sound stays on this device: no network is needed.
    guard notifying != nil else {
      return try await invocation.editing(io) { messenger in try await change(messenger) }
    }
    return try await invocation.changing(io) { messenger in try await change(messenger) }
  }

  static let contactsDownloads = Command(
    name: "contacts downloads",
    summary: "turn automatic downloads from a contact on or off",
    discussion: """
      Off by default, so that the file server learns nothing until you save a file. 'on' downloads pictures and voice
      messages when they arrive; other files always wait for 'session attachment save'. The setting applies to this
      device only.
      """,
    arguments: [
      .contact, .init(name: "on|off", parameter: "state", summary: "on to download automatically"),
    ],
    options: [.account],
    examples: [
      .init(line: "session contacts downloads alice on", summary: "download automatically from Alice")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let isOn = try invocation.isOn(at: 1)
    return try await invocation.editing(io) { messenger in
      let person = try await Directory(of: messenger).person(invocation.arguments[0], io)
      try await messenger.setDownloadsByItself(isOn, of: person)
      return CommandOutput()
    }
  }

  /// A command that does one thing about one conversation.
  private static func conversation(
    _ name: String, _ summary: String,
    _ act: @escaping @Sendable (Messenger, Conversation.ID) async throws -> Void
  ) -> Command {
    Command(
      name: name, summary: summary, arguments: [.chat], options: [.timeout, .account], rpc: .method(.manage)
    ) { invocation, io in
      try await invocation.changing(io) { messenger in
        try await act(messenger, try await Directory(of: messenger).conversation(invocation.arguments[0], io))
        return CommandOutput()
      }
    }
  }
}

extension Invocation {
  /// Stands for ever: the last second of the year 9999.
  private static let never: Int64 = 253_402_300_799_000

  /// Until when a conversation is to tell of nothing, in milliseconds since 1970.
  fileprivate func endOfSilence(_ io: CommandIO) throws(CommandFailure) -> Int64 {
    guard arguments.count > 1 else { return Self.never }
    guard let span = TimeSpan(arguments[1]), span.seconds > 0, span.seconds < Self.never / 1000 else {
      throw misuse("'\(arguments[1])' is not a time: write 30m, 8h, 1d or 2w")
    }
    return min(Int64(clamping: io.now()) + span.seconds * 1000, Self.never)
  }
}

extension Invocation {
  /// The sound that the option gives.
  fileprivate func sound() throws(CommandFailure) -> NotificationSound? {
    guard let text = self["sound"] else { return nil }
    do throws(MessengerError) { return try NotificationSound(parsing: text) } catch {
      throw misuse("'\(DisplayText.line(text))' is no sound: \(error.message)")
    }
  }
}
