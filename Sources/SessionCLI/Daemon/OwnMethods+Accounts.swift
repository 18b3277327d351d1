import SessionDaemon

extension OwnMethod {
  static let accountLock = change(
    .lock, "account.lock",
    "close an account that has a passphrase; it receives nothing until it is unlocked")
  static let accountSuspend = change(
    .suspend, "account.suspend", Command.accountSuspend.summary)
  static let accountResume = change(.resume, "account.resume", Command.accountResume.summary)

  private static func change(_ change: AccountChange, _ name: String, _ summary: String) -> OwnMethod {
    OwnMethod(
      name: name, summary: summary, scope: .admin,
      parameters: [.required("name", .text, "the account")], form: "done"
    ) { call, arguments, _ in
      try await call.change(try arguments.requiredText("name"), change)
      return .done
    }
  }
}
