import SessionStorage

extension Schema {
  /// The database of a file server.
  static let files = Schema(
    applicationID: 0x5346_494C,
    migrations: [
      Migration(
        1, "files",
        sql: """
          CREATE TABLE files (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            -- What clients call it that know no names.
            number INTEGER UNIQUE,
            size INTEGER NOT NULL,
            uploaded INTEGER NOT NULL,
            expires INTEGER NOT NULL
          );
          CREATE INDEX files_by_expiry ON files (expires);
          -- One row.
          CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            files INTEGER NOT NULL,
            bytes INTEGER NOT NULL
          );
          INSERT INTO totals (id, files, bytes) VALUES (1, 0, 0);
          CREATE TRIGGER file_comes AFTER INSERT ON files BEGIN
            UPDATE totals SET files = files + 1, bytes = bytes + NEW.size;
          END;
          CREATE TRIGGER file_goes AFTER DELETE ON files BEGIN
            UPDATE totals SET files = files - 1, bytes = bytes - OLD.size;
          END;
          """)
    ])
}
