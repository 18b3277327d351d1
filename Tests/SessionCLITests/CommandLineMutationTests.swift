import Testing

@testable import SessionCLI

/// Command lines that are almost what they should be. Each is understood, or said to be wrong; none is half understood.
/// `MUTATIONS` says how many are tried; each has a seed of its own, which is shown when it fails.
@Suite struct CommandLineMutationTests {
  /// A line for each command that gives all it takes.
  private static let lines: [[String]] = CommandTable.session.commands.map { command in
    command.words + command.arguments.map { "a" + $0.name }
      + command.options.flatMap { option in ["--" + option.name] + (option.value == nil ? [] : ["value"]) }
  }

  private static let words =
    CommandTable.session.commands.flatMap {
      $0.words + $0.options.flatMap { ["--" + $0.name, "--\($0.name)=x"] }
    }
    + ["-", "--", "--help", "-h", "--version", "--=", "=", ""]

  @Test func everyLineIsUnderstoodOrRefused() {
    var understood = 0
    for seed in 0..<SplitMix.count {
      var random = SplitMix(seed)
      var words = random.one(of: Self.lines)
      if !random.happens(oneIn: 8) { words = random.mutated(words, with: Self.words) }
      do throws(CommandFailure) {
        expectWhole(try SessionTool.invocation(from: words), seed)
        understood += 1
      } catch {
        #expect(error.status == .usage, "seed \(seed)")
        #expect(!error.message.isEmpty && error.advice?.isEmpty == false, "seed \(seed)")
      }
    }
    // Some are right, and some are not.
    #expect(understood > SplitMix.count / 20 && understood < SplitMix.count)
  }

  /// The line has what its command needs, no more than it takes, and can be written in another way that means the same.
  private func expectWhole(_ invocation: Invocation, _ seed: UInt64) {
    let command = invocation.command
    let needed = command.arguments.count { !$0.isOptional }
    #expect(invocation.arguments.count >= needed, "seed \(seed)")
    #expect(
      invocation.arguments.count <= command.arguments.count || command.arguments.last?.isRepeated == true,
      "seed \(seed)")
    var words = command.words
    for option in command.options {
      let values = invocation.all(option.name)
      #expect(option.isRepeated || values.count <= 1, "seed \(seed)")
      #expect(!option.isRequired || values.count >= 1, "seed \(seed)")
      #expect(values.allSatisfy { !$0.isEmpty }, "seed \(seed)")
      words += values.map { "--\(option.name)=\($0)" }
      if invocation.has(option.name) { words.append("--" + option.name) }
    }
    words += ["--"] + invocation.arguments
    do throws(CommandFailure) {
      let again = try SessionTool.invocation(from: words)
      #expect(again.command.name == command.name, "seed \(seed)")
      #expect(again.arguments == invocation.arguments, "seed \(seed)")
      for option in command.options {
        #expect(again.all(option.name) == invocation.all(option.name), "seed \(seed)")
        #expect(again.has(option.name) == invocation.has(option.name), "seed \(seed)")
      }
    } catch {
      Issue.record("seed \(seed): \(error.message)")
    }
  }
}
