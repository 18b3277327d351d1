import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionNetworking
import SessionStorage

extension Command {
  static let netStatus = Command(
    name: "net status",
    summary: "show the state of the network connection",
    discussion: """
      Also shows the changes of guards since the daemon, or this command, started, and why. While the daemon
      serves the account, the servers of its communities are shown, too.
      """,
    options: [.timeout, .account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await NetworkView(invocation, io).show("net.status") { seen in
      [try await .networkState(of: seen.network, with: seen.messenger?.serverConditions())]
    } text: { found in
      found.first.map { CommandOutput(fields: $0.networkFields) } ?? CommandOutput()
    }
  }

  static let netPath = Command(
    name: "net path",
    summary: "show the paths of requests through the network",
    discussion: """
      Shows the account's paths in the daemon, or in this command if no daemon runs. Accounts share guards but not paths.
      """,
    options: [.timeout, .account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await NetworkView(invocation, io).show("net.path") { seen in
      for await paths in seen.network.paths {
        let active = paths.filter { $0.state == .active && seen.concerns($0) }
        if active.contains(where: { $0.category == .standard }) { return active.map(JSONObject.path) }
      }
      throw CancellationError()
    } text: { paths in
      CommandOutput(text: paths.map(\.pathText).joined())
    }
  }
}

extension Command {
  static let netReset = Command(
    name: "net reset",
    summary: "delete cached network data; the next command fetches it again",
    discussion: """
      Deletes the list of nodes and their failures. The guards stay, and the account loses nothing. A daemon that runs
      fetches the list anew for all of its accounts in the same network.
      """,
    options: [.account],
    examples: [.init(line: "session net reset", summary: "try this last if connecting fails")],
    rpc: .method(.admin)
  ) { invocation, io in
    try await NetworkView(invocation, io).reset()
    return CommandOutput(notes: ["Cached network data deleted."])
  }
}

extension Command {
  static let netVersions = Command(
    name: "net versions",
    summary: "show the newest versions of the official apps, as the file server says",
    discussion: """
      Asks the file server of the network, through the network, without saying who asks. Nothing is compared with this
      program, whose versions are its own. A private network may also have a version of programs without a screen.
      """,
    options: [.timeout, .account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.changing(io, showing: "asking the file server") { messenger in
      let platforms = PublishedVersion.officialPlatforms + [PublishedVersion.headless]
      let versions = try await messenger.publishedVersions(of: platforms)
      guard !invocation.has("json") else { return CommandOutput(lines: versions.map(\.json)) }
      guard !versions.isEmpty else { return CommandOutput(notes: ["The file server knows of no version."]) }
      return CommandOutput(
        data: TextTable(head: ["platform", "version", "since"], rows: versions.map(\.row)).parts)
    }
  }
}

extension PublishedVersion {
  /// For programs.
  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("published-version"), "platform": .string(platform), "version": .string(version),
    ]
    object["updated_at"] = updatedAt.map { .time($0) }
    return object
  }

  /// For eyes.
  fileprivate var row: [String] { [platform, version, updatedAt.map { LocalTime.text($0) } ?? ""] }
}

extension Command {
  static let netGuardsList = Command(
    name: "net guards list",
    summary: "show the guards, the first nodes of all paths",
    discussion: """
      Guards are the only nodes that learn the address of this machine. A few are kept for months, because each new one
      may be hostile. All accounts of this user share them.
      """,
    options: [.timeout, .account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await NetworkView(invocation, io).show("net.guards.list") { seen in
      try await seen.network.guards().map(JSONObject.networkGuard)
    } text: { guards in
      CommandOutput(text: guards.map(\.guardText).joined())
    }
  }

  static let netGuardsForget = Command(
    name: "net guards forget",
    summary: "replace the guards with others; costs privacy",
    discussion: """
      The new guards learn the address of this machine, and the old ones still know it. Each replacement makes it more
      likely that a guard is hostile. Do this only if the guards are known to be bad.
      """,
    options: [.account],
    rpc: .beside(.admin)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    var options = try NetworkView.options(book, account, io)
    // Another program may use the account: its list of nodes is read, and not written, because none is fetched.
    options.folder = account.cache
    let network = try Network(options)
    try await network.start(building: false)
    do {
      try await network.resetGuards()
    } catch SessionError.Code.networkNoNodes {
      await network.stop()
      throw CommandFailure(
        status: .unavailable,
        message: "no list of nodes to choose guards from; the guards are unchanged",
        advice: "run: session net status")
    }
    await network.stop()
    return CommandOutput(notes: ["Guards replaced. Running programs change to them within a minute."])
  }
}
