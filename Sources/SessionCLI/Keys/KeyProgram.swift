internal import CSpawn
import Glibc
import SessionBase
import SessionCore

/// A program that prints a key. It has no terminal, and its errors are not shown.
struct KeyProgram: Sendable {
  /// The path, and the arguments.
  let words: [String]
  let environment: [String: String]
  var timeout = Duration.seconds(30)

  /// Nothing longer is a key.
  private static let maxOutput = 256
  private static let maxFiles: UInt = 256

  /// The text of a command in the settings.
  static func text(of words: [String]) -> String {
    words.map { word in
      let isPlain =
        !word.isEmpty
        && word.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
          default: "-_./:=@%+,".utf8.contains(byte)
          }
        }
      return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }.joined(separator: " ")
  }

  /// Runs it to its end. Blocks its thread.
  func output() throws(KeyPlaceFailure) -> [UInt8] {
    guard let program = words.first, program.hasPrefix("/") else {
      throw KeyPlaceFailure("the path of the program does not begin with /")
    }
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw KeyPlaceFailure("no pipe: \(String(cString: strerror(errno)))")
    }
    defer { close(ends[0]) }
    var processFile: Int32 = -1
    let process = start(program, ends[1], &processFile)
    let failure = errno
    close(ends[1])
    guard process > 0 else {
      throw KeyPlaceFailure("\(program) cannot be started: \(String(cString: strerror(failure)))")
    }
    var (bytes, isInTime) = collect(from: ends[0], processFile)
    // What it left behind in its group ends with it.
    kill(-process, SIGKILL)
    close(processFile)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard isInTime, status == 0, bytes.count <= Self.maxOutput else {
      bytes.wipe()
      guard isInTime else {
        throw KeyPlaceFailure("\(program) did not end in \(timeout.components.seconds) seconds")
      }
      guard bytes.count <= Self.maxOutput else { throw KeyPlaceFailure("\(program) prints more than a key") }
      throw KeyPlaceFailure(
        status & 0x7F == 0
          ? "\(program) exits with \(status >> 8 & 0xFF)" : "\(program) was ended by signal \(status & 0x7F)")
    }
    return bytes
  }

  private func start(_ program: String, _ output: Int32, _ processFile: inout Int32) -> pid_t {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    return program.withCString { path in
      "/".withCString { folder in
        arguments.withUnsafeBufferPointer { arguments in
          variables.withUnsafeBufferPointer { variables in
            var request = spawn_request(
              path: path, arguments: arguments.baseAddress, environment: variables.baseAddress,
              folder: folder,
              input: nothing, output: output, errors: nothing, files: Self.maxFiles, size: 0)
            return spawn_start(&request, &processFile)
          }
        }
      }
    }
  }

  /// What it prints until it has ended, and false if that takes too long.
  private func collect(from output: Int32, _ processFile: Int32) -> ([UInt8], Bool) {
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    let deadline = ContinuousClock.now + timeout
    var bytes: [UInt8] = []
    var isAtEnd = false
    while true {
      var polled = [
        pollfd(fd: processFile, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isAtEnd ? -1 : output, events: Int16(POLLIN), revents: 0),
      ]
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return (bytes, false) }
      guard poll(&polled, 2, Int32(clamping: Int64(left.rounded(.up)))) >= 0 || errno == EINTR else {
        return (bytes, false)
      }
      isAtEnd = take(from: output, into: &bytes)
      if polled[0].revents != 0 || bytes.count > Self.maxOutput { return (bytes, true) }
    }
  }

  /// Reads what is there; true at the end.
  private func take(from output: Int32, into bytes: inout [UInt8]) -> Bool {
    while bytes.count <= Self.maxOutput {
      var piece = [UInt8](repeating: 0, count: Self.maxOutput + 1)
      defer { piece.wipe() }
      let count = read(output, &piece, piece.count)
      guard count > 0 else { return count == 0 }
      bytes += piece.prefix(count)
    }
    return true
  }
}
