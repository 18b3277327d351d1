/// Something to know that no command alone is about; `session help NAME` shows it.
struct Topic: Sendable {
  let name: String
  /// What it is about, without a full stop.
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
      'session account new NAME' makes an account; its id is what others write to. Nobody is asked for leave, and
      nobody can restore it but who has its recovery phrase.

      The examples are a conversation of two accounts of this machine, in a private network of its own, for trials.
      Without --network an account is where everybody is. The network runs until it is told to end: give it a terminal
      of its own, or wait for the list of its nodes.
      """,
    examples: [
      .init(line: "session devnet up &", summary: "a network to try things with, on this machine"),
      .init(
        line: "session account new alice --network devnet", summary: "shows the id that others write to"),
      .init(line: "BOB=$(session account new bob --network devnet)", summary: "another account, and its id"),
      .init(line: "session send $BOB --account alice \"Shall we meet?\"", summary: "asks bob to talk"),
      .init(line: "session receive --account bob --ack", summary: "what is new"),
      .init(line: "session requests accept alice --account bob", summary: "lets alice write from now on"),
      .init(line: "session send alice --account bob Yes.", summary: "an answer"),
      .init(line: "session receive --account alice --ack", summary: "from here on, alice knows who bob is"),
      .init(
        line: "session send bob --account alice \"The rules\" --attach LICENSE", summary: "a file of yours"),
      .init(
        line: "session receive --account bob --ack --json", summary: "for a script; with --follow it goes on"),
      .init(line: "session chats --account bob", summary: "the conversations"),
      .init(line: "session doctor --account alice", summary: "what is wrong, and what to do about it"),
      .init(line: "session devnet down", summary: "ends the network"),
    ])

  static let accounts = Topic(
    name: "accounts",
    summary: "accounts of this machine, their networks, and where everything is kept",
    discussion: """
      A command works on the account that --account names, or else SESSION_ACCOUNT, or else the one that 'session
      account use' chose, or else the only one there is. One program at a time works on an account; commands that
      only look may run beside it.

      An account remembers the network that it was made with: main, test, devnet for the private network that
      'session devnet up' runs on this machine, or the path of a network file.

      Where a passphrase protects an account, it is asked for at the terminal, once in a login session; a script
      names a file that has it, for its owner alone to read, in SESSION_PASSPHRASE_FILE.
      """,
    rows: [
      ("$XDG_DATA_HOME/session/accounts/NAME", "messages, attachments and the key of both"),
      ("$XDG_CONFIG_HOME/session/accounts/NAME.toml", "its settings: network = \"main\""),
      (
        "$XDG_CONFIG_HOME/session/session.toml",
        "your settings for all commands; see 'session help configuration'"
      ),
      ("$XDG_CACHE_HOME/session/accounts/NAME", "what is known of the network; it may be deleted"),
      ("$XDG_STATE_HOME/session/accounts/NAME", "who works on it now"),
    ],
    examples: [
      .init(line: "session account new alice --network devnet", summary: "an account to try things with"),
      .init(line: "SESSION_ACCOUNT=bob session chats", summary: "another account, for one command"),
    ])

  static let names = Topic(
    name: "names",
    summary: "how TO, CHAT and PERSON name somebody",
    discussion: """
      Everybody chooses their own name, so two people may have the same one, and a stranger may take the name of a contact.
      An account id names one person for ever. A nickname is yours alone: 'session contacts nickname' sets it. The name of a
      message request works in 'session requests' only.

      The command tries the kinds of names below in order and takes the first that matches; case does not matter. If several
      people match, it ends with 67 and lists their ids; also if the name that a contact chose is the beginning of another
      contact's nickname, name or id. The first message to an id that is no contact is sent as a message request, and
      'session send' says so.

      A script should use ids: 'session config set recipients ids' has commands refuse everything but ids and 'me'.
      """,
    rows: [
      ("me", "yourself: notes to yourself"),
      (
        "05d2…3a72",
        "an account id, all 66 digits; a slip in one or two digits of a known one is refused"
      ),
      ("bobby", "a nickname"),
      ("Bob", "the name of an accepted contact"),
      ("bo", "the beginning of a nickname, a name or an id of an accepted contact"),
    ])

  static let service = Topic(
    name: "service",
    summary: "an account that receives while nobody uses it",
    discussion: """
      session-receive@NAME is a unit for the systemd user manager, which is installed with the program. It keeps the
      account NAME up to date: 'session chats' and 'session show' show what it received. The journal has each failure and
      its end, and nothing of what people write.

