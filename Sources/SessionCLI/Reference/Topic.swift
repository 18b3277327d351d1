import SessionService

/// A help page that is not about a single command; `session help NAME` shows it.
struct Topic: Sendable {
  let name: String
  /// Its subject, without a full stop.
  let summary: String
  /// Whole sentences.
  let discussion: String
  /// Lines of a name and what it means.
  var rows: [(name: String, text: String)] = []
  var examples: [Command.Example] = []
}

extension Topic {
  static let start = Topic(
    name: "start",
    summary: "the first steps",
    discussion: """
      'session account new NAME' creates an account and prints the id that others write to. There is no registration.
      Only the recovery phrase can restore an account.

      The examples show two accounts on this machine that talk over a private network. Without --network an account
      uses the public network. 'devnet up' runs until interrupted: give it its own terminal, or wait until it prints
      the list of nodes.
      """,
    examples: [
      .init(line: "session devnet up &", summary: "run a private network on this machine"),
      .init(
        line: "session account new alice --network devnet", summary: "create an account and show its id"),
      .init(
        line: "BOB=$(session account new bob --network devnet)",
        summary: "create a second account and keep its id"),
      .init(line: "session send $BOB --account alice \"Shall we meet?\"", summary: "send a message request"),
      .init(line: "session receive --account bob --ack", summary: "show new messages"),
      .init(line: "session requests accept alice --account bob", summary: "accept the request"),
      .init(line: "session send alice --account bob Yes.", summary: "reply"),
      .init(
        line: "session receive --account alice --ack",
        summary: "show the reply; bob is now a contact of alice"),
      .init(
        line: "session send bob --account alice \"The rules\" --attach LICENSE", summary: "send a file"),
      .init(
        line: "session receive --account bob --ack --json",
        summary: "print JSON for scripts; --follow keeps running"),
      .init(line: "session chats --account bob", summary: "list the conversations"),
      .init(line: "session doctor --account alice", summary: "diagnose problems"),
      .init(line: "session devnet down", summary: "stop the network"),
    ])

  static let accounts = Topic(
    name: "accounts",
    summary: "accounts on this machine, their networks and files",
    discussion: """
      Commands use the account given by --account, else by SESSION_ACCOUNT, else the one set with 'session account
      use', else the only account. Commands can run at the same time: the program that holds the account makes the
      changes for the others.

      An account remembers the network it was created with: main, test, devnet for the private network of 'session
      devnet up', or the path of a network file.

      Commands prompt for the passphrase of a protected account once per login session. Scripts set
      SESSION_PASSPHRASE_FILE to a file that contains it and that only its owner can read.
      """,
    rows: [
      ("$XDG_DATA_HOME/session/accounts/NAME", "messages, attachments and the key of both"),
      ("$XDG_CONFIG_HOME/session/accounts/NAME.toml", "its settings: network = \"main\""),
      (
        "$XDG_CONFIG_HOME/session/session.toml",
        "your settings for all commands; see 'session help configuration'"
      ),
      ("$XDG_CACHE_HOME/session/accounts/NAME", "cached network data; safe to delete"),
      ("$XDG_STATE_HOME/session/accounts/NAME", "locks of running programs"),
    ],
    examples: [
      .init(
        line: "session account new alice --network devnet",
        summary: "create an account on the private network"),
      .init(line: "SESSION_ACCOUNT=bob session chats", summary: "use another account for one command"),
    ])

  static let names = Topic(
    name: "names",
    summary: "how TO, CHAT, PERSON and GROUP are resolved",
    discussion: """
      People choose their own names: two people may share one, and a stranger may take the name of a contact. An id always
      means the same person or group. A nickname is yours alone: 'session contacts nickname' sets it. The name of a
      message request works in 'session requests' only. A group that you are only invited to is found only by its id.

      The command tries the kinds of names below in order and takes the first that matches; case does not matter. If several
      people or groups match, it ends with 67 and lists their ids. A contact's own name is also ambiguous if another contact's
      nickname, name or id begins with it. The first message to an id that is not a contact is sent as a message request,
      and 'session send' says so.

      Scripts should use ids: after 'session config set recipients ids', commands refuse everything but ids and 'me'.
      """,
    rows: [
      ("me", "yourself: notes to yourself"),
      (
        "05d2…3a72",
        "an account id, all 66 digits; an id that differs from a known one in one or two digits is refused"
      ),
      ("bobby", "a nickname"),
      ("03c1…9f04", "the id of a group, all 66 digits"),
      ("Bob", "the name of an accepted contact, or of a group that you have joined"),
      ("ons:bob", "a name that somebody registered in the network, which says whose it is"),
      ("bo", "the beginning of a nickname, a name or an id of an accepted contact or joined group"),
    ])

