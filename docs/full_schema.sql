CREATE TABLE attachment (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  serverID TEXT,
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  contentType TEXT NOT NULL,
  byteCount INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  name TEXT,
  url TEXT,
  width INTEGER,
  height INTEGER,
  duration REAL,
  key BLOB,
  digest BLOB,
  fileID INTEGER REFERENCES file,
  referenceCount INTEGER NOT NULL DEFAULT 0
, caption TEXT);
CREATE TABLE blindedID (
  blindedID TEXT NOT NULL PRIMARY KEY,
  sessionID TEXT,
  server TEXT NOT NULL,
  serverKey BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE capability (
  server TEXT NOT NULL REFERENCES communityServer ON DELETE CASCADE,
  name TEXT NOT NULL,
  isMissing INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (server, name)
) WITHOUT ROWID;
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
, localState INTEGER NOT NULL DEFAULT 0, joinedAt INTEGER NOT NULL DEFAULT 0, inviter TEXT, invitedAt INTEGER, inviteHash TEXT, hasUnopened INTEGER NOT NULL DEFAULT 0, accessLostAt INTEGER, deletesBefore INTEGER NOT NULL DEFAULT 0, deletesFilesBefore INTEGER NOT NULL DEFAULT 0, exposedGeneration INTEGER NOT NULL DEFAULT -1, wasReadAsAdmin INTEGER NOT NULL DEFAULT 0, statedDeletesBefore INTEGER NOT NULL DEFAULT 0, statedDeletesFilesBefore INTEGER NOT NULL DEFAULT 0);
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
  isPolled INTEGER NOT NULL DEFAULT 1, state INTEGER NOT NULL DEFAULT 0, createdAt INTEGER NOT NULL DEFAULT 0, lastSuccessAt INTEGER NOT NULL DEFAULT 0, isComplete INTEGER NOT NULL DEFAULT 0,
  UNIQUE (server, room)
);
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
CREATE TABLE communityGap (
  threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
  below INTEGER NOT NULL,
  above INTEGER NOT NULL,
  PRIMARY KEY (threadID, below)
) WITHOUT ROWID;
CREATE TABLE communityModerator (
  threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
  person TEXT NOT NULL,
  isAdmin INTEGER NOT NULL,
  isHidden INTEGER NOT NULL,
  PRIMARY KEY (threadID, person)
) WITHOUT ROWID;
CREATE TABLE communityPending (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
  serverID INTEGER NOT NULL,
  emoji TEXT NOT NULL,
  isRemoval INTEGER NOT NULL,
  seqno INTEGER
);
CREATE TABLE communityPin (
  threadID INTEGER NOT NULL REFERENCES community ON DELETE CASCADE,
  serverID INTEGER NOT NULL,
  pinnedAt INTEGER NOT NULL,
  pinnedBy TEXT, author TEXT, postedAt INTEGER, body TEXT,
  PRIMARY KEY (threadID, serverID)
) WITHOUT ROWID;
CREATE TABLE communityServer (
  url TEXT NOT NULL PRIMARY KEY,
  publicKey BLOB NOT NULL,
  inboxLatest INTEGER NOT NULL DEFAULT 0,
  outboxLatest INTEGER NOT NULL DEFAULT 0,
  pollFailures INTEGER NOT NULL DEFAULT 0
, blinding INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE configDump (
  owner TEXT NOT NULL,
  kind TEXT NOT NULL,
  content BLOB NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, kind)
);
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
CREATE TABLE draft (
  threadID INTEGER PRIMARY KEY REFERENCES thread ON DELETE CASCADE,
  body TEXT NOT NULL,
  quoteAuthor TEXT,
  quoteSentAt INTEGER,
  editTarget INTEGER REFERENCES interaction ON DELETE SET NULL,
  updatedAt INTEGER NOT NULL
);
CREATE TABLE draftAttachment (
  threadID INTEGER NOT NULL REFERENCES draft ON DELETE CASCADE,
  position INTEGER NOT NULL,
  attachmentID INTEGER NOT NULL REFERENCES attachment,
  PRIMARY KEY (threadID, position)
) WITHOUT ROWID;
CREATE TABLE event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  threadID INTEGER,
  interactionID INTEGER,
  content BLOB
);
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
CREATE TABLE eventReader (
  name TEXT NOT NULL PRIMARY KEY,
  acknowledged INTEGER NOT NULL,
  at INTEGER NOT NULL
, head INTEGER NOT NULL DEFAULT 0, headTries INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  localKey BLOB NOT NULL,
  byteCount INTEGER NOT NULL,
  createdAt INTEGER NOT NULL,
  referenceCount INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE fullReading (
  swarm TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE groupMember (
  groupID INTEGER NOT NULL REFERENCES closedGroup ON DELETE CASCADE,
  member TEXT NOT NULL,
  isAdmin INTEGER NOT NULL,
  status INTEGER NOT NULL,
  isGivenHistory INTEGER NOT NULL DEFAULT 0,
  addedAt INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (groupID, member)
) WITHOUT ROWID;
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
, proStatus INTEGER NOT NULL DEFAULT 0, serverSeqno INTEGER, editedAt INTEGER, isFiltered INTEGER NOT NULL DEFAULT 0, level INTEGER NOT NULL DEFAULT 0, isFromHeldDevice INTEGER NOT NULL DEFAULT 0);
CREATE TABLE interactionAttachment (
  interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
  position INTEGER NOT NULL,
  attachmentID INTEGER NOT NULL REFERENCES attachment,
  PRIMARY KEY (interactionID, position)
) WITHOUT ROWID;
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  payload BLOB NOT NULL,
  queue TEXT NOT NULL,
  partition TEXT,
  uniqueKey TEXT,
  priority INTEGER NOT NULL DEFAULT 0,
  state INTEGER NOT NULL DEFAULT 0,
  needsAny INTEGER NOT NULL DEFAULT 0,
  conditions INTEGER NOT NULL DEFAULT 0,
  createdAt INTEGER NOT NULL,
  notBefore INTEGER NOT NULL DEFAULT 0,
  deadline INTEGER,
  interval INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  interruptions INTEGER NOT NULL DEFAULT 0,
  deferrals INTEGER NOT NULL DEFAULT 0,
  deferredSince INTEGER,
  againAt INTEGER,
  runner TEXT,
  startedAt INTEGER,
  finishedAt INTEGER,
  progress REAL,
  failure TEXT,
  threadID INTEGER,
  interactionID INTEGER
);
CREATE TABLE jobDependency (
  id INTEGER PRIMARY KEY,
  jobID INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
  onJobID INTEGER REFERENCES job ON DELETE CASCADE,
  event TEXT,
  needsSuccess INTEGER NOT NULL DEFAULT 1,
  CHECK ((onJobID IS NULL) <> (event IS NULL)),
  UNIQUE (jobID, onJobID, event)
);
CREATE TABLE jobEffect (
  jobID INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
  name TEXT NOT NULL,
  isDone INTEGER NOT NULL,
  result BLOB,
  PRIMARY KEY (jobID, name)
) WITHOUT ROWID;
CREATE TABLE linkPreview (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,
  window INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  title TEXT,
  attachmentID INTEGER REFERENCES attachment ON DELETE SET NULL,
  UNIQUE (url, window)
);
CREATE TABLE messageHash (
  interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (interactionID, hash)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE messageSearch USING fts4 (
  content="messageText", text, threadID, tokenize=unicode61, prefix="1,2", matchinfo="fts3"
);
CREATE TABLE 'messageSearch_segdir'(level INTEGER,idx INTEGER,start_block INTEGER,leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));
CREATE TABLE 'messageSearch_segments'(blockid INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'messageSearch_stat'(id INTEGER PRIMARY KEY, value BLOB);
CREATE TABLE messageText (
  place INTEGER PRIMARY KEY,
  interactionID INTEGER NOT NULL UNIQUE REFERENCES interaction ON DELETE CASCADE,
  text TEXT NOT NULL,
  threadID INTEGER NOT NULL
);
CREATE TABLE migration (id INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE notification (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL,
  threadID INTEGER REFERENCES thread ON DELETE CASCADE,
  interactionID INTEGER REFERENCES interaction ON DELETE CASCADE,
  createdAt INTEGER NOT NULL,
  shownAt INTEGER
);
CREATE TABLE obsoleteHash (
  owner TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (owner, hash)
) WITHOUT ROWID;
CREATE TABLE orphanFile (
  path TEXT NOT NULL PRIMARY KEY,
  createdAt INTEGER NOT NULL,
  reason INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE pendingReadReceipt (
  threadID INTEGER NOT NULL REFERENCES thread ON DELETE CASCADE,
  sentAt INTEGER NOT NULL,
  readAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  PRIMARY KEY (threadID, sentAt)
) WITHOUT ROWID;
CREATE TABLE proRevocation (
  tag BLOB NOT NULL PRIMARY KEY,
  effectiveAt INTEGER NOT NULL,
  keptUntil INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE proState (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ticket INTEGER NOT NULL,
  nextCheckAt INTEGER NOT NULL,
  status TEXT,
  expiresAt INTEGER
);
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
CREATE TABLE receivedHash (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  swarm TEXT NOT NULL,
  node TEXT NOT NULL,
  namespace INTEGER NOT NULL,
  hash TEXT NOT NULL,
  expiresAt INTEGER NOT NULL,
  isInvalid INTEGER NOT NULL DEFAULT 0, storedAt INTEGER NOT NULL DEFAULT 0, receivedAt INTEGER NOT NULL DEFAULT 0,
  UNIQUE (swarm, node, namespace, hash)
);
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
, settledAt INTEGER);
CREATE TABLE scheduledAttachment (
  scheduledID INTEGER NOT NULL REFERENCES scheduled ON DELETE CASCADE,
  position INTEGER NOT NULL,
  attachmentID INTEGER NOT NULL REFERENCES attachment,
  PRIMARY KEY (scheduledID, position)
) WITHOUT ROWID;
CREATE TABLE seenMessage (
  address TEXT NOT NULL,
  identifier TEXT NOT NULL,
  expiresAt INTEGER,
  diesWithThread INTEGER NOT NULL,
  PRIMARY KEY (address, identifier)
) WITHOUT ROWID;
CREATE TABLE sendKey (
  key TEXT NOT NULL PRIMARY KEY,
  digest BLOB NOT NULL,
  interactionID INTEGER NOT NULL,
  at INTEGER NOT NULL
, scheduledID INTEGER) WITHOUT ROWID;
CREATE TABLE setting (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE sqlite_sequence(name,seq);
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
CREATE TABLE srBroken (
  hash TEXT NOT NULL PRIMARY KEY,
  deviceID INTEGER NOT NULL REFERENCES srDevice ON DELETE CASCADE,
  seenAt INTEGER NOT NULL
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
, overruled BLOB NOT NULL DEFAULT x'');
CREATE TABLE srOneTimeKey (
  generation INTEGER NOT NULL REFERENCES srPrekey ON DELETE CASCADE,
  number INTEGER NOT NULL,
  secret BLOB NOT NULL,
  firstUsedAt INTEGER,
  PRIMARY KEY (generation, number)
) WITHOUT ROWID;
CREATE TABLE srOpened (
  mark BLOB NOT NULL PRIMARY KEY,
  openedAt INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE srPrekey (
  generation INTEGER PRIMARY KEY,
  secret BLOB NOT NULL,
  kemSeed BLOB NOT NULL,
  createdAt INTEGER NOT NULL,
  replacedAt INTEGER
);
CREATE TABLE srSeenStart (
  ek BLOB NOT NULL PRIMARY KEY,
  generation INTEGER NOT NULL REFERENCES srPrekey ON DELETE CASCADE
) WITHOUT ROWID;
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
CREATE TABLE srSent (
  hash TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  interactionID INTEGER NOT NULL REFERENCES interaction ON DELETE CASCADE,
  sentAt INTEGER NOT NULL
) WITHOUT ROWID;
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
CREATE TABLE srSkippedKey (
  sessionID INTEGER NOT NULL REFERENCES srSession ON DELETE CASCADE,
  headerKey BLOB NOT NULL,
  number INTEGER NOT NULL,
  messageKey BLOB NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (sessionID, headerKey, number)
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
CREATE TABLE tag (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  searchName TEXT NOT NULL UNIQUE,
  emoji TEXT,
  position INTEGER NOT NULL
);
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
CREATE TABLE threadTag (
  address TEXT NOT NULL,
  tagID INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE,
  lostAt INTEGER,
  PRIMARY KEY (address, tagID)
) WITHOUT ROWID;
CREATE TABLE toldVerification (
  id TEXT NOT NULL PRIMARY KEY,
  fingerprint BLOB NOT NULL,
  isVerified INTEGER NOT NULL,
  at INTEGER NOT NULL,
  device BLOB,
  isTold INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tombstone (
  address TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL
) WITHOUT ROWID;
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
CREATE INDEX attachmentFile ON attachment (fileID) WHERE fileID IS NOT NULL;
CREATE INDEX attachmentURL ON attachment (url) WHERE url IS NOT NULL;
CREATE INDEX attachmentUnsettled ON attachment (state) WHERE state IN (1, 2, 5);
CREATE INDEX blindedIDPerson ON blindedID (sessionID) WHERE sessionID IS NOT NULL;
CREATE INDEX closedGroupPicture ON closedGroup (pictureFileID) WHERE pictureFileID IS NOT NULL;
CREATE INDEX communityImage ON community (imageFileID) WHERE imageFileID IS NOT NULL;
CREATE INDEX communityPendingMessage ON communityPending (threadID, serverID);
CREATE INDEX configPartOwner ON configPart (owner, kind);
CREATE INDEX draftEdit ON draft (editTarget) WHERE editTarget IS NOT NULL;
CREATE INDEX draftAttachmentUse ON draftAttachment (attachmentID);
CREATE UNIQUE INDEX interactionAuthor ON interaction (threadID, author, sentAt) WHERE kind < 1000;
CREATE INDEX interactionExpiry ON interaction (expiryStartedAt + expirySeconds * 1000)
  WHERE expiryStartedAt IS NOT NULL;
CREATE UNIQUE INDEX interactionHash ON interaction (threadID, serverHash) WHERE serverHash IS NOT NULL;
CREATE INDEX interactionLinkPreview ON interaction (linkPreviewID) WHERE linkPreviewID IS NOT NULL;
CREATE INDEX interactionPage ON interaction (threadID, sentAt, id);
CREATE UNIQUE INDEX interactionServerID ON interaction (threadID, serverID) WHERE serverID IS NOT NULL;
CREATE UNIQUE INDEX interactionUUID ON interaction (threadID, uuid) WHERE uuid IS NOT NULL;
CREATE INDEX interactionUnread ON interaction (threadID, hasMention, sentAt) WHERE wasRead = 0;
CREATE INDEX interactionUnsettled ON interaction (state) WHERE state IN (1, 4);
CREATE INDEX interactionAttachmentUse ON interactionAttachment (attachmentID);
CREATE INDEX jobFinished ON job (finishedAt) WHERE state IN (2, 4);
CREATE INDEX jobInteraction ON job (interactionID) WHERE interactionID IS NOT NULL;
CREATE INDEX jobPartition ON job (partition, id) WHERE partition IS NOT NULL AND state IN (0, 1);
CREATE INDEX jobState ON job (state, id) WHERE state <> 2;
CREATE INDEX jobThread ON job (threadID) WHERE threadID IS NOT NULL;
CREATE UNIQUE INDEX jobUnique ON job (kind, uniqueKey) WHERE uniqueKey IS NOT NULL AND state IN (0, 1);
CREATE INDEX jobDependencyEvent ON jobDependency (event) WHERE event IS NOT NULL;
CREATE INDEX jobDependencyOn ON jobDependency (onJobID) WHERE onJobID IS NOT NULL;
CREATE INDEX linkPreviewAttachment ON linkPreview (attachmentID) WHERE attachmentID IS NOT NULL;
CREATE INDEX messageHashHash ON messageHash (hash);
CREATE INDEX notificationInteraction ON notification (interactionID) WHERE interactionID IS NOT NULL;
CREATE INDEX notificationThread ON notification (threadID, createdAt);
CREATE INDEX notificationWaiting ON notification (id) WHERE shownAt IS NULL;
CREATE INDEX profilePicture ON profile (pictureFileID) WHERE pictureFileID IS NOT NULL;
CREATE INDEX receivedHashExpiry ON receivedHash (expiresAt);
CREATE INDEX receivedHashLast ON receivedHash (swarm, node, namespace, id) WHERE isInvalid = 0;
CREATE INDEX scheduledState ON scheduled (state, at);
CREATE INDEX scheduledAttachmentUse ON scheduledAttachment (attachmentID);
CREATE INDEX seenMessageExpiry ON seenMessage (expiresAt) WHERE expiresAt IS NOT NULL;
CREATE INDEX sendKeyAge ON sendKey (at);
CREATE INDEX sendKeyScheduled ON sendKey (scheduledID) WHERE scheduledID IS NOT NULL;
CREATE INDEX srBrokenDevice ON srBroken (deviceID, seenAt);
CREATE INDEX srDeviceAccount ON srDevice (account);
CREATE INDEX srOpenedAge ON srOpened (openedAt);
CREATE INDEX srSeenStartGeneration ON srSeenStart (generation);
CREATE INDEX srSentAccount ON srSent (account, sentAt);
CREATE INDEX srSentAge ON srSent (sentAt);
CREATE INDEX srSentInteraction ON srSent (interactionID);
CREATE INDEX srSessionEK ON srSession (ek);
CREATE INDEX srSkippedKeyAge ON srSkippedKey (createdAt);
CREATE INDEX swarmStepOwner ON swarmStep (owner, id);
CREATE INDEX threadTagUse ON threadTag (tagID);
CREATE TRIGGER attachmentIsReleased AFTER UPDATE OF referenceCount ON attachment
WHEN NEW.referenceCount = 0 AND OLD.referenceCount > 0 BEGIN
  DELETE FROM attachment WHERE id = NEW.id;
END;
CREATE TRIGGER attachment_fileID_delete AFTER DELETE ON attachment WHEN OLD.fileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.fileID;
END;
CREATE TRIGGER attachment_fileID_insert AFTER INSERT ON attachment WHEN NEW.fileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.fileID;
END;
CREATE TRIGGER attachment_fileID_update AFTER UPDATE OF fileID ON attachment
WHEN NEW.fileID IS NOT OLD.fileID BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.fileID;
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.fileID;
END;
CREATE TRIGGER closedGroup_pictureFileID_delete AFTER DELETE ON closedGroup WHEN OLD.pictureFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.pictureFileID;
END;
CREATE TRIGGER closedGroup_pictureFileID_insert AFTER INSERT ON closedGroup WHEN NEW.pictureFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.pictureFileID;
END;
CREATE TRIGGER closedGroup_pictureFileID_update AFTER UPDATE OF pictureFileID ON closedGroup
WHEN NEW.pictureFileID IS NOT OLD.pictureFileID BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.pictureFileID;
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.pictureFileID;
END;
CREATE TRIGGER community_imageFileID_delete AFTER DELETE ON community WHEN OLD.imageFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.imageFileID;
END;
CREATE TRIGGER community_imageFileID_insert AFTER INSERT ON community WHEN NEW.imageFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.imageFileID;
END;
CREATE TRIGGER community_imageFileID_update AFTER UPDATE OF imageFileID ON community
WHEN NEW.imageFileID IS NOT OLD.imageFileID BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.imageFileID;
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.imageFileID;
END;
CREATE TRIGGER draftAttachment_attachmentID_delete AFTER DELETE ON draftAttachment WHEN OLD.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER draftAttachment_attachmentID_insert AFTER INSERT ON draftAttachment WHEN NEW.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
END;
CREATE TRIGGER draftAttachment_attachmentID_update AFTER UPDATE OF attachmentID ON draftAttachment
WHEN NEW.attachmentID IS NOT OLD.attachmentID BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER fileArrives AFTER INSERT ON file BEGIN
  DELETE FROM orphanFile WHERE path = NEW.path;
END;
CREATE TRIGGER fileGoes AFTER DELETE ON file BEGIN
  INSERT INTO orphanFile (path, createdAt, reason) VALUES (OLD.path, 0, 1);
END;
CREATE TRIGGER fileIsReleased AFTER UPDATE OF referenceCount ON file
WHEN NEW.referenceCount = 0 AND OLD.referenceCount > 0 BEGIN
  DELETE FROM file WHERE id = NEW.id;
END;
CREATE TRIGGER interactionAttachment_attachmentID_delete AFTER DELETE ON interactionAttachment WHEN OLD.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER interactionAttachment_attachmentID_insert AFTER INSERT ON interactionAttachment WHEN NEW.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
END;
CREATE TRIGGER interactionAttachment_attachmentID_update AFTER UPDATE OF attachmentID ON interactionAttachment
WHEN NEW.attachmentID IS NOT OLD.attachmentID BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER linkPreview_attachmentID_delete AFTER DELETE ON linkPreview WHEN OLD.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER linkPreview_attachmentID_insert AFTER INSERT ON linkPreview WHEN NEW.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
END;
CREATE TRIGGER linkPreview_attachmentID_update AFTER UPDATE OF attachmentID ON linkPreview
WHEN NEW.attachmentID IS NOT OLD.attachmentID BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER messageTextArrives AFTER INSERT ON messageText BEGIN
  INSERT INTO messageSearch (docid, text, threadID) VALUES (NEW.place, NEW.text, NEW.threadID);
END;
CREATE TRIGGER messageTextChanged AFTER UPDATE ON messageText BEGIN
  INSERT INTO messageSearch (docid, text, threadID) VALUES (NEW.place, NEW.text, NEW.threadID);
END;
CREATE TRIGGER messageTextChanges BEFORE UPDATE ON messageText BEGIN
  DELETE FROM messageSearch WHERE docid = OLD.place;
END;
CREATE TRIGGER messageTextGoes BEFORE DELETE ON messageText BEGIN
  DELETE FROM messageSearch WHERE docid = OLD.place;
END;
CREATE TRIGGER profile_pictureFileID_delete AFTER DELETE ON profile WHEN OLD.pictureFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.pictureFileID;
END;
CREATE TRIGGER profile_pictureFileID_insert AFTER INSERT ON profile WHEN NEW.pictureFileID IS NOT NULL BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.pictureFileID;
END;
CREATE TRIGGER profile_pictureFileID_update AFTER UPDATE OF pictureFileID ON profile
WHEN NEW.pictureFileID IS NOT OLD.pictureFileID BEGIN
  UPDATE file SET referenceCount = referenceCount + 1 WHERE id = NEW.pictureFileID;
  UPDATE file SET referenceCount = referenceCount - 1 WHERE id = OLD.pictureFileID;
END;
CREATE TRIGGER scheduledAttachment_attachmentID_delete AFTER DELETE ON scheduledAttachment WHEN OLD.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER scheduledAttachment_attachmentID_insert AFTER INSERT ON scheduledAttachment WHEN NEW.attachmentID IS NOT NULL BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
END;
CREATE TRIGGER scheduledAttachment_attachmentID_update AFTER UPDATE OF attachmentID ON scheduledAttachment
WHEN NEW.attachmentID IS NOT OLD.attachmentID BEGIN
  UPDATE attachment SET referenceCount = referenceCount + 1 WHERE id = NEW.attachmentID;
  UPDATE attachment SET referenceCount = referenceCount - 1 WHERE id = OLD.attachmentID;
END;
CREATE TRIGGER seenMessageGoes AFTER DELETE ON thread BEGIN
  DELETE FROM seenMessage WHERE address = OLD.address AND diesWithThread = 1;
END;
