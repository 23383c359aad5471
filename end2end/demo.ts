// Starts the demo before the journeys, and stops it afterwards. Whoever signs in there waits until its history is complete:
// meanwhile those go on who need no history.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const STATE = resolve(__dirname, 'test-results/demo.json');
const PATIENCE = 120_000;
/** Somebody whom no journey gives other preferences. */
const INSPECTOR = { name: 'inspector', password: 'ink and paper 4711' };

interface State { base: string; passwords: Record<string, string> }

async function started(child: ChildProcess): Promise<State> {
  const passwords: Record<string, string> = {};
  let base = '';
  for await (const line of createInterface({ input: child.stdout! })) {
    const address = line.match(/https?:\/\/127\.0\.0\.1:\d+/);
    if (address) base ||= address[0];
    const person = line.match(/sign in as (\S+)\s+password (\S+)/);
    if (person) passwords[person[1]] = person[2];
    if (base && Object.keys(passwords).length === 3) return { base, passwords };
  }
  throw new Error('the demo ended before it said its address and sign-ins');
}

export default async function demo() {
  const program = process.env.DLO_BIN || resolve(__dirname, '../target/debug/dlo');
  // A folder of its own, so that the journeys find its database and can be the application too.
  const folder = mkdtempSync(join(tmpdir(), 'dlo-journeys-'));
  const child = spawn(program, ['demo', '--bind', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: folder },
  });
  const state = await started(child);
  child.stdout!.resume();
  const until = Date.now() + PATIENCE;
  for (;;) {
    const page = await fetch(`${state.base}/healthz`);
    if (page.ok) break;
    if (Date.now() > until) throw new Error('the demo does not answer');
  }
  mkdirSync(resolve(__dirname, 'test-results'), { recursive: true });
  const made = readdirSync(folder).find((name) => name.startsWith('dlo-demo-'))!;
  const database = join(folder, made, 'office.db');
  const run = (args: string[], input?: string) => execFileSync(program, [...args, '--database-url', `sqlite:${database}`], {
    encoding: 'utf8', timeout: 30_000, cwd: folder, input, stdio: ['pipe', 'pipe', 'inherit'],
  }).trim();
  const token = run(['tokens', 'create', '--name', 'journeys', '--role', 'reporter']);
  run(['operators', 'add', INSPECTOR.name, '--role', 'approver'], `${INSPECTOR.password}\n`);
  state.passwords[INSPECTOR.name] = INSPECTOR.password;
  writeFileSync(STATE, JSON.stringify({ ...state, database, token }));
  return async () => {
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The page itself says while its history still fills. */
export async function filled(state: State) {
  const until = Date.now() + PATIENCE;
  const body = new URLSearchParams({ name: 'viewer', password: state.passwords.viewer, next: '/dead-letters' });
  const signed = await fetch(`${state.base}/forms/sign-in`, {
    method: 'POST', body, redirect: 'manual',
    headers: { origin: state.base, 'sec-fetch-site': 'same-origin', accept: 'text/html' },
  });
  const cookie = signed.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (;;) {
    const page = await fetch(`${state.base}/dead-letters`, { headers: { cookie, accept: 'text/html' } });
    const text = await page.text();
    if (page.ok && !text.includes('still fills')) return;
    if (Date.now() > until) throw new Error('the demo’s history is not complete');
    await new Promise((done) => setTimeout(done, 500));
  }
}
