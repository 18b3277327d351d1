import SessionBase
import SessionMessaging

/// What a voice message is made of.
enum VoiceSource: Sendable {
  case file(String)
  /// From the microphone, for so long at most.
  case recording(Duration)

  /// Makes the voice message.
  func prepared(_ io: CommandIO, maxBytes: Int) async throws -> OutgoingFile {
    let voice = VoiceFile(io: io, maxBytes: maxBytes)
    switch self {
    case .file(let path): return try await voice.prepared(path)
    case .recording(let limit):
      // It is not encrypted: it goes with the folder, whatever happens.
      let folder = try SoundFolder(io.environment)
      defer { withExtendedLifetime(folder) {} }
      return try await voice.prepared(VoiceRecording(io: io, limit: limit).record(in: folder))
    }
  }
}

extension Invocation {
  /// The voice message to send; nil for none.
  func voice(_ io: CommandIO) throws(CommandFailure) -> VoiceSource? {
    guard self["voice"] != nil || has("record") else {
      guard self["record-for"] == nil else { throw misuse("--record-for is for --record") }
      return nil
    }
    for option in ["attach", "caption", "draft"] where self[option] != nil || has(option) {
      throw misuse("a voice message goes alone: without --\(option)")
    }
    guard arguments.count == 1 else { throw misuse("a voice message goes alone: without a text") }
    if let path = self["voice"] {
      guard !has("record") else { throw misuse("--voice and --record exclude each other") }
      return .file(path)
    }
    guard io.served == nil else { throw misuse("a daemon records nothing: give a file") }
    let most = Duration.milliseconds(VoiceFile.maxMilliseconds)
    guard let text = self["record-for"] else {
      guard io.isInputTerminal else {
        throw misuse("there is no terminal to stop the recording on: give --record-for")
      }
      return .recording(most)
    }
    guard let span = TimeSpan(text), span.seconds > 0, Duration.seconds(span.seconds) <= most else {
      throw misuse("--record-for takes a time of up to 5m, such as 20s")
    }
    return .recording(.seconds(span.seconds))
  }
}
