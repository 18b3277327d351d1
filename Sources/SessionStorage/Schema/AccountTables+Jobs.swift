extension AccountTables {
  // States: 0 waiting, 1 running, 2 done, 3 failed, 4 cancelled, 5 set aside, because this program cannot read it.
  static let jobs: SQL = """
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
    CREATE UNIQUE INDEX jobUnique ON job (kind, uniqueKey) WHERE uniqueKey IS NOT NULL AND state IN (0, 1);
    CREATE INDEX jobState ON job (state, id) WHERE state <> 2;
    CREATE INDEX jobFinished ON job (finishedAt) WHERE state IN (2, 4);
    CREATE INDEX jobThread ON job (threadID) WHERE threadID IS NOT NULL;
    CREATE INDEX jobInteraction ON job (interactionID) WHERE interactionID IS NOT NULL;
    CREATE TABLE jobDependency (
      id INTEGER PRIMARY KEY,
      jobID INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
      onJobID INTEGER REFERENCES job ON DELETE CASCADE,
      event TEXT,
      needsSuccess INTEGER NOT NULL DEFAULT 1,
      CHECK ((onJobID IS NULL) <> (event IS NULL)),
      UNIQUE (jobID, onJobID, event)
    );
    CREATE INDEX jobDependencyOn ON jobDependency (onJobID) WHERE onJobID IS NOT NULL;
    CREATE INDEX jobDependencyEvent ON jobDependency (event) WHERE event IS NOT NULL;
    CREATE TABLE jobEffect (
      jobID INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
      name TEXT NOT NULL,
      isDone INTEGER NOT NULL,
      result BLOB,
      PRIMARY KEY (jobID, name)
    ) WITHOUT ROWID;
    """
}
