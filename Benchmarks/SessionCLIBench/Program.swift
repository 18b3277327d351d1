import CBench
import Glibc
import Measuring

/// A program that is run again and again, each time as a new process.
struct Program {
  let path: String
  var environment: [String] = []

  /// What one run took.
  struct Run {
    let seconds: Double
    /// The most memory it had, in kilobytes.
    let kilobytes: Int
  }

  /// The `session` that was built beside this benchmark.
  static var session: Program {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { fatalError("this program does not know where it is") }
    let own = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own[...own.lastIndex(of: "/")!] + "session"
    guard access(String(path), X_OK) == 0 else {
      fatalError("there is no \(path): build the product session in the same configuration")
    }
    return Program(path: String(path))
  }

  /// Runs it to its end, which has to be a good one; what it writes is thrown away.
  func run(_ arguments: String...) -> Run {
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var (process, status, usage) = (pid_t(0), Int32(0), rusage())
    let begun = bench_seconds()
    guard posix_spawn(&process, path, &actions, nil, &words, &variables) == 0,
      wait4(process, &status, 0, &usage) == process, status == 0
    else { fatalError("\(path) \(arguments.joined(separator: " ")) ended with \(status)") }
    return Run(seconds: bench_seconds() - begun, kilobytes: usage.ru_maxrss)
  }
}

extension [Program.Run] {
  /// The run in the middle, by time.
  var seconds: Double { map(\.seconds).sorted().part(0.5) }
  var kilobytes: Int { map(\.kilobytes).max() ?? 0 }
}
