internal import CSpawn
import Glibc
import SessionBase

/// One run of a program. It blocks its thread until the program has ended.
struct HookProcess: Sendable {
  enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(by: Int32)
    case timedOut
    /// It wrote more to standard output than an answer may have.
    case tooMuchOutput
    /// This program ends, and did not wait any longer.
    case stopped
  }

  struct Outcome: Sendable {
    let ending: Ending
    let output: [UInt8]
  }

  /// Why a program did not start.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The most bytes of standard output.
  static let maxOutput = 64 << 10
  /// The most files a program may have open.
  private static let maxFiles: UInt = 256

  let program: HookProgram
  let command: [String]
  let environment: [String: String]
  let folder: String
  let timeout: Duration
  let log: HookLog
  /// How long the program may take to end after SIGTERM.
  var grace = Duration.seconds(5)
  /// How long the program may still take when this one ends.
  var stopTime = Duration.seconds(10)

  func run(input: [UInt8], stop: HookStop) throws -> Outcome {
    let file = try PassedFile(holding: input)
    lseek(file.descriptor, 0, SEEK_SET)
    let (output, errors) = (try Pipe(), try Pipe())
    var processFile: Int32 = -1
    _ = Self.endingsAreKept
    let process = start(file.descriptor, output.writing, errors.writing, &processFile)
    let failure = errno
    withExtendedLifetime(file) {}
    guard process > 0 else {
      throw Failure(description: "\(program.path) cannot be started: \(String(cString: strerror(failure)))")
    }
    defer { close(processFile) }
    output.endWriting()
    errors.endWriting()
    return try follow(process, processFile, output, errors, stop)
  }

  /// A parent may have this program ignore SIGCHLD: the system would then keep no status of programs.
  private static let endingsAreKept: Bool = {
    _ = signal(SIGCHLD, SIG_DFL)
    return true
  }()

  private func start(
    _ input: Int32, _ output: Int32, _ errors: Int32, _ processFile: inout Int32
  ) -> pid_t {
    let words = ([program.path] + command.dropFirst()).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    return program.path.withCString { path in
      folder.withCString { folder in
        words.withUnsafeBufferPointer { words in
          variables.withUnsafeBufferPointer { variables in
            var request = spawn_request(
              path: path, arguments: words.baseAddress, environment: variables.baseAddress, folder: folder,
              input: input, output: output, errors: errors, files: Self.maxFiles, size: 0)
            return spawn_start(&request, &processFile)
          }
        }
      }
    }
  }

  private func follow(
    _ process: pid_t, _ processFile: Int32, _ output: Pipe, _ errors: Pipe, _ stop: HookStop
  ) throws(Failure) -> Outcome {
    var written: [UInt8] = []
    var deadline = ContinuousClock.now + timeout
    var end: Ending?
    var isKilled = false
    var isStopping = false
    while true {
      var polled = [
        pollfd(fd: processFile, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output.isAtEnd ? -1 : output.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors.isAtEnd ? -1 : errors.reading, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isStopping ? -1 : stop.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let time = (deadline - .now) / .milliseconds(1)
      guard
        poll(&polled, 4, isKilled ? -1 : Int32(clamping: Int64(max(0, time.rounded(.up))))) >= 0
          || errno == EINTR
      else { break }
      let piece = output.read()
      if written.count <= Self.maxOutput { written += piece }
      log.add(errors.read())
      if written.count > Self.maxOutput, end == nil {
        end = .tooMuchOutput
        kill(-process, SIGTERM)
        deadline = .now + grace
      }
      if polled[0].revents != 0 { break }
      if polled[3].revents != 0 {
        isStopping = true
        if end == nil { deadline = min(deadline, .now + stopTime) }
      }
      guard !isKilled, .now >= deadline else { continue }
      // A program that ignores the first signal cannot ignore the second.
      isKilled = end != nil || isStopping
      kill(-process, isKilled ? SIGKILL : SIGTERM)
      end = end ?? (isStopping ? .stopped : .timedOut)
      deadline = .now + grace
    }
    // What it left behind in its group ends with it.
    kill(-process, SIGKILL)
    var status: Int32 = 0
    var waited: pid_t
    var failure: Int32
    repeat {
      waited = waitpid(process, &status, 0)
      failure = errno
    } while waited < 0 && failure == EINTR
    written += output.read()
    log.add(errors.read())
    guard waited == process || end != nil else {
      throw Failure(description: "the program's end is not known: \(String(cString: strerror(failure)))")
    }
    if end == nil, written.count > Self.maxOutput { end = .tooMuchOutput }
    let signal = status & 0x7F
    return Outcome(
      ending: end ?? (signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)),
      output: Array(written.prefix(Self.maxOutput)))
  }

  /// A pipe whose reading end does not block.
  private final class Pipe {
    let reading: Int32
    let writing: Int32
    private var isOpen = true
    private(set) var isAtEnd = false

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe2(&ends, O_CLOEXEC) == 0 else {
        throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
      }
      (reading, writing) = (ends[0], ends[1])
      _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
      endWriting()
      close(reading)
    }

    /// Leaves the writing end to the program.
    func endWriting() {
      if isOpen { close(writing) }
      isOpen = false
    }

    /// A piece of what is there.
    func read() -> ArraySlice<UInt8> {
      guard !isAtEnd else { return [] }
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      let count = Glibc.read(reading, &bytes, bytes.count)
      if count == 0 { isAtEnd = true }
      return bytes.prefix(max(0, count))
    }
  }
}

/// Tells programs that run that this one ends.
final class HookStop: Sendable {
  /// Readable once it has happened.
  let descriptor = spawn_bell()
  /// Open once it has happened.
  let latch = Latch()

  deinit { close(descriptor) }

  func ring() {
    latch.open()
    spawn_ring(descriptor)
  }
}
