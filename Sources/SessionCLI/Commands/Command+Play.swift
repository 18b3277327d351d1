import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionStorage

extension Command {
  static let play = Command(
    name: "play",
    summary: "play a voice message, or another recording",
    discussion: """
      Downloads the recording if it is not here, and gives it to a player: mpv or ffplay, or the program of the setting
      audio_player. The player reads it from memory, and no file is written. A file that is no recording is not given to
      it. The message is not marked as read, and its sender does not learn of it. Ctrl-C stops.
      """,
    arguments: [
      .message,
      .init(
        name: "NUMBER", summary: "the number of the file; the first recording by default", isOptional: true),
    ],
    options: [
      .init(name: "timeout", value: "TIME", summary: "how long to wait for the network; 10m by default"),
      .account,
    ],
    examples: [.init(line: "session play 12", summary: "play the voice message #12")],
    rpc: .none(.isClient)
  ) { invocation, io in
    let playing = try Playing(invocation, io)
    let file = try await invocation.reading(io) { messenger in try await playing.file(messenger) }
    // Before anything is downloaded: without a player there is no use in it.
    let words = try SoundPrograms(io).words(.play)
    guard file.file.isHere else {
      return try await invocation.working(io) { opened in
        try await FileFetching(io: io, timeout: playing.timeout).fetch([file], opened.messenger)
        return try await playing.play(file, words, opened.messenger)
      }
    }
    return try await cancelledBySignals {
      try await invocation.reading(io) { messenger in try await playing.play(file, words, messenger) }
    }
  }
}

/// The command `play`.
private struct Playing: Sendable {
  let io: CommandIO
  let message: MessageView.ID
  let number: Int?
  let timeout: Duration

  /// The most bytes of a recording.
  private static let maxBytes = 10 << 20

  init(_ invocation: Invocation, _ io: CommandIO) throws(CommandFailure) {
    self.io = io
    message = try invocation.messageNumber(at: 0)
    number = try invocation.fileNumber(at: 1)
    timeout = try invocation.timeout(usual: .seconds(600))
  }

  /// The recording that is meant.
  func file(_ messenger: Messenger) async throws -> NumberedAttachment {
    let files = try await messenger.knownMessage(message).numberedAttachments
    let recordings = files.filter { file in
      file.file.kind == .voiceMessage || file.file.contentType.hasPrefix("audio/")
    }
    guard let found = number.map({ number in files.first { $0.number == number } }) ?? recordings.first else {
      throw CommandFailure.data(
        "message \(message.rawValue) has no \(number.map { "file \($0)" } ?? "recording")",
        advice: "'session attachment list \(message.rawValue)' shows its files.")
    }
    return found
  }

  func play(
    _ file: NumberedAttachment, _ words: [String], _ messenger: Messenger
  ) async throws -> CommandOutput {
    var bytes: [UInt8] = []
    for try await piece in try await messenger.content(of: file.file.id) {
      bytes += piece
      guard bytes.count <= Self.maxBytes else {
        throw CommandFailure.data("the file is too large to be played", advice: savingAdvice)
      }
    }
    // Players take lists of addresses, too, and would ask them.
    guard Recording(bytes) != nil else {
      throw CommandFailure.data("the file is no recording of a known form", advice: savingAdvice)
    }
    let sound = try SoundMemory()
    try sound.write(bytes)
    let ending = try await SoundProcess(words, io.environment, input: sound.rewound()).ending(within: nil)
    withExtendedLifetime(sound) {}
    guard ending == .exited(0) else {
      throw CommandFailure(
        status: .unavailable, message: "\(words[0]) \(ending?.text ?? "does not end")", advice: savingAdvice)
    }
    return CommandOutput()
  }

  private var savingAdvice: String { "'session attachment save \(message.rawValue)' saves the file." }
}
