// What the user arranges on this device: messages to send later, and tags of conversations. Both refer to conversations by
// their address, because they outlive the row.
extension AccountTables {
  static let own: SQL = """
    CREATE TABLE tag (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      searchName TEXT NOT NULL UNIQUE,
      emoji TEXT,
      position INTEGER NOT NULL
    );
    CREATE TABLE threadTag (
      address TEXT NOT NULL,
      tagID INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE,
      lostAt INTEGER,
      PRIMARY KEY (address, tagID)
    ) WITHOUT ROWID;
    CREATE INDEX threadTagUse ON threadTag (tagID);
    CREATE TABLE scheduled (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address TEXT NOT NULL,
      body TEXT NOT NULL,
      quoteAuthor TEXT,
      quoteSentAt INTEGER,
      at INTEGER NOT NULL,
      zone TEXT NOT NULL,
      late INTEGER NOT NULL,
      state INTEGER NOT NULL,
      failure TEXT,
      level INTEGER,
      whisper TEXT,
      identityShownAt INTEGER,
      jobID INTEGER,
      interactionID INTEGER,
      createdAt INTEGER NOT NULL
    );
    CREATE INDEX scheduledState ON scheduled (state, at);
    CREATE TABLE scheduledAttachment (
      scheduledID INTEGER NOT NULL REFERENCES scheduled ON DELETE CASCADE,
      position INTEGER NOT NULL,
      attachmentID INTEGER NOT NULL REFERENCES attachment,
      PRIMARY KEY (scheduledID, position)
    ) WITHOUT ROWID;
    CREATE INDEX scheduledAttachmentUse ON scheduledAttachment (attachmentID);
    \(countAttachments(of: "scheduledAttachment"))
    ALTER TABLE sendKey ADD COLUMN scheduledID INTEGER;
    CREATE INDEX sendKeyScheduled ON sendKey (scheduledID) WHERE scheduledID IS NOT NULL;
    """
}
