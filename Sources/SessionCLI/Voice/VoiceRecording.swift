import FoundationEssentials
import Glibc
import SessionBase
import SessionCore
import SessionTerminal

/// Records from the microphone, until the person at the terminal stops it.
struct VoiceRecording: Sendable {
  let io: CommandIO
  /// How long at most.
  let limit: Duration

  /// How often keys are looked at, and the meter drawn.
  private static let turn = 100
  /// How long a program may take to end its file.
  private static let farewell = Duration.seconds(5)
  /// The most bytes of a recording of another program: five minutes in the best form.
  private static let maxBytes: UInt = 128 << 20
  /// The bytes of a second in the form of the usual programs: 44,100 samples of 16 bits.
  private static let bytesPerSecond: UInt = 88_200

  /// Records into a file of a folder, and returns its path. Throws if it was discarded.
  func record(in folder: SoundFolder) async throws -> String {
    let path = folder.file("recording.wav")
    let words = try SoundPrograms(io).words(.record, output: path)
    let keys = try RecordingKeys()
    let process = try SoundProcess(words, io.environment, in: folder.path, maxFileSize: maxFileSize)
    keys?.begin()
    defer { keys?.end() }
    let (line, began) = (DrawnLine(io), ContinuousClock.now)
    defer { line.clear() }
    if keys != nil { io.tell("Recording. Return sends it, Esc discards it.") }
    var isOver = false
    while !isOver, !process.hasEnded, .now - began < limit {
      if let keys {
        if let arrival = try await keys.next(within: Self.turn) { isOver = try Self.isOver(after: arrival) }
      } else {
        _ = try await process.ending(within: .milliseconds(Self.turn))
      }
      if io.messageColumns() != nil { line.draw(Self.line(since: began, SoundMeter.level(of: path))) }
    }
    process.signal(SIGINT)
    let ending = try await process.ending(within: Self.farewell)
    guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size > 0 else {
      throw CommandFailure(
        status: .unavailable,
        message: "nothing was recorded: \(words[0]) \(ending?.text ?? "does not end")",
        advice: "Look whether a microphone is connected, and may be used.")
    }
    return path
  }

  /// The size at which the system ends the recording. Nothing else ends it if this program is killed, so that it is
  /// little more than what fits into the time.
  private var maxFileSize: UInt {
    guard io.settings.soundPrograms[.record] == nil else { return Self.maxBytes }
    let seconds = (limit + Self.farewell).components.seconds + 1
    return UInt(clamping: seconds) * Self.bytesPerSecond + (64 << 10)
  }

  /// True if the person wants the recording to be sent. Throws if it is to be discarded.
  static func isOver(after arrival: WakingInput.Arrival) throws(CommandFailure) -> Bool {
    switch arrival {
    case .woken: return false
    case .end:
      // The person has not agreed to send it.
      throw CommandFailure(
        status: .interrupted, message: "the recording was discarded: the terminal is gone")
    case .bytes(let keys):
      let (escape, control): (UInt8, UInt8) = (0x1B, 0x03)
      if keys.contains(control) { return true }
      // Arrows and other keys arrive as more bytes behind an Esc.
      guard !keys.allSatisfy({ $0 == escape }) else {
        throw CommandFailure(status: .interrupted, message: "the recording was discarded")
      }
      let returns: [UInt8] = [0x0A, 0x0D]
      guard let place = keys.firstIndex(where: { returns.contains($0) }) else { return false }
      // Directly behind an Esc it is another key, or one too many.
      return place == 0 || keys[place - 1] != escape
    }
  }

  private static func line(since began: ContinuousClock.Instant, _ level: Double) -> String {
    let milliseconds = Int64((ContinuousClock.now - began) / .milliseconds(1))
    let columns = 20
    let filled = Int((level * Double(columns)).rounded())
    let meter = String(repeating: "#", count: filled) + String(repeating: "-", count: columns - filled)
    return "\(SoundLength.text(milliseconds))  [\(meter)]"
  }
}

/// The keys of a terminal one by one, while something is recorded.
private final class RecordingKeys: Sendable {
  private let terminal: Int32
  private let input: WakingInput
  private let before: termios

  /// Nil if standard input is no terminal.
  init?() throws {
    terminal = STDIN_FILENO
    var found = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &found) == 0 else { return nil }
    before = found
    input = try WakingInput.reading(STDIN_FILENO)
  }

  /// Keys arrive as they are pressed, Ctrl-C among them.
  func begin() {
    var keys = before
    keys.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    tcsetattr(terminal, TCSAFLUSH, &keys)
  }

  func end() {
    var keys = before
    tcsetattr(terminal, TCSAFLUSH, &keys)
  }

  func next(within milliseconds: Int) async throws -> WakingInput.Arrival? {
    let arrival = await withTaskCancellationHandler {
      await WorkerQueue("session.sound").run { [input] in input.wait(milliseconds: milliseconds) }
    } onCancel: {
      input.wake()
    }
    try Task.checkCancellation()
    return arrival
  }
}

/// How loud a recording is.
enum SoundMeter {
  /// The newest bytes that are looked at.
  private static let size = 4096

  /// The peak of the newest samples of 16 bits, from 0 to 1; 0 for a file that cannot be read.
  static func level(of path: String) -> Double {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    let end = lseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(file, &bytes, size, max(0, (end - size) & ~1))
    return level(bytes.prefix(max(count, 0)))
  }

  static func level(_ samples: some Collection<UInt8>) -> Double {
    let bytes = Array(samples)
    let peak =
      stride(from: 0, to: bytes.count - 1, by: 2).map { place in
        abs(Int(Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)))
      }.max() ?? 0
    return Double(peak) / 32_768
  }
}
