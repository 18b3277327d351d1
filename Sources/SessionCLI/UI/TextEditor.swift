import Glibc
import SessionBase
import SessionDaemon
import SessionTerminal

/// The program in which a person edits long texts.
struct TextEditor: Sendable {
  let io: CommandIO

  /// The text as the person left it. What cannot be taken stays in its file.
  func edited(_ text: String) async -> EditedText {
    let words = command
    let path: String
    do {
      let folder = try SocketFolder.prepared(in: try io.roots(), io.environment)
      path = "\(folder)/text-\(getpid())-\(io.now()).txt"
      try PendingFile.write(Array(text.utf8).span, to: path)
    } catch {
      return .failure("cannot write the text to a file: \(CommandFailure(error).message)")
    }
    let editor = ForegroundProcess(program: words[0], arguments: words + [path], environment: io.environment)
    guard let end = await editor.run() else {
      unlink(path)
      return .failure("cannot run the editor \(DisplayText.line(words[0]))")
    }
    do {
      let edited = try taken(from: path, end)
      unlink(path)
      return .text(edited)
    } catch {
      return .failure("\(CommandFailure(error).message); the text is in \(path)")
    }
  }

  /// The words of the command, which no shell reads. An empty variable counts as unset.
  private var command: [String] {
    let chosen = ["VISUAL", "EDITOR"].lazy.map { name in
      io.environment[name, default: ""].split(separator: " ").map(String.init)
    }
    return chosen.first { !$0.isEmpty } ?? ["vi"]
  }

  private func taken(from path: String, _ end: ForegroundProcess.End) throws -> String {
    switch end {
    case .exited(0): break
    case .exited(let status): throw CommandFailure.data("the editor ended with status \(status)")
    case .killed(let signal): throw CommandFailure.data("the editor ended by signal \(signal)")
    }
    let bytes = try OpenFile(reading: path).readAll(upTo: InputLimits.message)
    guard var edited = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure.data("the text is not UTF-8")
    }
    // Editors end the last line.
    if edited.hasSuffix("\n") { edited.removeLast() }
    guard edited.count <= Composer.maxCharacters else {
      throw CommandFailure.data("the text is longer than \(Composer.maxCharacters) characters")
    }
    return edited
  }
}
