import Glibc

/// Runs measurements in a fresh process of their own.
public enum OwnProcess {
  /// Runs this very program with these arguments, to its end.
  public static func run(_ arguments: String...) {
    finish(start(arguments), arguments)
  }

  /// Starts this very program with these arguments; returns its number.
  public static func start(_ arguments: [String]) -> Int32 {
    var words = (["/proc/self/exe"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/proc/self/exe", nil, nil, &words, environ) == 0 else {
      fatalError("\(arguments.joined(separator: " ")): it cannot be started")
    }
    return process
  }

  /// Waits for the end of a program that was started with these arguments.
  public static func finish(_ process: Int32, _ arguments: [String]) {
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process, status == 0 else {
      fatalError("\(arguments.joined(separator: " ")): it could not be measured")
    }
  }

  /// Ends a program that was started.
  public static func end(_ process: Int32) {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Memory that no other process shares.
  public static func privateKilobytes() -> Int {
    let lines = text(of: "/proc/self/smaps_rollup").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("Private_Dirty:") }) else { return 0 }
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// The beginning of a small file.
  public static func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  /// Returns the names in a folder.
  public static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }
}
