// Changes from outside the browser: what an application reports, and a message that dies.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from '@playwright/test';

const state = JSON.parse(readFileSync(resolve(__dirname, '../test-results/demo.json'), 'utf8'));

/** An operation id that nobody had before. */
export const fresh = () => `op_live_${randomUUID().slice(0, 8)}`;

/** Reports as an application does; answers the revision that resulted. */
export async function api(method: 'PUT' | 'PATCH', id: string, body: object, revision?: number): Promise<number> {
  const answer = await fetch(`${state.base}/api/v1/operations/${encodeURIComponent(id)}`, {
    method,
    headers: {
      authorization: `Bearer ${state.token}`,
      'content-type': 'application/json',
      ...(method === 'PUT' ? { 'if-none-match': '*' } : { 'if-match': `"${revision}"` }),
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text).revision;
}

const INSERT = `
import sqlite3, sys, datetime
path, id, created = sys.argv[1:]
now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='microseconds')
with sqlite3.connect(path, timeout=20) as base:
    base.execute("INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, "
        "last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, created_at) "
        "VALUES (?, 'render.poll', '{}', 'render', 100, 3, 3, 'TimeoutError: timed out', 'max_retries_exceeded', ?, ?, 0, ?)",
        (id, created or now, now, now))
`;

const ENQUEUE = `
import sqlite3, sys, datetime
path, id, queue = sys.argv[1:]
now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='microseconds')
with sqlite3.connect(path, timeout=20) as base:
    base.execute("INSERT INTO soniq_jobs (id, job_name, args, queue, created_at, updated_at) "
        "VALUES (?, 'journeys.wait', '{}', ?, ?, ?)", (id, queue, now, now))
`;

/** A job waits in a queue that nobody works on. */
export function enqueue(queue: string) {
  execFileSync('python3', ['-c', ENQUEUE, state.database, randomUUID(), queue], { timeout: 30_000 });
}

/** A message dies now, as a worker of the queue would write it; answers its id. A word for its time makes it unreadable. */
export async function bury(database: string = state.database, created = ''): Promise<string> {
  const id = randomUUID();
  execFileSync('python3', ['-c', INSERT, database, id, created], { timeout: 30_000 });
  return id;
}
