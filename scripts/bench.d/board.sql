-- A board of %size tasks as somebody would keep it in SQLite.
CREATE TABLE task (id INTEGER PRIMARY KEY, subject TEXT, description TEXT, status TEXT DEFAULT 'pending', owner TEXT,
                   priority INTEGER DEFAULT 0);
CREATE TABLE blocker (task INTEGER, blocker INTEGER, PRIMARY KEY (task, blocker)) WITHOUT ROWID;
CREATE INDEX ready ON task (status, priority DESC, id);
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < %size)
INSERT INTO task (id, subject, description) SELECT n, 'task number ' || n, 'what is to be done for number ' || n FROM number;
INSERT INTO blocker SELECT id, id - 1 FROM task WHERE id % 10 = 0;
CREATE TABLE message (id INTEGER PRIMARY KEY, recipient TEXT, sender TEXT, content TEXT);
CREATE INDEX inbox ON message (recipient, id);
