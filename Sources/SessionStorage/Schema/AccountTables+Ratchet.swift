// Secrets among these stay on the device: archives and salvaged copies lack them.
extension AccountTables {
  /// The tables with the device's identity and its sessions.
  static let ratchetTables: Set<String> = [
    "srSelf", "srPrekey", "srOneTimeKey", "srSeenStart", "srAccount", "srDevice", "srSession", "srSkippedKey",
    "srOpened", "srSent", "srBroken",
  ]

  // Sessions with one device are ordered by when they were started, and then by their start key.
  static let ratchet: SQL = """
    CREATE TABLE srSelf (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      deviceSeed BLOB NOT NULL,
      createdAt INTEGER NOT NULL,
      slot INTEGER,
      sequence INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      host BLOB NOT NULL,
      mark BLOB NOT NULL,
      isClosed INTEGER NOT NULL DEFAULT 0,
      publishedAt INTEGER,
      bundleDigest BLOB
    );
    CREATE TABLE srPrekey (
      generation INTEGER PRIMARY KEY,
      secret BLOB NOT NULL,
      kemSeed BLOB NOT NULL,
      createdAt INTEGER NOT NULL,
      replacedAt INTEGER
    );
    CREATE TABLE srOneTimeKey (
      generation INTEGER NOT NULL REFERENCES srPrekey ON DELETE CASCADE,
      number INTEGER NOT NULL,
      secret BLOB NOT NULL,
      firstUsedAt INTEGER,
      PRIMARY KEY (generation, number)
    ) WITHOUT ROWID;
    CREATE TABLE srSeenStart (
      ek BLOB NOT NULL PRIMARY KEY,
      generation INTEGER NOT NULL REFERENCES srPrekey ON DELETE CASCADE
    ) WITHOUT ROWID;
    CREATE INDEX srSeenStartGeneration ON srSeenStart (generation);
    CREATE TABLE srAccount (
      id TEXT NOT NULL PRIMARY KEY,
      fetchedAt INTEGER,
      absentAt INTEGER,
      isSticky INTEGER NOT NULL DEFAULT 0,
      lastSeenAt INTEGER,
      foreignAt INTEGER,
      contradictedAt INTEGER,
      policy INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE srDevice (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      device BLOB NOT NULL UNIQUE,
      account TEXT NOT NULL,
      status INTEGER NOT NULL,
      firstSeenAt INTEGER NOT NULL,
      settledAt INTEGER,
      removedAt INTEGER,
      sequence INTEGER NOT NULL,
      signedAt INTEGER NOT NULL,
      capabilities INTEGER NOT NULL,
      slot INTEGER,
      roster BLOB NOT NULL,
      bundle BLOB,
      fetchedAt INTEGER,
      resetAt INTEGER,
      resetCount INTEGER NOT NULL DEFAULT 0,
      answeredAt INTEGER
    );
    CREATE INDEX srDeviceAccount ON srDevice (account);
    CREATE TABLE srSession (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      deviceID INTEGER NOT NULL REFERENCES srDevice ON DELETE CASCADE,
      startedAt INTEGER NOT NULL,
      ek BLOB NOT NULL,
      state BLOB NOT NULL,
      tagKeys BLOB NOT NULL,
      confirmedAt INTEGER,
      isClosed INTEGER NOT NULL DEFAULT 0,
      bundleFetchedAt INTEGER,
      usedAt INTEGER NOT NULL,
      heardAt INTEGER,
      sentAt INTEGER,
      unansweredAt INTEGER,
      contentAt INTEGER,
      receivedSinceSend INTEGER NOT NULL DEFAULT 0,
      UNIQUE (deviceID, startedAt, ek)
    );
    CREATE INDEX srSessionEK ON srSession (ek);
    CREATE TABLE srSkippedKey (
      sessionID INTEGER NOT NULL REFERENCES srSession ON DELETE CASCADE,
      headerKey BLOB NOT NULL,
      number INTEGER NOT NULL,
      messageKey BLOB NOT NULL,
      createdAt INTEGER NOT NULL,
      PRIMARY KEY (sessionID, headerKey, number)
    ) WITHOUT ROWID;
    CREATE INDEX srSkippedKeyAge ON srSkippedKey (createdAt);
    CREATE TABLE srOpened (
      mark BLOB NOT NULL PRIMARY KEY,
      openedAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX srOpenedAge ON srOpened (openedAt);
    CREATE TABLE srSent (
      hash TEXT NOT NULL PRIMARY KEY,
      account TEXT NOT NULL,
      interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
      sentAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX srSentAccount ON srSent (account, sentAt);
    CREATE INDEX srSentInteraction ON srSent (interactionID);
    CREATE INDEX srSentAge ON srSent (sentAt);
    CREATE TABLE srBroken (
      hash TEXT NOT NULL PRIMARY KEY,
      deviceID INTEGER NOT NULL REFERENCES srDevice ON DELETE CASCADE,
      seenAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX srBrokenDevice ON srBroken (deviceID, seenAt);
    CREATE TABLE verification (
      id TEXT NOT NULL PRIMARY KEY,
      state INTEGER NOT NULL,
      fingerprint BLOB,
      devices BLOB,
      verifiedAt INTEGER,
      verifiedBy BLOB,
      method INTEGER,
      changedAt INTEGER,
      cause INTEGER,
      seenAt INTEGER
    ) WITHOUT ROWID;
    ALTER TABLE interaction ADD COLUMN level INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE interaction ADD COLUMN isFromHeldDevice INTEGER NOT NULL DEFAULT 0;
    """

  // What was verified on this device before it told others.
  static let told: SQL = """
    ALTER TABLE srDevice ADD COLUMN overruled BLOB NOT NULL DEFAULT x'';
    CREATE TABLE toldVerification (
      id TEXT NOT NULL PRIMARY KEY,
      fingerprint BLOB NOT NULL,
      isVerified INTEGER NOT NULL,
      at INTEGER NOT NULL,
      device BLOB,
      isTold INTEGER NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO toldVerification (id, fingerprint, isVerified, at, isTold)
      SELECT id, fingerprint, 1, verifiedAt, 1 FROM verification WHERE verifiedAt AND fingerprint IS NOT NULL;
    """
}
