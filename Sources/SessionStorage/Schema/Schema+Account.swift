extension Schema {
  /// The database of an account. `docs/schema.md` explains it.
  public static let account = Schema(
    applicationID: 0x5345_5353,
    migrations: [
      Migration(1, "first") { transaction in
        for part in AccountTables.first { try transaction.statements.connection.run(part.text) }
      },
      Migration(2, "captions", sql: "ALTER TABLE attachment ADD COLUMN caption TEXT"),
      Migration(
        3, "order of deliveries, keys of messages, long texts",
        sql: """
          CREATE INDEX jobPartition ON job (partition, id) WHERE partition IS NOT NULL AND state IN (0, 1);
          CREATE TABLE sendKey (
            key TEXT NOT NULL PRIMARY KEY,
            digest BLOB NOT NULL,
            interactionID INTEGER NOT NULL,
            at INTEGER NOT NULL
          ) WITHOUT ROWID;
          CREATE INDEX sendKeyAge ON sendKey (at);
          ALTER TABLE interaction ADD COLUMN proStatus INTEGER NOT NULL DEFAULT 0;
          """),
      Migration(
        4, "parts beside dumps",
        sql: """
          CREATE TABLE configPart (
            id INTEGER PRIMARY KEY,
            owner TEXT NOT NULL,
            kind TEXT NOT NULL,
            whole BLOB NOT NULL,
            count INTEGER NOT NULL,
            place INTEGER NOT NULL,
            hash TEXT NOT NULL,
            expiresAt INTEGER NOT NULL,
            content BLOB NOT NULL
          );
          CREATE INDEX configPartOwner ON configPart (owner, kind);
          """),
      Migration(
        5, "network state is kept in files",
        sql: """
          DROP TABLE networkNode;
          DROP TABLE nodeStrike;
          DROP TABLE edgeNode;
          DROP TABLE pathNode;
          """),
      Migration(
        6, "notes have the numbers of the reference client",
        sql: """
          UPDATE interaction SET kind = CASE kind WHEN 1000 THEN 4000 WHEN 1001 THEN 2000 WHEN 1002 THEN 3001 ELSE 5000 END
          WHERE kind BETWEEN 1000 AND 1003;
          """),
      Migration(
        7, "tombstones of conversations, requests that go before configs",
        sql: """
          CREATE TABLE tombstone (
            address TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL
          ) WITHOUT ROWID;
          CREATE TABLE swarmStep (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            batch INTEGER NOT NULL,
            kind TEXT NOT NULL,
            namespace INTEGER,
            lifetime INTEGER,
            payload BLOB NOT NULL,
            createdAt INTEGER NOT NULL
          );
          CREATE INDEX swarmStepOwner ON swarmStep (owner, id);
          """),
      Migration(
        8, "groups",
        sql: """
          ALTER TABLE closedGroup ADD COLUMN localState INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE closedGroup ADD COLUMN joinedAt INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE closedGroup ADD COLUMN inviter TEXT;
          ALTER TABLE closedGroup ADD COLUMN invitedAt INTEGER;
          ALTER TABLE closedGroup ADD COLUMN inviteHash TEXT;
          ALTER TABLE closedGroup ADD COLUMN hasUnopened INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE closedGroup ADD COLUMN accessLostAt INTEGER;
          ALTER TABLE closedGroup ADD COLUMN deletesBefore INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE closedGroup ADD COLUMN deletesFilesBefore INTEGER NOT NULL DEFAULT 0;
          UPDATE closedGroup SET isPolled = 0, adminKey = NULL, authData = NULL;
          DROP TABLE groupMember;
          CREATE TABLE groupMember (
            groupID INTEGER NOT NULL REFERENCES closedGroup ON DELETE CASCADE,
            member TEXT NOT NULL,
            isAdmin INTEGER NOT NULL,
            status INTEGER NOT NULL,
            isGivenHistory INTEGER NOT NULL DEFAULT 0,
            addedAt INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (groupID, member)
          ) WITHOUT ROWID;
          """),
      Migration(
        9, "when a swarm stored messages, and members were read from the beginning",
        sql: """
          ALTER TABLE receivedHash ADD COLUMN storedAt INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE receivedHash ADD COLUMN receivedAt INTEGER NOT NULL DEFAULT 0;
          UPDATE receivedHash SET storedAt = strftime('%s', 'now') * 1000, receivedAt = strftime('%s', 'now') * 1000;
          CREATE TABLE fullReading (
            swarm TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL
          ) WITHOUT ROWID;
          """),
      Migration(
        10, "keys of groups that former members may have, and groups that were read as an admin",
        sql: """
          ALTER TABLE closedGroup ADD COLUMN exposedGeneration INTEGER NOT NULL DEFAULT -1;
          ALTER TABLE closedGroup ADD COLUMN wasReadAsAdmin INTEGER NOT NULL DEFAULT 0;
          """),
      Migration(
        11, "all hashes of messages to groups",
        sql: """
          CREATE TABLE messageHash (
            interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
            hash TEXT NOT NULL,
            PRIMARY KEY (interactionID, hash)
          ) WITHOUT ROWID;
          CREATE INDEX messageHashHash ON messageHash (hash);
          """),
      Migration(
        12, "times up to which groups were cleared, as their configs have them",
        sql: """
          ALTER TABLE closedGroup ADD COLUMN statedDeletesBefore INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE closedGroup ADD COLUMN statedDeletesFilesBefore INTEGER NOT NULL DEFAULT 0;
          """),
      Migration(
        13, "deliveries of events, and events that no delivery could settle",
        sql: """
          ALTER TABLE eventReader ADD COLUMN head INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE eventReader ADD COLUMN headTries INTEGER NOT NULL DEFAULT 0;
          CREATE TABLE eventDead (
            reader TEXT NOT NULL,
            event INTEGER NOT NULL,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            threadID INTEGER,
            interactionID INTEGER,
            content BLOB,
            tries INTEGER NOT NULL,
            reason TEXT,
            diedAt INTEGER NOT NULL,
            isRetried INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (reader, event)
          ) WITHOUT ROWID;
          """),
      Migration(
        14, "communities",
        sql: """
          ALTER TABLE communityServer ADD COLUMN blinding INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE community ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE interaction ADD COLUMN serverSeqno INTEGER;
          ALTER TABLE interaction ADD COLUMN editedAt INTEGER;
          """),
      Migration(
        15, "moderators, pins, reactions under way and older messages of rooms",
        sql: """
          ALTER TABLE community ADD COLUMN createdAt INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE community ADD COLUMN lastSuccessAt INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE community ADD COLUMN isComplete INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE interaction ADD COLUMN isFiltered INTEGER NOT NULL DEFAULT 0;
          CREATE TABLE communityModerator (
            threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
            person TEXT NOT NULL,
            isAdmin INTEGER NOT NULL,
            isHidden INTEGER NOT NULL,
            PRIMARY KEY (threadID, person)
          ) WITHOUT ROWID;
          CREATE TABLE communityPin (
            threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
            serverID INTEGER NOT NULL,
            pinnedAt INTEGER NOT NULL,
            pinnedBy TEXT,
            PRIMARY KEY (threadID, serverID)
          ) WITHOUT ROWID;
          CREATE TABLE communityPending (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
            serverID INTEGER NOT NULL,
            emoji TEXT NOT NULL,
            isRemoval INTEGER NOT NULL,
            seqno INTEGER
          );
          CREATE INDEX communityPendingMessage ON communityPending (threadID, serverID);
          CREATE TABLE communityGap (
            threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
            below INTEGER NOT NULL,
            above INTEGER NOT NULL,
            PRIMARY KEY (threadID, below)
          ) WITHOUT ROWID;
          """),
      Migration(
        16, "items of servers that could not be read",
        sql: """
          CREATE TABLE communityBadItem (
            server TEXT NOT NULL REFERENCES communityServer ON DELETE CASCADE,
            place TEXT NOT NULL,
            itemID INTEGER NOT NULL,
            seqno INTEGER,
            reason TEXT NOT NULL,
            bytes BLOB,
            programVersion TEXT NOT NULL,
            PRIMARY KEY (server, place, itemID)
          ) WITHOUT ROWID;
          """),
      Migration(
        17, "copies of pinned messages",
        sql: """
          ALTER TABLE communityPin ADD COLUMN author TEXT;
          ALTER TABLE communityPin ADD COLUMN postedAt INTEGER;
          ALTER TABLE communityPin ADD COLUMN body TEXT;
          """),
      Migration(18, "sessions with devices, and verified contacts", sql: AccountTables.ratchet),
      Migration(19, "messages to send later, and tags of conversations", sql: AccountTables.own),
      Migration(
        20, "when messages to send later were settled",
        sql: "ALTER TABLE scheduled ADD COLUMN settledAt INTEGER"),
      Migration(21, "what devices tell each other, and the user decided about them", sql: AccountTables.told),
    ], upkeep: .account)
}

