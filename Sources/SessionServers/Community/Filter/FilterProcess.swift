internal import CSpawn
import Glibc

/// A run of the operator's filter program, which answers each line of its input with a line. Its calls block, one at a
/// time.
final class FilterProcess {
  /// Bytes of an answer.
  private static let maxAnswer = 64 << 10
  private static let maxFiles: UInt = 64

  private let process: pid_t
  private let processFile: Int32
  private let socket: Int32
  private var input: [UInt8] = []

  /// Starts the program; nil if that fails.
  init?(_ path: String) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      return nil
    }
    defer { close(ends[1]) }
    let errors = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(errors) }
    var file: Int32 = -1
    let words = [strdup(path), nil]
    let settings: [String] = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]
    let variables: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    let number = path.withCString { path in
      "/".withCString { folder in
        words.withUnsafeBufferPointer { words in
          variables.withUnsafeBufferPointer { variables in
            var request = spawn_request(
              path: path, arguments: words.baseAddress, environment: variables.baseAddress, folder: folder,
              input: ends[1], output: ends[1], errors: errors, files: Self.maxFiles, size: 0)
            return spawn_start(&request, &file)
          }
        }
      }
    }
    guard number > 0 else {
      close(ends[0])
      return nil
    }
    (process, processFile, socket) = (number, file, ends[0])
  }

  deinit {
    close(socket)
    close(processFile)
    kill(-process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// The line that answers a line; nil if the program has ended, or gives none in time. It is of no use then.
  func answer(_ line: [UInt8], within time: Duration) -> [UInt8]? {
    let deadline = ContinuousClock.now + time
    guard send(line + [UInt8(ascii: "\n")], by: deadline) else { return nil }
    while true {
      if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
        defer { input.removeFirst(end + 1) }
        return Array(input[..<end])
      }
      guard input.count <= Self.maxAnswer, wait(for: POLLIN, by: deadline) else { return nil }
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
      guard count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)) else { return nil }
      input += piece.prefix(max(count, 0))
    }
  }

  /// False if the program has ended, or has said something without a question, which would be taken for the next answer.
  var isReady: Bool {
    var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return input.isEmpty && poll(&polled, 1, 0) == 0
  }

  private func send(_ bytes: [UInt8], by deadline: ContinuousClock.Instant) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard wait(for: POLLOUT, by: deadline) else { return false }
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      guard count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN)) else { return false }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }

  /// False if the time is over.
  private func wait(for event: Int32, by deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return false }
      var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
      let count = poll(&polled, 1, Int32(clamping: Int64(left.rounded(.up))))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { return false }
    }
  }
}
