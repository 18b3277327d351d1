import SessionStorage

extension Schema {
  /// The database of a storage node.
  static let node = Schema(
    applicationID: 0x534E_4F44,
    migrations: [
      Migration(
        1, "messages and revocations",
        sql: """
          CREATE TABLE owners (
            id INTEGER PRIMARY KEY,
            account BLOB NOT NULL UNIQUE
          );
          -- Numbers are never given twice: clients go on from the last message they know.
          CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash TEXT NOT NULL UNIQUE,
            owner INTEGER NOT NULL REFERENCES owners (id),
            namespace INTEGER NOT NULL,
            timestamp INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            data BLOB NOT NULL
          );
          CREATE INDEX messages_of_owner ON messages (owner, namespace, id);
          CREATE INDEX messages_by_expiry ON messages (expiry);
          -- By account, whether it has messages or not.
          CREATE TABLE revocations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account BLOB NOT NULL,
            token BLOB NOT NULL,
            UNIQUE (account, token)
          );
          """),
      Migration(
        2, "requests queued for other nodes",
        sql: """
          CREATE TABLE debts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            peer BLOB NOT NULL,
            time INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            request BLOB NOT NULL
          );
          CREATE INDEX debts_to_peer ON debts (peer, id);
          CREATE INDEX debts_by_end ON debts (ends);
          CREATE TABLE transfers (
            peer BLOB PRIMARY KEY,
            next INTEGER NOT NULL
          );
          """),
      Migration(
        3, "recent deletions, and the accounts of queued requests",
        sql: """
          CREATE TABLE deletions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account BLOB NOT NULL,
            hash TEXT NOT NULL,
            time INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            UNIQUE (account, hash)
          );
          CREATE INDEX deletions_of_account ON deletions (account, id);
          CREATE INDEX deletions_by_end ON deletions (ends);
          -- All messages of a namespace, or of all where there is none, whose own time is not after `latest`.
          CREATE TABLE clearings (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account BLOB NOT NULL,
            namespace INTEGER,
            latest INTEGER NOT NULL,
            time INTEGER NOT NULL,
            ends INTEGER NOT NULL
          );
          CREATE INDEX clearings_of_account ON clearings (account, id);
          CREATE INDEX clearings_by_end ON clearings (ends);
          ALTER TABLE debts ADD COLUMN account BLOB NOT NULL DEFAULT x'';
          """),
      Migration(
        4, "deletions of missing messages, and the end of revocations",
        sql: """
          -- Either one message, or all of a namespace or of an account, as in `clearings`.
          CREATE TABLE absences (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account BLOB NOT NULL,
            hash TEXT,
            namespace INTEGER,
            latest INTEGER,
            time INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            UNIQUE (account, hash)
          );
          CREATE INDEX absences_of_account ON absences (account, id);
          CREATE INDEX absences_by_end ON absences (ends);
          ALTER TABLE revocations ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
          UPDATE revocations SET ends = (CAST(strftime('%s', 'now') AS INTEGER) + 30 * 86400) * 1000;
          CREATE INDEX revocations_by_end ON revocations (ends);
          """),
    ])
}