/// The tables of the first schema of an account, in the order of creation. Times are milliseconds since 1970;
/// columns that begin with `is`, `was` or `has` are 0 or 1.
enum AccountTables {
  static let first: [SQL] = [
    files, attachments, threads, interactions, partsOfInteractions, people, groups, communities, configs,
    received,
    events, jobs, drafts, search, notifications, network, pro, settings,
  ]

  static let settings: SQL = """
    CREATE TABLE setting (
      name TEXT NOT NULL PRIMARY KEY,
      value BLOB NOT NULL
    ) WITHOUT ROWID;
    """

  static let configs: SQL = """
    CREATE TABLE configDump (
      owner TEXT NOT NULL,
      kind TEXT NOT NULL,
      content BLOB NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (owner, kind)
    );
    CREATE TABLE obsoleteHash (
      owner TEXT NOT NULL,
      hash TEXT NOT NULL,
      PRIMARY KEY (owner, hash)
    ) WITHOUT ROWID;
    """

  static let events: SQL = """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      threadID INTEGER,
      interactionID INTEGER,
      content BLOB
    );
    CREATE TABLE eventReader (
      name TEXT NOT NULL PRIMARY KEY,
      acknowledged INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  static let notifications: SQL = """
    CREATE TABLE notification (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind INTEGER NOT NULL,
      threadID INTEGER REFERENCES thread ON DELETE CASCADE,
      interactionID INTEGER REFERENCES interaction ON DELETE CASCADE,
      createdAt INTEGER NOT NULL,
      shownAt INTEGER
    );
    CREATE INDEX notificationThread ON notification (threadID, createdAt);
    CREATE INDEX notificationInteraction ON notification (interactionID) WHERE interactionID IS NOT NULL;
    CREATE INDEX notificationWaiting ON notification (id) WHERE shownAt IS NULL;
    """

  static let network: SQL = """
    CREATE TABLE networkNode (
      key BLOB NOT NULL PRIMARY KEY,
      curveKey BLOB NOT NULL,
      host TEXT NOT NULL,
      httpsPort INTEGER NOT NULL,
      quicPort INTEGER NOT NULL,
      swarm INTEGER NOT NULL,
      version TEXT
    ) WITHOUT ROWID;
    CREATE TABLE nodeStrike (
      key BLOB NOT NULL PRIMARY KEY,
      count INTEGER NOT NULL,
      at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE edgeNode (
      key BLOB NOT NULL PRIMARY KEY,
      firstUsedAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE pathNode (
      path INTEGER NOT NULL,
      position INTEGER NOT NULL,
      key BLOB NOT NULL,
      category TEXT NOT NULL,
      PRIMARY KEY (path, position)
    ) WITHOUT ROWID;
    """

  static let pro: SQL = """
    CREATE TABLE proState (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      ticket INTEGER NOT NULL,
      nextCheckAt INTEGER NOT NULL,
      status TEXT,
      expiresAt INTEGER
    );
    CREATE TABLE proRevocation (
      tag BLOB NOT NULL PRIMARY KEY,
      effectiveAt INTEGER NOT NULL,
      keptUntil INTEGER NOT NULL
    ) WITHOUT ROWID;
    """
}