  static let service = Topic(
    name: "service",
    summary: "receive messages in the background",
    discussion: """
      session-receive@NAME is a systemd user unit that is installed with the program. It keeps the account NAME up to date;
      'session chats' and 'session show' show the messages. The journal records failures and recoveries, never message
      content.

      All commands work while the unit runs. 'session help bots' describes a service that keeps all accounts up to date.
      For an account with a passphrase, run 'systemctl --user edit session-receive@NAME' and add the line
      Environment=SESSION_PASSPHRASE_FILE=FILE under [Service].

      session-daemon.service is a unit of the system: it runs the daemon as the user session-daemon, for bots on a
      machine without logged-in users. Its accounts are made with 'sudo -u session-daemon -H session account new NAME'.
      Where no hooks run, the drop-in no-hooks.conf in share/session hardens it, or session.service, further. With
      session-daemon.socket the users in the group session reach it at /run/session/daemon.sock; sockets.d/group.toml in
      the settings of session-daemon says what they may do. The drop-in credential.conf in share/session hands it the
      passphrase of its accounts; the commands that encrypt the passphrase for this machine are in the file.
      """,
    rows: [
      ("systemctl --user enable --now session-receive@alice", "start now and at every login"),
      ("systemctl --user stop session-receive@alice", "stop"),
      ("journalctl --user -u session-receive@alice", "show its failures"),
      ("loginctl enable-linger", "keep it running while you are logged out"),
    ])

  static let backups = Topic(
    name: "backups",
    summary: "backups of an account, by hand or each night",
    discussion: """
      'session archive create' writes one archive now. 'session backup enable' sets up daily ones: they go to a folder that it
      marks, so that nothing is written where its disk is not mounted. Daily archives have no files, weekly ones have; both
      have all messages. Each is verified before older ones are removed, and only archives that open with the account's
      recovery phrase are removed. 'session doctor' warns if the last one is too old.

      To restore one, run 'session archive import FILE', with --merge for an account that is on this machine. Try it once:
      'session backup check' verifies the newest archive without importing it.

      An account with a passphrase is backed up while the login session knows its key, or with SESSION_PASSPHRASE_FILE in the
      environment of the timer's service. The settings are in accounts/NAME.backup.toml in the folder of the settings.
      """,
    rows: [
      ("session backup enable --to /media/disk/session", "set it up"),
      ("systemctl --user list-timers", "show when the next one is due"),
      ("session backup status", "show when the last one was made"),
    ])

  static let bots = Topic(
    name: "bots",
    summary: "the daemon, and programs that use it",
    discussion: """
      'session daemon' keeps the accounts of this user up to date and serves other programs at
      $XDG_RUNTIME_DIR/session/daemon.sock. All commands work while it runs: it carries out their changes, and they
      continue on their own if it ends. The systemd user unit 'session' runs it.

      Bots speak JSON-RPC 2.0 there, one JSON text on each line. The methods have the names of commands, with a dot between
      words: 'contacts list' is contacts.list. Parameters are named like arguments and options, in lower case; --timeout TIME
      is timeout_ms. A result is the object that the command writes with --json, or {"items":[...],"more":false} for a list.
      'session daemon schema' prints the description of all methods.
      People and groups are given by id, or as nick:NAME for a nickname that you gave; other names are not
      accepted, because anyone can choose any name.

      A bot subscribes under a name of its own, handles each event and acknowledges it; after a crash it continues
      behind its last acknowledgement. It sends with "key":"NAME:CURSOR", so that a repeated call sends no second message.
      With "ack":{"reader":NAME,"cursor":CURSOR} the same call acknowledges the event, also a 'send' to one recipient.

      With "max_tries":N an event that was delivered N times and never acknowledged is set aside, and the bot receives the
      notification "signal" with "kind":"dead" and continues with the next event. A signal of the kind "gap" means that events
      are no longer stored: read the conversations again.

      A subscription has the events of one account, of several with "accounts":["a","b"], or of all with "accounts":"*". The
      notification "subscription.account" gives the start position of an account that opens later. With
      "signals":["typing","transfer","network","account","jobs"] it also tells who is typing, the progress of files, whether
      the network is reached, and the states of accounts and jobs, as notifications "signal" that are not stored.
      """,
    rows: [
      (
        "events.subscribe",
        "reader, accounts, kinds, chats, incoming, from, window, ack, max_tries, signals: events come"
      ),
      ("events.ack", "reader, cursor: this event and all before it are handled"),
      ("events.nack", "reader, cursor, reason, delay_ms: deliver the first unacknowledged event again"),
      ("events.next", "reader, limit, wait_ms, ack: the next page, for programs that poll"),
      ("hello", "account: the account of all later calls; replies with accounts and limits"),
      ("message.get, chat.get", "one message by its number, one conversation"),
      ("sync", "fetch new messages now"),
      ("typing", "chat, state: tell a contact that you are typing"),
      ("draft.get", "the unsent draft of a conversation, also where there is none"),
      (
        "attachment.read",
        "message, number, at, length: part of a downloaded file; with fd, a descriptor of the whole file"
      ),
      (
        "file.begin",
        "name, size: send a file with file.chunk and file.end, for attach: [{\"file\": NAME}]"
      ),
      (
        "account.new",
        "name, display_name, network, passphrase: a new account; it is running when the call returns"
      ),
      ("account.restore", "name, phrase, network, passphrase: an account from its 13 words"),
      ("account.delete", "name, yes: delete an account from this machine"),
      (
        "account.unlock",
        "name, passphrase: open an account; a secret may be {\"fd\": N}, a descriptor passed with the call"
      ),
      ("badge", "the number of unread messages, mentions and requests"),
      ("rpc.discover", "the description of all methods in OpenRPC"),
      ("daemon.ping", "the time, to see whether the connection lives"),
    ],
    examples: [
      .init(
        line: "session rpc chats --account bot", summary: "one call from a shell"),
      .init(
        line:
          "printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"chats\"}' | nc -NU $XDG_RUNTIME_DIR/session/daemon.sock",
        summary: "the same over the socket itself"),
    ])

