import Folders
import Foundation
import Glibc
import SessionBase
import Testing

@testable import SessionDaemon

/// The programs of hooks.
@Suite(.timeLimit(.minutes(5))) struct HookProcessTests {
  private let folder: TemporaryFolder
  private let stop = HookStop()

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ script: String, timeout: Duration = .seconds(60), input: String = "", grace: Duration = .seconds(5),
    stopTime: Duration = .seconds(10)
  ) throws -> HookProcess.Outcome {
    var process = HookProcess(
      program: try HookProgram(checking: "/bin/sh"), command: ["/bin/sh", "-c", script],
      environment: ["PATH": "/usr/bin:/bin"], folder: folder.url.path, timeout: timeout,
      log: HookLog(folder.path("log")))
    (process.grace, process.stopTime) = (grace, stopTime)
    return try process.run(input: Array(input.utf8), stop: stop)
  }

  private func output(_ script: String, input: String = "") throws -> String {
    String(decoding: try run(script, input: input).output, as: UTF8.self)
  }

  @Test func theEventIsReadFromStandardInputAsItIs() throws {
    let text = "{\"body\":\"$(touch x) `id` \\\"'\\n; %s\"}\n"
    #expect(try output("cat", input: text) == text)
    #expect(try output("cat /dev/stdin", input: text) == text)
    #expect(try run("exec 0<&-", input: text).ending == .exited(0))
  }

  @Test(arguments: [
    ("exit 3", HookProcess.Ending.exited(3)), ("exit 75", .exited(75)),
    ("kill -SEGV $$", .killed(by: SIGSEGV)),
    ("head -c 1000000000 /dev/zero", .tooMuchOutput), ("exec no-such-program", .exited(127)),
  ])
  func theEndOfAProgramIsKnown(_ script: String, _ ending: HookProcess.Ending) throws {
    let outcome = try run(script)
    #expect(outcome.ending == ending)
    #expect(outcome.output.count <= HookProcess.maxOutput)
  }

  @Test(arguments: ["sleep 1000", "trap '' TERM; while :; do sleep 1000; done"])
  func aProgramThatNeverEndsIsEnded(_ script: String) throws {
    let outcome = try run(script, timeout: .milliseconds(50), grace: .milliseconds(50))
    #expect(outcome.ending == .timedOut)
  }

  @Test func programsEndSoonAfterThisOneIsAskedToEnd() throws {
    stop.ring()
    #expect(try run("sleep 1000", stopTime: .milliseconds(50)).ending == .stopped)
    #expect(try run("exit 0").ending == .exited(0))
  }

  @Test func whatAProgramLeavesBehindEndsWithIt() throws {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(fifo) }
    #expect(try run("sleep 1000 > '\(path)' & exit 0").ending == .exited(0))
    // Its end closes the pipe.
    _ = fcntl(fifo, F_SETFL, 0)
    var byte: UInt8 = 0
    #expect(read(fifo, &byte, 1) == 0)
  }

  @Test func aProgramHasASessionOfItsOwnAndNoRights() throws {
    let other = open("/dev/null", O_RDONLY)
    defer { close(other) }
    // The last one is the folder that it lists.
    #expect(try output("exec ls /proc/self/fd") == "0\n1\n2\n3\n")
    let numbers = try output("cut -d ' ' -f 1,5,6 /proc/$$/stat").split(whereSeparator: \.isWhitespace)
    #expect(numbers.count == 3 && Set(numbers).count == 1)
    let status = try output("exec grep -E '^(NoNewPrivs|SigBlk|SigIgn):' /proc/self/status")
    let values = status.split(separator: "\n").map { $0.split(separator: "\t").last.map(String.init) ?? "" }
    // Signals 32 and 33 belong to the C library, which lets no program change them.
    let masks = values.compactMap { Int($0, radix: 16) }.map { $0 & ~(3 << 31) }
    #expect(masks == [0, 0, 1])
    #expect(try output("ulimit -c; ulimit -n; pwd") == "0\n256\n\(folder.url.path)\n")
    #expect(try output("env | grep -v -E '^(PWD|OLDPWD|SHLVL|_)='") == "PATH=/usr/bin:/bin\n")
  }

  /// A parent may have the program ignore the signal: the system then keeps no status of processes that have ended.
  @Test func theEndIsKnownEvenIfItsSignalWasIgnored() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path("log") as String] in
      signal(SIGCHLD, SIG_IGN)
      func ending() throws -> HookProcess.Ending {
        let process = HookProcess(
          program: HookProgram(path: "/bin/sh"), command: ["/bin/sh", "-c", "exit 3"], environment: [:],
          folder: "/", timeout: .seconds(60), log: HookLog(path))
        return try process.run(input: [], stop: HookStop()).ending
      }
      #expect((try? ending()) == .exited(3))
      // It is ignored once more, so what became of the program is unknown.
      signal(SIGCHLD, SIG_IGN)
      #expect(throws: HookProcess.Failure.self) { try ending() }
    }
  }

  @Test func aFileThatIsNoProgramIsNotStarted() throws {
    let path = folder.path("script")
    try Data("echo without a first line\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o700)
    let process = HookProcess(
      program: HookProgram(path: path), command: [path], environment: [:], folder: "/", timeout: .seconds(5),
      log: HookLog(folder.path("log")))
    #expect(throws: HookProcess.Failure.self) { try process.run(input: [], stop: stop) }
  }

  @Test func standardErrorGoesToABoundedFileWithoutControlCharacters() throws {
    let path = folder.path("log")
    _ = try run("printf 'a\\033[31mb\\n\\377c\\n' >&2")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a[31mb\n\u{FFFD}c\n")
    #expect(try run("head -c 3000000 /dev/zero | tr '\\0' x >&2").ending == .exited(0))
    for file in [path, path + ".1"] {
      var status = stat()
      #expect(stat(file, &status) == 0 && status.st_size <= HookLog.limit + 64 << 10)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func programsThatOthersCouldReplaceAreRefused() throws {
    func refusal(_ path: String) -> HookProgram.Refusal? {
      do throws(HookProgram.Refusal) {
        _ = try HookProgram(checking: path)
        return nil
      } catch { return error }
    }
    let path = folder.path("program")
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: path))
    chmod(path, 0o700)
    // The folder of temporary files is writable by all.
    guard case .writable? = refusal(path) else {
      Issue.record("not refused: \(path)")
      return
    }
    #expect(refusal("/bin/sh") == nil)
    #expect(refusal("bin/sh") == .notAbsolute("bin/sh"))
    #expect(refusal("/no/such/program") == .missing("/no/such/program"))
    #expect(refusal("/etc/passwd") == .notExecutable("/etc/passwd"))
    #expect(refusal("/usr") == .notExecutable("/usr"))
  }
}
