import Glibc
import SessionBase
import SessionCore
import SessionMessaging

/// Makes voice messages of recordings, in a form that the apps of others play.
struct VoiceFile: Sendable {
  let io: CommandIO
  /// The most bytes of a file to send.
  let maxBytes: Int

  static let maxMilliseconds: Int64 = 300_000
  static let conversionTime = Duration.seconds(60)

  /// Returns a file as a voice message. One of another form is converted by a program. Throws for what is no recording, or
  /// too long.
  func prepared(_ path: String) async throws -> OutgoingFile {
    _ = try OutgoingFile(existing: path)
    let bytes = try await content(of: path)
    let recording = bytes.flatMap { Recording($0) }
    if let bytes, let recording, let (type, name) = Self.carried(recording.format) {
      return try voiceMessage(bytes, recording, type, name)
    }
    guard io.served == nil else {
      throw CommandFailure.data(
        "the daemon converts no files", advice: "Give an M4A, AAC or MP3 file, which others can play.")
    }
    if let long = recording?.milliseconds { try Self.checkLength(long) }
    let converted = try await converted(path)
    guard let recording = Recording(converted), recording.format == .mp4 else {
      throw CommandFailure.data("the program that converts sound wrote no M4A file")
    }
    return try voiceMessage(converted, recording, "audio/mp4", "voice.m4a")
  }

  /// The media type and name of what is sent as it is; nil for what others cannot play.
  private static func carried(_ format: Recording.Format) -> (String, String)? {
    switch format {
    case .mp4: ("audio/mp4", "voice.m4a")
    case .adts: ("audio/aac", "voice.aac")
    case .mp3: ("audio/mpeg", "voice.mp3")
    case .ogg, .wav, .flac: nil
    }
  }

  private func voiceMessage(
    _ bytes: [UInt8], _ recording: Recording, _ type: String, _ name: String
  ) throws(CommandFailure) -> OutgoingFile {
    guard bytes.count <= maxBytes else {
      throw .data("the recording is too large: the limit is \(ByteCount.text(Int64(maxBytes)))")
    }
    if let long = recording.milliseconds {
      try Self.checkLength(long)
    } else {
      io.tell("The recording does not tell how long it is; others see 0:00.")
    }
    return OutgoingFile(.bytes(bytes), name: name, contentType: type, isVoiceMessage: true)
  }

  private static func checkLength(_ milliseconds: Int64) throws(CommandFailure) {
    guard milliseconds <= maxMilliseconds else {
      throw .data("the recording has \(SoundLength.text(milliseconds)): a voice message has at most 5:00")
    }
  }

  /// The content of a file; nil if it is not there, or larger than what can be sent as it is.
  private func content(of path: String) async throws -> [UInt8]? {
    try await WorkerQueue("session.sound").run { [maxBytes] in
      var status = stat()
      guard stat(path, &status) == 0, status.st_size <= maxBytes else { return nil }
      return try SessionError.files { () throws(FileError) in
        try OpenFile(reading: path).readAll(upTo: maxBytes)
      }
    }
  }

  /// Has a program convert a file, without a network where the system allows that.
  private func converted(_ path: String) async throws -> [UInt8] {
    let folder = try SoundFolder(io.environment)
    let output = folder.file("voice.m4a")
    let programs = SoundPrograms(io)
    let words = try programs.words(.convert, input: Self.absolute(path), output: output)
    let process = try SoundProcess(
      await isolation(programs) + words, io.environment, in: folder.path, maxFileSize: UInt(maxBytes) + 1)
    let ending = try await process.ending(within: Self.conversionTime)
    guard let ending else {
      throw CommandFailure(
        status: .unavailable,
        message: "\(words[0]) did not convert the file in \(Self.conversionTime.components.seconds) seconds")
    }
    guard ending == .exited(0) else {
      throw CommandFailure.data("the file cannot be converted: \(words[0]) \(ending.text)")
    }
    guard let bytes = try await content(of: output), !bytes.isEmpty else {
      throw CommandFailure.data("the file cannot be converted: \(words[0]) wrote nothing that can be sent")
    }
    withExtendedLifetime(folder) {}
    return bytes
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  /// The words that keep a program from the network; none where the system forbids them, which the log says.
  private func isolation(_ programs: SoundPrograms) async throws -> [String] {
    guard let unshare = programs.path(of: "unshare"), let nothing = programs.path(of: "true") else {
      return []
    }
    let words = [unshare, "--map-root-user", "--net", "--"]
    let trial = try SoundProcess(words + [nothing], io.environment)
    if try await trial.ending(within: .seconds(5)) == .exited(0) { return words }
    if let roots = try? io.roots() {
      let log = LogWriter(
        LogFolder(in: roots), keepingDays: { DaemonSettings.logDays(in: roots, io) })
      log.log().callAsFunction(.warn, .files, "converter-with-network")
      await log.flush()
    }
    return []
  }
}

/// Lengths of recordings.
enum SoundLength {
  /// `1:05`
  static func text(_ milliseconds: Int64) -> String {
    let seconds = (milliseconds + 500) / 1000
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }
}
