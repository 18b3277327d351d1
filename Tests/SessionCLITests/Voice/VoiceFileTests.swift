import Folders
import Foundation
import SessionBase
import SessionMessaging
import SessionTerminal
import Testing

@testable import SessionCLI

@Suite(.timeLimit(.minutes(5))) struct VoiceFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Another process writes the program: what this one writes may be open for a moment in processes that
  /// other tests start meanwhile, and no program can be started that is open for writing.
  private func converter(_ script: String) async throws {
    try folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "script")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("script"))
    let copying = try SoundProcess(["/bin/cp", folder.path("script"), folder.path("ffmpeg")], [:])
    try #require(try await copying.ending(within: nil) == .exited(0))
  }

  private func io(_ world: MemoryIO = MemoryIO()) -> CommandIO {
    var io = world.io()
    // No other program is found, and temporary folders are made here.
    io.environment = ["PATH": folder.url.path, "XDG_RUNTIME_DIR": folder.url.path]
    return io
  }

  private func prepared(_ bytes: [UInt8], name: String = "in", _ world: MemoryIO = MemoryIO()) async throws
    -> OutgoingFile
  {
    try folder.write(bytes, to: name)
    return try await VoiceFile(io: io(world), maxBytes: 4_000_000).prepared(folder.path(name))
  }

  /// The failure of a file; nil if it is sent.
  private func failure(_ bytes: [UInt8], name: String = "in") async throws -> CommandFailure? {
    do {
      _ = try await prepared(bytes, name: name)
      return nil
    } catch let failure as CommandFailure { return failure }
  }

  @Test func whatOthersPlayIsSentAsItIs() async throws {
    let m4a = try await prepared(Sounds.m4a(milliseconds: 1500), name: "My secret name.m4a")
    #expect(
      m4a
        == OutgoingFile(
          .bytes(Sounds.m4a(milliseconds: 1500)), name: "voice.m4a", contentType: "audio/mp4",
          isVoiceMessage: true))
    let mp3 = try await prepared(Sounds.mp3(frames: 10))
    #expect(mp3.name == "voice.mp3" && mp3.contentType == "audio/mpeg" && mp3.isVoiceMessage)
  }

  @Test func otherFilesAreConverted() async throws {
    try folder.write(Sounds.m4a(milliseconds: 500), to: "converted")
    // The last word is OUTPUT. The folder of the temporary file is private.
    try await converter(
      "for last; do :; done; /bin/cat \(folder.path("converted")) > \"$last\"; "
        + "echo \"$@\" > \(folder.path("words")); /usr/bin/stat -c %a . > \(folder.path("mode"))")
    let voice = try await prepared(Sounds.wav(milliseconds: 500), name: "in.wav")
    #expect(voice.content == .bytes(Sounds.m4a(milliseconds: 500)) && voice.contentType == "audio/mp4")
    let words = String(decoding: try folder.read("words"), as: UTF8.self)
    #expect(
      words.hasPrefix(
        "-nostdin -v error -i \(folder.path("in.wav")) -vn -map_metadata -1 -ac 1 -ar 44100 -c:a aac -b:a 64k "
      ))
    #expect(try folder.read("mode") == Array("700\n".utf8))
    #expect(try folder.names.filter { $0.hasPrefix("session-voice") } == [])
  }

  @Test func aConverterThatFailsLeavesNothing() async throws {
    for script in ["exit 1", "exit 0", "for last; do :; done; echo no > \"$last\"", "kill -9 $$"] {
      try await converter(script)
      #expect(try await failure(Sounds.wav(milliseconds: 500))?.status == .data, "\(script)")
      #expect(try folder.names.filter { $0.hasPrefix("session-voice") } == [])
    }
  }

  /// The system ends a program that writes more than can be sent.
  @Test func aConverterCannotFillTheMemory() async throws {
    try await converter("for last; do :; done; exec /bin/dd if=/dev/zero of=\"$last\" bs=1000 count=1000000")
    #expect(try await failure(Sounds.wav(milliseconds: 500))?.status == .data)
    #expect(try folder.names.filter { $0.hasPrefix("session-voice") } == [])
  }

  @Test func aMissingConverterIsNamed() async throws {
    let failure = try await failure(Sounds.wav(milliseconds: 500))
    #expect(failure?.status == .unavailable && failure?.advice?.contains("package ffmpeg") == true)
    // A text with the name of a recording needs one, too.
    #expect(try await self.failure(Array("a text".utf8), name: "voice.m4a")?.status == .unavailable)
  }

  @Test func longRecordingsAreRefused() async throws {
    #expect(try await failure(Sounds.m4a(milliseconds: 300_000)) == nil)
    #expect(try await failure(Sounds.m4a(milliseconds: 301_000))?.status == .data)
    // Before anything is converted: there is no converter.
    #expect(try await failure(Sounds.wav(milliseconds: 301_000))?.status == .data)
  }

  @Test func anUnknownLengthIsTold() async throws {
    let world = MemoryIO()
    _ = try await prepared(Sounds.m4a(milliseconds: 0), world)
    #expect(world.messages == ["The recording does not tell how long it is; others see 0:00."])
  }

  @Test func theConversionEndsWithTheCommand() async throws {
    try await converter("echo $$ > \(folder.path("number")); exec /bin/sleep 600")
    try folder.write(Sounds.wav(milliseconds: 500), to: "in")
    let voice = VoiceFile(io: io(), maxBytes: 4_000_000)
    let path = folder.path("in")
    let hasEnded = Latch()
    let task = Task {
      defer { hasEnded.open() }
      return try await voice.prepared(path)
    }
    while !FileManager.default.fileExists(atPath: folder.path("number")), !hasEnded.isOpen {
      try Task.checkCancellation()
      await Task.yield()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try folder.names.filter { $0.hasPrefix("session-voice") } == [])
  }

  /// A program that was killed removes nothing.
  @Test func foldersOfKilledProgramsAreRemoved() throws {
    let environment = ["XDG_RUNTIME_DIR": folder.url.path]
    let used = try SoundFolder(environment)
    for name in ["session-voice-killed", "session-voice-begun", "session-voice-file", "session-other"] {
      guard name != "session-voice-file" else {
        try folder.write([1], to: name)
        continue
      }
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
      try folder.write([1], to: "\(name)/recording.wav")
    }
    let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -3600)]
    for path in [used.path]
      + ["session-voice-killed", "session-voice-file", "session-other"].map(folder.path)
    {
      try FileManager.default.setAttributes(old, ofItemAtPath: path)
    }
    let next = try SoundFolder(environment)
    let names = try folder.names
    #expect(!names.contains("session-voice-killed"))
    for name in ["session-voice-begun", "session-voice-file", "session-other"] {
      #expect(names.contains(name), "\(name)")
    }
    for path in [used.path, next.path] { #expect(FileManager.default.fileExists(atPath: path)) }
    withExtendedLifetime((used, next)) {}
  }

  @Test func aProgramIsToldToEnd() async throws {
    try await converter("trap 'exit 7' INT; : > \(folder.path("ready")); while :; do /bin/sleep 0.05; done")
    let process = try SoundProcess([folder.path("ffmpeg")], [:])
    while !FileManager.default.fileExists(atPath: folder.path("ready")), !process.hasEnded {
      try Task.checkCancellation()
      await Task.yield()
    }
    process.signal(SIGINT)
    #expect(try await process.ending(within: nil) == .exited(7))
  }

  @Test func onlyEscDiscardsARecording() throws {
    func isOver(_ keys: [UInt8]) throws -> Bool { try VoiceRecording.isOver(after: .bytes(keys)) }
    for keys: [UInt8] in [[0x0D], [0x0A], [0x03], [0x1B, 0x5B, 0x41, 0x0D], [0x1B, 0x03]] {
      #expect(try isOver(keys), "\(keys)")
    }
    // An arrow, a letter, and Return with Alt.
    for keys: [UInt8] in [[0x1B, 0x5B, 0x41], [0x1B, 0x4F, 0x50], [0x78], [0x1B, 0x0D]] {
      #expect(try !isOver(keys), "\(keys)")
    }
    for keys: [UInt8] in [[0x1B], [0x1B, 0x1B]] {
      #expect(throws: CommandFailure.self, "\(keys)") { try isOver(keys) }
    }
    #expect(try !VoiceRecording.isOver(after: .woken))
  }

  /// No one can agree to send it any more.
  @Test func aLostTerminalDiscardsTheRecording() {
    let failure = #expect(throws: CommandFailure.self) { try VoiceRecording.isOver(after: .end) }
    #expect(failure?.status == .interrupted && failure?.message.contains("the terminal is gone") == true)
  }

  @Test func lengthsHaveMinutesAndSeconds() {
    #expect(
      [0, 499, 500, 59_600, 65_000, 600_000].map { SoundLength.text($0) } == [
        "0:00", "0:00", "0:01", "1:00", "1:05", "10:00",
      ])
    #expect(SoundMeter.level([0, 0, 0, 0x40, 0, 0xC0]) == 0.5 && SoundMeter.level([]) == 0)
    #expect(SoundMeter.level([0, 0x80]) == 1)
  }
}
