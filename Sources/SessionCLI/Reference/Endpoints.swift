/// Everything that the programs reach outside of themselves, and everything that others reach in them. The page
/// docs/endpoints.md is written from it.
enum Endpoints {
  /// Another machine, or a program on this one.
  struct Peer: Sendable {
    /// The name in `session endpoints`.
    let name: String
    let address: String
    let transport: String
    let occasion: String
    /// What is sent, and who learns the address of this machine.
    let content: String
    let off: String
  }

  /// Something by name, and what it is for.
  struct Named: Sendable {
    let name: String
    let purpose: String
  }

  /// What the session command and the daemon contact.
  static let contacted: [Peer] = [
    Peer(
      name: "seed nodes", address: "those of the network: built in, or in its network file",
      transport: "QUIC over UDP",
      occasion: "when no list of nodes is known, or it is old",
      content: "a request for the list of nodes; a seed sees the address of this machine",
      off: "a network file of a network of your own"),
    Peer(
      name: "guards", address: "two nodes of the list, for months; 'session net guards list'",
      transport: "QUIC over UDP",
      occasion: "while a command works with the network, or the daemon runs",
      content:
        "onion requests, of which a guard can read the next node only; it sees the address of this machine",
      off: "commands that only read need no network"),
    Peer(
      name: "other nodes", address: "all nodes of the list", transport: "onion requests, through three nodes",
      occasion: "to store, fetch, and look up registered names (ons:)",
      content: "encrypted messages and configurations; a node learns the account id, not the address", off: ""
    ),
    Peer(
      name: "file server", address: "filev2.getsession.org:80, or that of the network file",
      transport: "HTTP in onion requests: GET and POST /file, GET /session_version",
      occasion: "to send and fetch files and pictures; for 'session net versions'",
      content: "encrypted files, without a sender", off: "send no files; 'settings set auto-download'"),
    Peer(
      name: "community servers",
      address: "those of joined rooms; open.getsession.org:443 for 'community list'",
      transport:
        "HTTP in onion requests; HTTPS over TCP, or through the proxy, for direct_servers in session.toml",
      occasion: "while a room is joined",
      content:
        "requests signed by the id in the community, and messages; a server of direct_servers sees the address of this "
        + "machine, or of the proxy",
      off: "leave the rooms"),
    Peer(
      name: "sites of links", address: "the host of a link that you write, port 443",
      transport: "HTTPS over TCP, or through the proxy of session.toml",
      occasion: "when a message with a link is sent, with --preview or the setting link-previews",
      content: "GET of the page and its image; the site, or the proxy, sees the address of this machine",
      off: "it is off; 'settings set link-previews off'"),
    Peer(
      name: "name servers", address: "those of the system", transport: "as the system does",
      occasion: "for the host of a link without a proxy; for servers that nodes and servers of yours ask",
      content: "the name of the host", off: "a proxy with socks5h or http"),
  ]

  /// What the programs serve.
  static let served: [Peer] = [
    Peer(
      name: "daemon", address: "$XDG_RUNTIME_DIR/session/daemon.sock",
      transport: "JSON-RPC over a Unix socket",
      occasion: "while 'session daemon' runs", content: "accounts, for programs of the same user", off: ""),
    Peer(
      name: "daemon over HTTP", address: "the address http in daemon.toml", transport: "HTTP, with tokens",
      occasion: "where daemon.toml says so", content: "accounts, for holders of a token", off: "it is off"),
    Peer(
      name: "account", address: "a socket in the state folder of each account", transport: "Unix socket",
      occasion: "while a command works on an account", content: "the account, for programs of the same user",
      off: ""),
    Peer(
      name: "node, registry, servers", address: "the addresses of their configuration files",
      transport: "QUIC over UDP; HTTP and HTTPS over TCP; metrics on loopback",
      occasion: "while 'session node run', 'session registry' and 'session server' run",
      content: "their service",
      off: ""),
  ]