  static let configuration = Topic(
    name: "configuration",
    summary: "your settings for all commands",
    discussion: """
      $XDG_CONFIG_HOME/session/session.toml (~/.config/session/session.toml by default) sets defaults for all commands.
      Change it with 'session config' or with an editor. Each line is empty, a comment after #, or NAME = "VALUE". Options
      of a command override these settings.

      The file must be writable only by you. If it has an error, every command except 'config path', 'doctor', 'help',
      'manual' and 'completion' stops and prints the file, the line and the reason. 'config set' replaces an invalid value;
      fix any other line with an editor.
      """,
    rows: UserSettings.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(
        line: "session config set account alice",
        summary: "set the default account, like 'session account use alice'"),
      .init(line: "session config set colour never", summary: "turn colours off"),
    ])

  static let exitCodes = Topic(
    name: "exit-codes",
    summary: "exit codes, for scripts",
    discussion: """
      0 means success. Other codes are those of sysexits.h and give the kind of failure. Standard error says what failed
      and what to do about it.
      """,
    rows: ExitCode.allCases.map { (String($0.rawValue), $0.meaning) },
    examples: [
      .init(
        line: "session id \"$line\"; test $? -eq 65 && echo 'not an id'",
        summary: "distinguish an invalid id from other failures")
    ])

  static let json = Topic(
    name: "json",
    summary: "output for programs",
    discussion: """
      With --json a command writes one JSON object on each line, which begins with "v":1, the version of its form. All
      commands take --json except those that write a file, text for people or a server's log. A command without other
      output writes an object whose "type" is "done". Later releases may add members to an object without a new version;
      existing members keep their meaning.

      A command that fails writes nothing to standard output. The reason is the last line of standard error; with --json
      this line is an object whose "type" is "failure". 'doctor', 'db check' and 'inspect' write their findings even if
      they are bad, and end with the matching exit code. 'receive' and 'chat' write objects as events happen.
      session-json(5) describes each object; 'session manual session-json' prints it.
      """,
    examples: [
      .init(line: "session account show alice.phrase --json | jq -r .id", summary: "print only the id"),
      .init(
        line: "session send bob Hello --json 2>&1 >sent.json | tail -n 1 | jq -r .kind",
        summary: "print the kind of failure"),
    ])

  static let streams = Topic(
    name: "streams",
    summary: "input, output and secrets",
    discussion: """
      Data goes to standard output, everything else to standard error. Where the help shows FILE|-, a dash means standard
      input, which only one argument of a command can use. Options may come before, between and after the arguments, as
      --name VALUE or --name=VALUE; everything after -- is an argument.

      Recovery phrases and keys are read from files or standard input, never from the command line, which other users of
      the machine can see. Files with secrets are created readable only by their owner. A file with a phrase or a
      passphrase that others can read is refused; run: chmod 600 FILE. No command overwrites an existing file.
      """,
    examples: [
      .init(
        line: "session seal notes.txt --from alice.phrase --to ID > notes.sealed",
        summary: "read a file and a phrase, and write the sealed message"),
      .init(
        line: "pass show session | session account show -", summary: "read the phrase from another program"),
    ])
}
