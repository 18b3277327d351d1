extension AccountTables {
  static let threads: SQL = """
    CREATE TABLE thread (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      address TEXT NOT NULL UNIQUE,
      kind INTEGER NOT NULL,
      createdAt INTEGER NOT NULL,
      isVisible INTEGER NOT NULL,
      priority INTEGER NOT NULL DEFAULT 0,
      mutedUntil INTEGER,
      notifies INTEGER NOT NULL DEFAULT 0,
      sound TEXT,
      isMarkedUnread INTEGER NOT NULL DEFAULT 0,
      lastReadAt INTEGER NOT NULL DEFAULT 0,
      expiryMode INTEGER NOT NULL DEFAULT 0,
      expirySeconds INTEGER NOT NULL DEFAULT 0
    );
    """

  // Kinds from 1000 on are notes of the program, of which several may be made at one time.
  static let interactions: SQL = """
    CREATE TABLE linkPreview (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      url TEXT NOT NULL,
      window INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      title TEXT,
      attachmentID INTEGER REFERENCES attachment ON DELETE SET NULL,
      UNIQUE (url, window)
    );
    CREATE INDEX linkPreviewAttachment ON linkPreview (attachmentID) WHERE attachmentID IS NOT NULL;
    \(countAttachments(of: "linkPreview"))
    CREATE TABLE interaction (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      threadID INTEGER NOT NULL REFERENCES thread ON DELETE CASCADE,
      author TEXT NOT NULL,
      kind INTEGER NOT NULL,
      body TEXT,
      info BLOB,
      sentAt INTEGER NOT NULL,
      receivedAt INTEGER NOT NULL,
      serverHash TEXT,
      uuid TEXT,
      serverID INTEGER,
      wasRead INTEGER NOT NULL DEFAULT 0,
      hasMention INTEGER NOT NULL DEFAULT 0,
      state INTEGER NOT NULL,
      failure TEXT,
      readByRecipientAt INTEGER,
      expiryMode INTEGER NOT NULL DEFAULT 0,
      expirySeconds INTEGER NOT NULL DEFAULT 0,
      expiryStartedAt INTEGER,
      linkPreviewID INTEGER REFERENCES linkPreview ON DELETE SET NULL,
      isWhisper INTEGER NOT NULL DEFAULT 0,
      whisperTo TEXT,
      proMessageFeatures INTEGER NOT NULL DEFAULT 0,
      proProfileFeatures INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX interactionPage ON interaction (threadID, sentAt, id);
    CREATE UNIQUE INDEX interactionAuthor ON interaction (threadID, author, sentAt) WHERE kind < 1000;
    CREATE UNIQUE INDEX interactionHash ON interaction (threadID, serverHash) WHERE serverHash IS NOT NULL;
    CREATE UNIQUE INDEX interactionUUID ON interaction (threadID, uuid) WHERE uuid IS NOT NULL;
    CREATE UNIQUE INDEX interactionServerID ON interaction (threadID, serverID) WHERE serverID IS NOT NULL;
    CREATE INDEX interactionUnread ON interaction (threadID, hasMention, sentAt) WHERE wasRead = 0;
    CREATE INDEX interactionUnsettled ON interaction (state) WHERE state IN (1, 4);
    CREATE INDEX interactionExpiry ON interaction (expiryStartedAt + expirySeconds * 1000)
      WHERE expiryStartedAt IS NOT NULL;
    CREATE INDEX interactionLinkPreview ON interaction (linkPreviewID) WHERE linkPreviewID IS NOT NULL;
    """

  static let partsOfInteractions: SQL = """
    CREATE TABLE interactionAttachment (
      interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
      position INTEGER NOT NULL,
      attachmentID INTEGER NOT NULL REFERENCES attachment,
      PRIMARY KEY (interactionID, position)
    ) WITHOUT ROWID;
    CREATE INDEX interactionAttachmentUse ON interactionAttachment (attachmentID);
    \(countAttachments(of: "interactionAttachment"))
    CREATE TABLE quote (
      interactionID INTEGER PRIMARY KEY REFERENCES interaction ON DELETE CASCADE,
      author TEXT NOT NULL,
      sentAt INTEGER NOT NULL
    );
    CREATE TABLE reaction (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
      author TEXT NOT NULL,
      emoji TEXT NOT NULL,
      sentAt INTEGER NOT NULL,
      serverHash TEXT,
      count INTEGER NOT NULL DEFAULT 1,
      sortID INTEGER NOT NULL DEFAULT 0,
      UNIQUE (interactionID, author, emoji)
    );
    CREATE TABLE pendingReadReceipt (
      threadID INTEGER NOT NULL REFERENCES thread ON DELETE CASCADE,
      sentAt INTEGER NOT NULL,
      readAt INTEGER NOT NULL,
      expiresAt INTEGER NOT NULL,
      PRIMARY KEY (threadID, sentAt)
    ) WITHOUT ROWID;
    """

  static let drafts: SQL = """
    CREATE TABLE draft (
      threadID INTEGER PRIMARY KEY REFERENCES thread ON DELETE CASCADE,
      body TEXT NOT NULL,
      quoteAuthor TEXT,
      quoteSentAt INTEGER,
      editTarget INTEGER REFERENCES interaction ON DELETE SET NULL,
      updatedAt INTEGER NOT NULL
    );
    CREATE INDEX draftEdit ON draft (editTarget) WHERE editTarget IS NOT NULL;
    CREATE TABLE draftAttachment (
      threadID INTEGER NOT NULL REFERENCES draft ON DELETE CASCADE,
      position INTEGER NOT NULL,
      attachmentID INTEGER NOT NULL REFERENCES attachment,
      PRIMARY KEY (threadID, position)
    ) WITHOUT ROWID;
    CREATE INDEX draftAttachmentUse ON draftAttachment (attachmentID);
    \(countAttachments(of: "draftAttachment"))
    """

  // The index stores no text of its own, but deleting an entry needs the text: delete entries before a row changes and
  // insert them after. Entries are ordered by their numbers, which therefore derive from the time: see `SearchPlace`.
  static let search: SQL = """
    CREATE TABLE messageText (
      place INTEGER PRIMARY KEY,
      interactionID INTEGER NOT NULL UNIQUE REFERENCES interaction ON DELETE CASCADE,
      text TEXT NOT NULL,
      threadID INTEGER NOT NULL
    );
    CREATE VIRTUAL TABLE messageSearch USING fts4 (
      content="messageText", text, threadID, tokenize=unicode61, prefix="1,2", matchinfo="fts3"
    );
    CREATE TRIGGER messageTextChanges BEFORE UPDATE ON messageText BEGIN
      DELETE FROM messageSearch WHERE docid = OLD.place;
    END;
    CREATE TRIGGER messageTextGoes BEFORE DELETE ON messageText BEGIN
      DELETE FROM messageSearch WHERE docid = OLD.place;
    END;
    CREATE TRIGGER messageTextChanged AFTER UPDATE ON messageText BEGIN
      INSERT INTO messageSearch (docid, text, threadID) VALUES (NEW.place, NEW.text, NEW.threadID);
    END;
    CREATE TRIGGER messageTextArrives AFTER INSERT ON messageText BEGIN
      INSERT INTO messageSearch (docid, text, threadID) VALUES (NEW.place, NEW.text, NEW.threadID);
    END;
    """

  // Seen messages refer to their thread by its address, which outlives the row of the thread.
  static let received: SQL = """
    CREATE TABLE receivedHash (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      swarm TEXT NOT NULL,
      node TEXT NOT NULL,
      namespace INTEGER NOT NULL,
      hash TEXT NOT NULL,
      expiresAt INTEGER NOT NULL,
      isInvalid INTEGER NOT NULL DEFAULT 0,
      UNIQUE (swarm, node, namespace, hash)
    );
    CREATE INDEX receivedHashLast ON receivedHash (swarm, node, namespace, id) WHERE isInvalid = 0;
    CREATE INDEX receivedHashExpiry ON receivedHash (expiresAt);
    CREATE TABLE seenMessage (
      address TEXT NOT NULL,
      identifier TEXT NOT NULL,
      expiresAt INTEGER,
      diesWithThread INTEGER NOT NULL,
      PRIMARY KEY (address, identifier)
    ) WITHOUT ROWID;
    CREATE INDEX seenMessageExpiry ON seenMessage (expiresAt) WHERE expiresAt IS NOT NULL;
    CREATE TRIGGER seenMessageGoes AFTER DELETE ON thread BEGIN
      DELETE FROM seenMessage WHERE address = OLD.address AND diesWithThread = 1;
    END;
    """
}
