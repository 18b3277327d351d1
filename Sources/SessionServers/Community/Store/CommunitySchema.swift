import SessionStorage

extension Schema {
  /// The database of a community server. PostgreSQL takes the same tables, so there are no triggers and no views; the
  /// code keeps the counters, inside the transaction of each change. Times are milliseconds since 1970, booleans 0 and 1.
  ///
  /// Numbers are never given twice, hence AUTOINCREMENT: readers resume after the largest number they know.
  static let community = Schema(
    applicationID: 0x5343_4F4D,
    migrations: [
      Migration(
        1, "community",
        sql: """
          CREATE TABLE person (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL UNIQUE,
            -- The id they signed with last; null until they come.
            shown TEXT,
            -- The id they were named by before they came.
            named TEXT,
            created INTEGER NOT NULL,
            active INTEGER NOT NULL,
            -- Without those that moderators deleted.
            posts INTEGER NOT NULL DEFAULT 0,
            banned INTEGER NOT NULL DEFAULT 0,
            role INTEGER NOT NULL DEFAULT 0,
            visible INTEGER NOT NULL DEFAULT 0
          );
          CREATE INDEX person_role ON person (role) WHERE role > 0;
          CREATE INDEX person_created ON person (created);
          CREATE TABLE room (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            token TEXT NOT NULL,
            folded TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            description TEXT,
            image INTEGER,
            created INTEGER NOT NULL,
            sequence INTEGER NOT NULL DEFAULT 0,
            info INTEGER NOT NULL DEFAULT 0,
            active INTEGER NOT NULL DEFAULT 0,
            lastPosted INTEGER NOT NULL DEFAULT 0,
            -- Bits: read 1, write 2, upload 4, accessible 8.
            defaults INTEGER NOT NULL DEFAULT 15,
            slow INTEGER NOT NULL DEFAULT 0,
            newcomerWrite INTEGER NOT NULL DEFAULT 0,
            newcomerUpload INTEGER NOT NULL DEFAULT 0,
            retention INTEGER
          );
          CREATE TABLE message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            room INTEGER NOT NULL REFERENCES room ON DELETE CASCADE,
            author INTEGER NOT NULL REFERENCES person,
            signer TEXT NOT NULL,
            posted INTEGER NOT NULL,
            edited INTEGER,
            deleted INTEGER,
            createdSeq INTEGER NOT NULL,
            dataSeq INTEGER NOT NULL,
            reactedSeq INTEGER NOT NULL DEFAULT 0,
            -- Without its padding, and the size with it.
            data BLOB,
            size INTEGER,
            signature BLOB,
            -- 1 from the beginning, 2 since an edit.
            filtered INTEGER NOT NULL DEFAULT 0,
            whisperTo INTEGER REFERENCES person,
            whisperMods INTEGER NOT NULL DEFAULT 0
          );
          CREATE INDEX message_room ON message (room, id);
          CREATE INDEX message_data ON message (room, dataSeq);
          CREATE INDEX message_reacted ON message (room, reactedSeq) WHERE reactedSeq > 0;
          CREATE INDEX message_author ON message (author, room);
          CREATE INDEX message_deleted ON message (deleted) WHERE deleted IS NOT NULL;
          CREATE TABLE history (
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE,
            at INTEGER NOT NULL,
            actor INTEGER,
            data BLOB,
            signature BLOB
          );
          CREATE INDEX history_at ON history (at);
          CREATE INDEX history_message ON history (message);
          CREATE TABLE reaction (
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE,
            emoji TEXT NOT NULL,
            -- The order of the first use.
            place INTEGER NOT NULL,
            person INTEGER NOT NULL REFERENCES person,
            at INTEGER NOT NULL,
            PRIMARY KEY (message, emoji, person)
          );
          CREATE INDEX reaction_person ON reaction (person);
          CREATE TABLE pin (
            room INTEGER NOT NULL REFERENCES room ON DELETE CASCADE,
            message INTEGER NOT NULL REFERENCES message ON DELETE CASCADE,
            actor INTEGER NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY (room, message)
          );
          CREATE INDEX pin_message ON pin (message);
          CREATE TABLE file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            room INTEGER REFERENCES room ON DELETE SET NULL,
            uploader INTEGER,
            message INTEGER,
            size INTEGER NOT NULL,
            uploaded INTEGER NOT NULL,
            expires INTEGER,
            name TEXT,
            place TEXT NOT NULL
          );
          CREATE INDEX file_expires ON file (expires);
          CREATE INDEX file_message ON file (message);
          CREATE INDEX file_uploader ON file (uploader, uploaded);
          CREATE INDEX file_room ON file (room);
          CREATE TABLE file_alias (
            room INTEGER NOT NULL, old INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (room, old));
          CREATE INDEX file_alias_file ON file_alias (file);
          CREATE TABLE file_chunk (
            file INTEGER NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (file, number));
          CREATE TABLE visit (
            room INTEGER NOT NULL REFERENCES room ON DELETE CASCADE,
            person INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (room, person)
          );
          CREATE INDEX visit_last ON visit (room, last);
          CREATE TABLE override (
            room INTEGER NOT NULL REFERENCES room ON DELETE CASCADE,
            person INTEGER NOT NULL REFERENCES person,
            canRead INTEGER,
            canAccess INTEGER,
            canWrite INTEGER,
            canUpload INTEGER,
            banned INTEGER NOT NULL DEFAULT 0,
            role INTEGER NOT NULL DEFAULT 0,
            visible INTEGER NOT NULL DEFAULT 1,
            PRIMARY KEY (room, person)
          );
          CREATE INDEX override_person ON override (person);
          CREATE TABLE future (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            -- Null for the server.
            room INTEGER,
            person INTEGER NOT NULL,
            at INTEGER NOT NULL,
            canRead INTEGER,
            canWrite INTEGER,
            canUpload INTEGER,
            banned INTEGER
          );
          CREATE INDEX future_at ON future (at);
          CREATE INDEX future_person ON future (person, room);
          CREATE TABLE nonce (nonce BLOB PRIMARY KEY, until INTEGER NOT NULL);
          CREATE INDEX nonce_until ON nonce (until);
          CREATE TABLE inbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            recipient INTEGER NOT NULL,
            recipientAs TEXT NOT NULL,
            sender INTEGER NOT NULL,
            senderAs TEXT NOT NULL,
            body BLOB NOT NULL,
            posted INTEGER NOT NULL,
            expires INTEGER NOT NULL
          );
          CREATE INDEX inbox_recipient ON inbox (recipient, id);
          CREATE INDEX inbox_sender ON inbox (sender, id);
          CREATE INDEX inbox_posted ON inbox (sender, posted);
          CREATE INDEX inbox_pair ON inbox (sender, recipient);
          CREATE INDEX inbox_expires ON inbox (expires);
          CREATE TABLE log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            room INTEGER,
            actor INTEGER,
            what TEXT NOT NULL,
            whom INTEGER,
            number INTEGER,
            until INTEGER
          );
          CREATE INDEX log_room ON log (room, id);
          CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
          """),
      // The posts of a person in a day are counted with each post.
      Migration(2, "posts of a day", sql: "CREATE INDEX message_posted ON message (author, posted);"),
    ])
}