      One program at a time works on an account: stop the unit to send or to chat, and start it afterwards. Commands
      that only read, such as 'session show', work while it runs. While another program has the account, the unit tries
      again every 15 seconds. An account that a passphrase protects
      needs the line Environment=SESSION_PASSPHRASE_FILE=FILE under [Service], which 'systemctl --user edit
      session-receive@NAME' adds.
      """,
    rows: [
      ("systemctl --user enable --now session-receive@alice", "begins now, and whenever you log in"),
      ("systemctl --user stop session-receive@alice", "lets go of the account"),
      ("journalctl --user -u session-receive@alice", "what it could not do, and why"),
      ("loginctl enable-linger", "has it run while you are not logged in"),
    ])

  static let configuration = Topic(
    name: "configuration",
    summary: "your settings for all commands",
    discussion: """
      $XDG_CONFIG_HOME/session/session.toml, which is ~/.config/session/session.toml unless that variable says otherwise,
      has what commands do where they are told nothing else. 'session config' shows and changes it; it may be edited, too.
      A line is empty, a remark after #, or a name, = and a value in quotation marks. What is not set is as it is by
      default, and options of a command come before what is set here.

      Nobody else may be able to write the file. A mistake in it ends every command with the file, the line and what is
      wrong with it, but for 'config path', which tells where the file is, 'doctor', 'help', 'manual' and 'completion'.
      'config set' mends a setting whose value is none; any other line is for an editor.
      """,
    rows: UserSettings.keys.map { ($0.name, $0.summary) },
    examples: [
      .init(line: "session config set account alice", summary: "the same as 'session account use alice'"),
      .init(line: "session config set colour never", summary: "writes the line colour = \"never\""),
    ])

  static let exitCodes = Topic(
    name: "exit-codes",
    summary: "how the program ends, for scripts",
    discussion: """
      A command that did what it was asked ends with 0. Any other number says what kind of thing went wrong;
      they are those of sysexits.h. What exactly went wrong, and what to do about it, is on standard error.
      """,
    rows: ExitCode.allCases.map { (String($0.rawValue), $0.meaning) },
    examples: [
      .init(
        line: "session id \"$line\" || test $? -eq 65 && echo 'not an id'",
        summary: "tells what is no id from what could not be looked at")
    ])

  static let json = Topic(
    name: "json",
    summary: "output for programs",
    discussion: """
      With --json a command writes lines, each an object that begins with "v":1, the version of its form. Each command
      takes it but those that write a file, a text for people, or the log of a server. One that has nothing else to
      say writes an object whose "type" is "done".
      Members may be added to a form without a new version; what is there does not change its meaning. A
      command that fails writes nothing to standard output, with or without --json; why it failed is the last line
      of standard error, with --json an object whose "type" is "failure". 'doctor', 'db check' and 'inspect' write what
      they found also when it is bad, and end with the number that fits it. 'receive' and 'chat' write as
      things happen. session-json(5) describes each form; 'session manual session-json' writes it.
      """,
    examples: [
      .init(line: "session account show alice.phrase --json | jq -r .id", summary: "the id alone"),
      .init(
        line: "session send bob Hello --json 2>&1 >sent.json | tail -n 1 | jq -r .kind",
        summary: "what kind of thing went wrong"),
    ])

  static let streams = Topic(
    name: "streams",
    summary: "where commands read and write, and what becomes of secrets",
    discussion: """
      Data goes to standard output, everything else to standard error. Where the help shows FILE|-, a dash
      stands for standard input; one command reads it once. Options may stand before, between and behind
      the arguments, as --name VALUE or --name=VALUE; after -- everything is an argument.

      Recovery phrases and keys are read from files or standard input, never from the command line, which
      other users of a machine can see. Files that hold them are made for their owner alone, and a file with a phrase or
      a passphrase that others may read is refused until 'chmod 600 FILE'. No command writes over a file that is there.
      """,
    examples: [
      .init(
        line: "session seal notes.txt --from alice.phrase --to ID > notes.sealed",
        summary: "reads one file and a phrase, writes the sealed bytes"),
      .init(
        line: "pass show session | session account show -", summary: "takes the phrase from another program"),
    ])
}
