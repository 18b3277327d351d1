import CBench
public import Glibc

/// A program that is run again and again, each time as a new process. Where that fails there is nothing to measure, and
/// the benchmark ends with the reason.
public struct Program: Sendable {
  public let path: String
  public var environment: [String] = []
  /// A descriptor that it gets as its fourth, number 3.
  public var inherited: Int32?

  public init(path: String, environment: [String] = []) {
    self.path = path
    self.environment = environment
  }

  /// The `session` that was built beside this benchmark.
  public static var session: Program { beside("session") }

  /// The least that a program in Swift is, built in the same way.
  public static var empty: Program { beside("empty-program") }

  private static func beside(_ name: String) -> Program {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { fatalError("this program does not know where it is") }
    let own = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own[...own.lastIndex(of: "/")!] + name
    guard access(String(path), X_OK) == 0 else {
      fatalError("there is no \(path): build the product \(name) in the same configuration")
    }
    return Program(path: String(path))
  }

  /// Seconds that passed, and those of the processor.
  public struct Cost: Sendable {
    public let elapsed, computed: Double
  }

  /// Runs it to its end, which has to be a good one; what it writes is thrown away. How many seconds it took.
  @discardableResult
  public func run(_ arguments: [String]) -> Double { cost(of: arguments).elapsed }

  /// The same; also how long the processor worked for it.
  public func cost(of arguments: [String]) -> Cost {
    let begun = bench_seconds()
    let usage = end(of: start(arguments))
    let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
    return Cost(elapsed: bench_seconds() - begun, computed: times[0] + times[1])
  }

  /// The same; the most memory it had, in kilobytes. The system counts the memory of whoever starts a program as the
  /// program's: here that is a shell, which has little, and ends before.
  public func memory(_ arguments: [String]) -> Int {
    bench_adopt()
    let shell = Program(path: "/bin/sh", environment: environment)
    let process = shell.start(["-c", "\"$@\" &", "sh", path] + arguments)
    _ = end(of: process)
    return end(of: -1).ru_maxrss
  }

  /// Waits for a process, or for whichever ends next: what it used.
  @discardableResult
  public func end(of process: pid_t) -> rusage {
    var (status, usage) = (Int32(0), rusage())
    guard wait4(process, &status, 0, &usage) > 0, status == 0 else {
      fatalError("\(path) ended with \(status)")
    }
    return usage
  }

  /// Starts it; it has to be ended.
  public func start(_ arguments: [String]) -> pid_t {
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    if let inherited { posix_spawn_file_actions_adddup2(&actions, inherited, 3) }
    var process = pid_t(0)
    guard posix_spawn(&process, path, &actions, nil, &words, &variables) == 0 else {
      fatalError("\(path) does not run")
    }
    return process
  }
}
