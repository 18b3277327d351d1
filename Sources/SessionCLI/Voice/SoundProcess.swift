internal import CSpawn
import Glibc
import SessionBase
import Synchronization

/// A run of a program that converts, records or plays sound: without a shell, in a process group of its own.
final class SoundProcess: Sendable {
  /// How a run ended.
  enum Ending: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)

    /// "exits with 1"
    var text: String {
      switch self {
      case .exited(let status): "exits with \(status)"
      case .signalled(let number): "was ended by signal \(number)"
      }
    }
  }

  private static let maxFiles: UInt = 1024

  private let process: pid_t
  private let processFile: Int32
  /// How it ended, once that is known.
  private let settled = Mutex<Ending?>(nil)

  /// Starts a program in a folder. Its input is a descriptor, or empty; its files have at most so many bytes.
  init(
    _ words: [String], _ environment: [String: String], in folder: String = "/", input: Int32? = nil,
    maxFileSize: UInt = 0
  ) throws(CommandFailure) {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var file: Int32 = -1
    let number = words[0].withCString { path in
      folder.withCString { folder in
        arguments.withUnsafeBufferPointer { arguments in
          variables.withUnsafeBufferPointer { variables in
            var request = spawn_request(
              path: path, arguments: arguments.baseAddress, environment: variables.baseAddress,
              folder: folder, input: input ?? nothing, output: nothing, errors: nothing,
              files: Self.maxFiles, size: maxFileSize)
            return spawn_start(&request, &file)
          }
        }
      }
    }
    guard number > 0 else {
      throw CommandFailure(
        status: .unavailable,
        message: "\(words[0]) cannot be started: \(String(cString: strerror(errno)))")
    }
    (process, processFile) = (number, file)
  }

  deinit {
    settle()
    close(processFile)
  }

  /// True if it has ended.
  var hasEnded: Bool {
    var polled = pollfd(fd: processFile, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) > 0
  }

  /// Sends a signal to all of its group.
  func signal(_ number: Int32) {
    settled.withLock { settled in
      if settled == nil { kill(-process, number) }
    }
  }

  /// Waits until it has ended; nil if it has not by then. Ends it when the task is cancelled.
  func ending(within time: Duration?) async throws -> Ending? {
    let bell = spawn_bell()
    guard bell >= 0 else {
      throw CommandFailure(status: .system, message: "too many files are open")
    }
    defer { close(bell) }
    let hasEnded = await withTaskCancellationHandler {
      await WorkerQueue("session.sound").run { [processFile] in
        let deadline = time.map { ContinuousClock.now + $0 }
        while true {
          var polled = [
            pollfd(fd: processFile, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
          ]
          let left = deadline.map { max(($0 - .now) / .milliseconds(1), 0).rounded(.up) }
          let count = poll(&polled, 2, left.map { Int32(clamping: Int64($0)) } ?? -1)
          if count < 0, errno == EINTR { continue }
          return polled[0].revents != 0
        }
      }
    } onCancel: {
      spawn_ring(bell)
    }
    try Task.checkCancellation()
    return hasEnded ? settle() : nil
  }

  /// Takes the status of a program that has ended or is ended now, with what it left behind in its group.
  @discardableResult
  private func settle() -> Ending {
    settled.withLock { settled in
      if let settled { return settled }
      kill(-process, SIGKILL)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let ending = status & 0x7F == 0 ? Ending.exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
      settled = ending
      return ending
    }
  }
}