  static let environment: [Named] = [
    Named(
      name: "HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
      purpose: "the folders below"),
    Named(name: "XDG_RUNTIME_DIR", purpose: "the socket of the daemon; sound that is converted"),
    Named(name: "TMPDIR", purpose: "temporary files"),
    Named(name: "TERM, COLORTERM, NO_COLOR, SSH_TTY, MOSH_KEY", purpose: "what the terminal can"),
    Named(name: "PWD", purpose: "the folder of relative paths in settings"),
    Named(
      name: "SWIFT_BACKTRACE", purpose: "set for the full-screen interface: a crash prints no trace over it"),
    Named(name: "PATH", purpose: "the programs for sound, terminals and hooks"),
    Named(name: "TZ", purpose: "local times"),
    Named(
      name: "HTTPS_PROXY, ALL_PROXY, NO_PROXY",
      purpose: "the proxy, if session.toml has proxy = \"environment\""),
    Named(name: "DBUS_SESSION_BUS_ADDRESS, DBUS_SYSTEM_BUS_ADDRESS", purpose: "the desktop"),
    Named(name: "XDG_ACTIVATION_TOKEN", purpose: "given to the terminal that a notification opens"),
    Named(
      name:
        "LISTEN_FDS, LISTEN_FDNAMES, LISTEN_PID, NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, INVOCATION_ID, "
        + "CREDENTIALS_DIRECTORY",
      purpose: "systemd"),
    Named(name: "SESSION_SOCKET, SESSION_ACCOUNT", purpose: "given to the programs of hooks"),
  ]

  static let folders: [Named] = [
    Named(
      name: "~/.config/session",
      purpose: "settings that you write: session.toml, daemon.toml, hooks, proxy-auth"),
    Named(name: "~/.local/share/session", purpose: "accounts: encrypted databases and files"),
    Named(name: "~/.local/state/session", purpose: "logs, locks, sockets, guards"),
    Named(name: "~/.cache/session", purpose: "lists of nodes"),
    Named(name: "$XDG_RUNTIME_DIR/session-voice-*", purpose: "sound while it is recorded or converted"),
  ]

  static let buses: [Named] = [
    Named(
      name: "local.session.Session",
      purpose: "owned on the session bus: the menu entry, its actions, and Status1"),
    Named(name: "org.freedesktop.Notifications", purpose: "notifications"),
    Named(name: "org.freedesktop.secrets", purpose: "keys of accounts, where an account says so"),
    Named(name: "com.canonical.Unity.LauncherEntry", purpose: "signals with the number of unread messages"),
    Named(
      name: "org.freedesktop.ScreenSaver, org.freedesktop.login1", purpose: "whether the screen is locked"),
  ]

  static let headers: [Named] = [
    Named(
      name: "X-SOGS-Pubkey, X-SOGS-Timestamp, X-SOGS-Nonce, X-SOGS-Signature",
      purpose: "to community servers, inside of onion requests"),
    Named(
      name: "X-FS-TTL, X-FS-Pubkey, X-FS-Timestamp, X-FS-Signature", purpose: "to file servers that want them"
    ),
    Named(
      name: "User-Agent: Mozilla/5.0 (compatible; session)",
      purpose: "to sites of links; no cookies, no referrer"),
  ]

  /// The page in Markdown.
  static var page: String {
    var lines = [
      "# Endpoints", "",
      "What `session` contacts and serves, and what it reads of the machine. This page is written from",
      "`Sources/SessionCLI/Reference/Endpoints.swift`. `session endpoints` prints what is in force for an account.",
      "",
      "No program here contacts anybody for its authors: there are no statistics, no crash reports and no updates.",
      "",
    ]
    func peers(_ title: String, _ peers: [Peer]) {
      lines += [
        "## \(title)", "", "| What | Address | How | When | What is sent | Off |",
        "|---|---|---|---|---|---|",
      ]
      lines += peers.map { peer in
        "| \(peer.name) | \(peer.address) | \(peer.transport) | \(peer.occasion) | \(peer.content) | \(peer.off) |"
      }
      lines.append("")
    }
    func named(_ title: String, _ things: [Named]) {
      lines += ["## \(title)", "", "| Name | For |", "|---|---|"]
      lines += things.map { thing in
        "| \(thing.name.split(separator: ", ").map { "`\($0)`" }.joined(separator: ", ")) | \(thing.purpose) |"
      }
      lines.append("")
    }
    peers("Contacted", contacted)
    lines += [
      "D-Bus and loopback never go through a proxy, and onion requests cannot: they are datagrams.", "",
    ]
    peers("Served", served)
    named("Environment", environment)
    named("Files and folders", folders)
    named("D-Bus", buses)
    named("HTTP headers", headers)
    return lines.joined(separator: "\n")
  }
}
