/// The commands of `session`, and the topics of its help.
struct CommandTable: Sendable {
  /// Commands that belong together, under one heading of the help.
  struct Group: Sendable {
    let name: String
    let commands: [Command]
  }

  let groups: [Group]
  var topics: [Topic] = []

  var commands: [Command] { groups.flatMap(\.commands) }

  static let session: CommandTable = CommandTable(
    groups: [
      talk, people, security, groupCommands, communities, conversations, account, programs, servers, tools,
    ].map {
      group in
      Group(name: group.name, commands: group.commands.map(\.tellingPrograms))
    },
    topics: [
      .start, .accounts, .names, .configuration, .service, .backups, .bots, .hooks, .daemonConfig,
      .daemonHTTP,
      .streams,
      .json, .nodeConfig,
      .registryConfig,
      .fileServerConfig, .communityServerConfig,
      .exitCodes,
    ])

  private static let talk = Group(
    name: "talk",
    commands: [
      .send, .scheduledList, .scheduledShow, .scheduledCancel, .scheduledNow, .scheduledMove, .draftSet,
      .draftShow,
      .draftList, .draftClear, .share, .receive, .chat, .ui, .openLink, .chats, .show, .search, .react, .edit,
      .read, .resend,
      .delete,
      .attachmentList, .attachmentSave, .play, .filesList, .filesSave,
      .filesDelete, .messageInfo, .badge, .export,
    ])

  private static let people = Group(
    name: "people",
    commands: [
      .contactsList, .contactsNickname, .contactsBlock, .contactsUnblock, .contactsDownloads, .contactsDelete,
      .requestsList, .requestsAccept, .requestsDecline, .requestsBlock, .profileShow, .profileSet,
      .profilePictureSet,
      .profilePictureClear, .profilePictureSave,
    ])

  private static let security = Group(
    name: "security",
    commands: [
      .securityShow, .securityEnable, .securityDisable, .securitySet, .securityReset, .verifyShow,
      .verifyConfirm,
      .verifyAccept,
      .verifyClear, .verifyList, .deviceList, .deviceLink, .deviceRemove, .deviceRenew,
    ])

  private static let groupCommands = Group(
    name: "groups",
    commands: [
      .groupCreate, .groupList, .groupShow, .groupMembers, .groupInvite, .groupAccept, .groupDecline,
      .groupPromote, .groupRemove, .groupRename, .groupDescribe, .groupPicture, .groupClear, .groupLeave,
      .groupDelete,
    ])

  private static let communities = Group(
    name: "communities",
    commands: [
      .communityJoin, .communityList, .communityInfo, .communityRooms, .shareLink, .communityFetch,
      .communityLeave, .communityPin, .communityUnpin, .communityClearReactions, .communityDescribe,
      .communityImage, .communityBan,
      .communityUnban,
      .communityMute, .communityUnmute,
      .communityDeleteAll, .communityModerators, .communityModerator,
    ])

  private static let conversations = Group(
    name: "conversations",
    commands: [
      .timer, .pin, .unpin, .mute, .unmute, .notify, .dnd, .unread, .hide, .unhide, .tagAdd, .tagRemove,
      .tagList,
      .tagRename, .tagDelete,
    ])

  private static let account = Group(
    name: "account",
    commands: [
      .accountNew, .accountRestore, .accountList, .accountShow, .accountUse, .accountExportPhrase,
      .accountLock, .accountUnlock, .accountSuspend, .accountResume,
      .accountDelete, .settingsList, .settingsGet, .settingsSet, .jobsList, .jobsRetry, .jobsCancel,
      .keyList, .keyAdd, .keyMove, .keyRemove, .keyTest, .keyForget,
      .databaseCheck, .databaseCompact, .databasePassphrase, .databaseSalvage, .archiveCreate, .archiveVerify,
      .archiveShow, .archiveImport, .archiveDiscard, .archiveKey, .backupEnable, .backupRun, .backupList,
      .backupStatus,
      .backupCheck, .backupDisable,
    ])

  private static let programs = Group(
    name: "programs",
    commands: [
      .daemon, .daemonStatus, .daemonStop, .daemonRestart, .daemonReload, .daemonSchema, .daemonTokenNew,
      .daemonTokenList,
      .daemonTokenRevoke, .readersList, .readersForget, .readersDead, .readersRetry, .hooksList, .hooksTest,
      .notificationsRun, .rpc,
    ])

  private static let servers = Group(
    name: "servers",
    commands: [
      .devnetUp, .devnetStatus, .devnetKillNode, .devnetStartNode, .devnetDelay, .devnetLoss, .devnetDown,
      .nodeInit, .nodeRun, .nodeStatus, .nodeKey, .nodeLeave, .registryInit, .registryRun, .registryStatus,
      .registryAllow, .registryForbid, .registryConfirm, .registryList, .fileServerInit, .fileServerRun,
      .fileServerStatus, .fileServerKey, .communityServerInit, .communityServerRun, .communityServerStatus,
      .communityServerKey, .serverDatabaseCheck, .serverDatabaseExport, .serverDatabaseMove, .serverLink,
      .serverRoomAdd, .serverRoomList, .serverRoomShow,
      .serverRoomSet, .serverRoomImage,
      .serverRoomDelete, .serverModeratorAdd, .serverModeratorRemove, .serverModeratorList, .serverBan,
      .serverUnban, .serverBans, .serverPermission, .serverMembers, .serverMessagesDelete, .serverHistory,
      .serverLog, .serverBackup, .serverRestore, .serverImport,
    ])

  private static let tools = Group(
    name: "tools",
    commands: [
      .doctor, .logShow, .logExport, .netStatus, .netPath, .netGuardsList, .netGuardsForget, .netReset,
      .netVersions, .netName, .endpoints,
      .configPath, .configList,
      .configGet, .configSet, .seal, .open, .messageWrite, .attachmentSeal, .attachmentOpen, .id,
      .inspectMessage, .inspectConfig, .inspectBt,
      .inspectID, .inspectQuic, .completion, .manual, .verifyRelease, .help, .version,
    ])

  /// The command that the first words call, and how many words that are.
  func command(calledBy words: some Collection<String>) -> Command? {
    commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  /// The commands whose first words are these.
  func commands(under words: some Collection<String>) -> [Command] {
    commands.filter { $0.words.starts(with: words) }
  }
}
