/// The commands of `session`, and what else its help explains.
struct CommandTable: Sendable {
  let commands: [Command]
  var topics: [Topic] = []

  static let session: CommandTable = CommandTable(
    commands: all.map(\.tellingPrograms),
    topics: [
      .start, .accounts, .names, .configuration, .service, .streams, .json, .nodeConfig, .registryConfig,
      .fileServerConfig,
      .exitCodes,
    ])

  private static let all: [Command] = [
    .accountNew, .accountRestore, .accountList, .accountShow, .accountUse, .accountExportPhrase,
    .accountLock, .accountDelete,
    .chat,
    .send, .receive, .chats, .show, .search, .read, .react, .delete, .resend, .timer, .contactsList,
    .contactsNickname, .contactsBlock, .contactsUnblock, .contactsDelete, .requestsList, .requestsAccept,
    .requestsDecline, .requestsBlock, .profileShow, .profileSet,
    .attachmentList, .attachmentSave,
    .pin, .unpin, .mute, .unmute, .unread, .hide, .unhide, .contactsDownloads,
    .settingsList, .settingsGet, .settingsSet,
    .jobsList, .jobsRetry, .jobsCancel, .databaseCheck, .databaseCompact, .databasePassphrase,
    .databaseSalvage,
    .doctor, .netReset, .configPath, .configList, .configGet, .configSet,
    .netStatus, .netPath, .seal, .open,
    .messageWrite, .attachmentSeal, .attachmentOpen, .id,
    .inspectMessage, .inspectConfig, .inspectBt, .inspectID, .inspectQuic, .devnetUp,
    .devnetStatus, .devnetKillNode, .devnetStartNode, .devnetDelay, .devnetLoss, .devnetDown, .nodeInit,
    .nodeRun, .nodeStatus, .nodeKey, .nodeLeave, .registryInit, .registryRun, .registryStatus,
    .registryAllow, .registryForbid, .registryConfirm, .registryList, .fileServerInit, .fileServerRun,
    .fileServerStatus, .fileServerKey, .completion, .manual, .help, .version,
  ]

  /// The command that the first words call, and how many words that are.
  func command(calledBy words: some Collection<String>) -> Command? {
    commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  /// The commands whose first words are these.
  func commands(under words: some Collection<String>) -> [Command] {
    commands.filter { $0.words.starts(with: words) }
  }
}
