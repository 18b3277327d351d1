// Files die with what refers to them: each count below is kept by triggers, so that no way of deleting a row, a
// cascade among them, can forget it. What reaches zero leaves the name of its file to be swept.
extension AccountTables {
  static let files: SQL = """
    CREATE TABLE file (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      path TEXT NOT NULL UNIQUE,
      localKey BLOB NOT NULL,
      byteCount INTEGER NOT NULL,
      createdAt INTEGER NOT NULL,
      referenceCount INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE orphanFile (
      path TEXT NOT NULL PRIMARY KEY,
      createdAt INTEGER NOT NULL,
      reason INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TRIGGER fileArrives AFTER INSERT ON file BEGIN
      DELETE FROM orphanFile WHERE path = NEW.path;
    END;
    CREATE TRIGGER fileIsReleased AFTER UPDATE OF referenceCount ON file
    WHEN NEW.referenceCount = 0 AND OLD.referenceCount > 0 BEGIN
      DELETE FROM file WHERE id = NEW.id;
    END;
    CREATE TRIGGER fileGoes AFTER DELETE ON file BEGIN
      INSERT INTO orphanFile (path, createdAt, reason) VALUES (OLD.path, 0, 1);
    END;
    """

  static let attachments: SQL = """
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
    );
    CREATE INDEX attachmentFile ON attachment (fileID) WHERE fileID IS NOT NULL;
    CREATE INDEX attachmentURL ON attachment (url) WHERE url IS NOT NULL;
    CREATE INDEX attachmentUnsettled ON attachment (state) WHERE state IN (1, 2, 5);
    CREATE TRIGGER attachmentIsReleased AFTER UPDATE OF referenceCount ON attachment
    WHEN NEW.referenceCount = 0 AND OLD.referenceCount > 0 BEGIN
      DELETE FROM attachment WHERE id = NEW.id;
    END;
    \(countFiles(of: "attachment", in: "fileID"))
    """

  /// Triggers that count the rows of a table as references to files.
  static func countFiles(of table: SQL, in column: SQL) -> SQL { count("file", of: table, in: column) }

  /// Triggers that count the rows of a table as references to attachments.
  static func countAttachments(of table: SQL) -> SQL { count("attachment", of: table, in: "attachmentID") }

  private static func count(_ target: SQL, of table: SQL, in column: SQL) -> SQL {
    """
    CREATE TRIGGER \(table)_\(column)_insert AFTER INSERT ON \(table) WHEN NEW.\(column) IS NOT NULL BEGIN
      UPDATE \(target) SET referenceCount = referenceCount + 1 WHERE id = NEW.\(column);
    END;
    CREATE TRIGGER \(table)_\(column)_update AFTER UPDATE OF \(column) ON \(table)
    WHEN NEW.\(column) IS NOT OLD.\(column) BEGIN
      UPDATE \(target) SET referenceCount = referenceCount + 1 WHERE id = NEW.\(column);
      UPDATE \(target) SET referenceCount = referenceCount - 1 WHERE id = OLD.\(column);
    END;
    CREATE TRIGGER \(table)_\(column)_delete AFTER DELETE ON \(table) WHEN OLD.\(column) IS NOT NULL BEGIN
      UPDATE \(target) SET referenceCount = referenceCount - 1 WHERE id = OLD.\(column);
    END;
    """
  }
}
