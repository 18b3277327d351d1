import SessionTerminal

extension WakingInput {
  /// Fails with what the person can do if too many files are open.
  static func reading(_ input: Int32) throws(CommandFailure) -> WakingInput {
    guard let source = WakingInput(input) else {
      throw CommandFailure(
        status: .system, message: "too many files are open", advice: "Raise the limit with 'ulimit -n'.")
    }
    return source
  }
}
