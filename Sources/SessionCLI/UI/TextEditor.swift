import Glibc
import SessionBase
import SessionDaemon

/// The program in which a person edits long texts.
struct TextEditor: Sendable {
  let io: CommandIO

  /// The text as the person left it; nil if the program failed, or cannot be run.
  func edited(_ text: String) async -> String? {
    let command = io.environment["VISUAL"] ?? io.environment["EDITOR"] ?? "vi"
    // Words, and never a shell.
    let words = command.split(separator: " ").map(String.init)
    guard let program = words.first, let roots = try? io.roots(),
      let folder = try? SocketFolder.prepared(in: roots, io.environment)
    else { return nil }
    let path = "\(folder)/text-\(getpid()).txt"
    defer { unlink(path) }
    do {
      try PendingFile.write(Array(text.utf8).span, to: path)
      let editor = ForegroundProcess(program: program, arguments: words + [path], environment: io.environment)
      guard await editor.run() == .exited(0) else { return nil }
      let bytes = try OpenFile(reading: path).readAll(upTo: InputLimits.message)
      guard var edited = String(validating: bytes, as: UTF8.self) else { return nil }
      // Editors end the last line.
      if edited.hasSuffix("\n") { edited.removeLast() }
      return edited
    } catch {
      return nil
    }
  }
}
