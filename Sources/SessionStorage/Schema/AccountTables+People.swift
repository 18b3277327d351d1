extension AccountTables {
  static let people: SQL = """
    CREATE TABLE profile (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      nickname TEXT,
      searchName TEXT NOT NULL,
      pictureURL TEXT,
      pictureKey BLOB,
      pictureFileID INTEGER REFERENCES file,
      updatedAt INTEGER NOT NULL,
      blocksRequests INTEGER NOT NULL DEFAULT 0,
      proFeatures INTEGER NOT NULL DEFAULT 0,
      proExpiresAt INTEGER,
      proTag BLOB
    ) WITHOUT ROWID;
    CREATE INDEX profilePicture ON profile (pictureFileID) WHERE pictureFileID IS NOT NULL;
    \(countFiles(of: "profile", in: "pictureFileID"))
    CREATE TABLE contact (
      id TEXT NOT NULL PRIMARY KEY,
      isTrusted INTEGER NOT NULL DEFAULT 0,
      isApproved INTEGER NOT NULL DEFAULT 0,
      isBlocked INTEGER NOT NULL DEFAULT 0,
      didApproveMe INTEGER NOT NULL DEFAULT 0,
      hasBeenBlocked INTEGER NOT NULL DEFAULT 0,
      createdAt INTEGER NOT NULL,
      lastKnownVersion INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE blindedID (
      blindedID TEXT NOT NULL PRIMARY KEY,
      sessionID TEXT,
      server TEXT NOT NULL,
      serverKey BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX blindedIDPerson ON blindedID (sessionID) WHERE sessionID IS NOT NULL;
    """

  static let groups: SQL = """
    CREATE TABLE closedGroup (
      threadID INTEGER PRIMARY KEY REFERENCES thread ON DELETE CASCADE,
      name TEXT NOT NULL,
      searchName TEXT NOT NULL,
      description TEXT,
      formedAt INTEGER NOT NULL,
      pictureURL TEXT,
      pictureKey BLOB,
      pictureFileID INTEGER REFERENCES file,
      isPolled INTEGER NOT NULL,
      adminKey BLOB,
      authData BLOB,
      isInvited INTEGER NOT NULL DEFAULT 0,
      isKicked INTEGER NOT NULL DEFAULT 0,
      isDestroyed INTEGER NOT NULL DEFAULT 0,
      isExpired INTEGER NOT NULL DEFAULT 0,
      emptyPolls INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX closedGroupPicture ON closedGroup (pictureFileID) WHERE pictureFileID IS NOT NULL;
    \(countFiles(of: "closedGroup", in: "pictureFileID"))
    CREATE TABLE groupMember (
      groupID INTEGER NOT NULL REFERENCES closedGroup ON DELETE CASCADE,
      member TEXT NOT NULL,
      role INTEGER NOT NULL,
      status INTEGER NOT NULL,
      isHidden INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (groupID, member, role)
    ) WITHOUT ROWID;
    CREATE INDEX groupMemberUnsettled ON groupMember (status) WHERE status <> 0;
    """

  static let communities: SQL = """
    CREATE TABLE communityServer (
      url TEXT NOT NULL PRIMARY KEY,
      publicKey BLOB NOT NULL,
      inboxLatest INTEGER NOT NULL DEFAULT 0,
      outboxLatest INTEGER NOT NULL DEFAULT 0,
      pollFailures INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE community (
      threadID INTEGER PRIMARY KEY REFERENCES thread ON DELETE CASCADE,
      server TEXT NOT NULL REFERENCES communityServer,
      room TEXT NOT NULL,
      name TEXT NOT NULL,
      searchName TEXT NOT NULL,
      description TEXT,
      imageID TEXT,
      imageFileID INTEGER REFERENCES file,
      userCount INTEGER NOT NULL DEFAULT 0,
      infoUpdates INTEGER NOT NULL DEFAULT 0,
      sequenceNumber INTEGER NOT NULL DEFAULT 0,
      permissions INTEGER NOT NULL DEFAULT 0,
      isPolled INTEGER NOT NULL DEFAULT 1,
      UNIQUE (server, room)
    );
    CREATE INDEX communityImage ON community (imageFileID) WHERE imageFileID IS NOT NULL;
    \(countFiles(of: "community", in: "imageFileID"))
    CREATE TABLE capability (
      server TEXT NOT NULL REFERENCES communityServer ON DELETE CASCADE,
      name TEXT NOT NULL,
      isMissing INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (server, name)
    ) WITHOUT ROWID;
    """
}
