import SessionCore
import SessionDaemon
import SessionStorage

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "diagnose common problems and suggest fixes",
    discussion: """
      Checks folders and permissions, disk space, the clock, the notifications of a desktop, the account's settings, database
      and failed jobs, and the network. Each check is ok, a warning or failed. Nothing is changed, and other programs may use
      the account meanwhile.

      The command ends with 0 if no check failed, otherwise with the exit code of the first failure; see 'session help
      exit-codes'.
      """,
    options: [
      .init(name: "offline", summary: "check only this machine, not the network"), .timeout, .account,
      .json,
    ],
    examples: [
      .init(line: "session doctor", summary: "run all checks"),
      .init(
        line: "session doctor --json | jq -r 'select(.state == \"failed\") | .check'",
        summary: "print what failed"),
    ],
    needsSettings: false,
    rpc: .beside(.read)
  ) { invocation, io in
    let checkup = Checkup(invocation: invocation, io: io, timeout: try invocation.timeout())
    return try await cancelledBySignals { try await checkup.run() }
  }
}

/// The command `doctor`.
private struct Checkup: Sendable {
  let invocation: Invocation
  let io: CommandIO
  let timeout: Duration

  func run() async throws -> CommandOutput {
    var output = CommandOutput()
    func tell(_ finding: Finding) throws {
      if finding.state == .failed, output.status == .success { output.status = finding.status }
      let shown =
        invocation.has("json") ? CommandOutput(json: finding.json) : CommandOutput(data: finding.parts)
      try SessionTool.write(shown, to: io)
    }
    let book: AccountBook
    do { book = try AccountBook(io) } catch {
      try tell(.failed("folders", error))
      return output
    }
    for finding in MachineCheckup(roots: book.roots, now: io.now()).findings() { try tell(finding) }
    if let finding = await DesktopCheckup(environment: io.environment).finding() { try tell(finding) }
    do {
      let file = UserSettingsFile(book.roots)
      _ = try file.read(io)
      try tell(.ok("config", "\(file.path) can be used"))
    } catch let failure as CommandFailure {
      try tell(.failed("config", failure))
    }
    let account: AccountFolder
    do {
      guard try !book.all().isEmpty || invocation["account"] != nil else {
        try tell(.warning("account", "there is none yet", advice: "'session account new NAME' makes one."))
        return output
      }
      account = try book.account(named: invocation["account"])
    } catch {
      try tell(.failed("account", error))
      return output
    }
    let id = try await AccountCheckup(account: account, io: io).run(tell)
    let reach: AccountNetwork.Reach
    do {
      let network = try book.network(of: account, io: io)
      reach = try network.reach(io: io)
      try tell(.ok("settings", "the network is \(network.text)"))
    } catch {
      try tell(.failed("settings", error))
      return output
    }
    if let finding = Finding.backup(of: account, in: book.roots, at: Int64(clamping: io.now()), io) {
      try tell(finding)
    }
    guard !invocation.has("offline") else { return output }
    let checkup = NetworkCheckup(options: reach.options, id: id, timeout: timeout, now: io.now)
    do {
      for finding in try await checkup.findings() { try tell(finding) }
    } catch let error as SessionError {
      try tell(.failed("network", error))
    }
    return output
  }
}
