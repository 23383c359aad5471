// An office of its own, beside the demo: with two approvers, without a worker, and with a process that may be stopped.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, type Page } from '@playwright/test';
import { signInAt } from './people';

const program = process.env.DLO_BIN || resolve(__dirname, '../../target/debug/dlo');
const PASSWORD = 'paper and ink 4711';
const CONFIG = `
[approvals]
dispatch = 2
[worker]
enabled = false
[providers.genace]
profile = "genace"
base_url = "http://127.0.0.1:9"
account = "main"
allow_hosts = ["127.0.0.1"]
`;

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

export class Office {
  /** The link that makes the first person, while there is nobody. */
  setUp = '';
  private child?: ChildProcess;
  private token = '';

  private constructor(readonly folder: string, readonly port: number) {}

  /** With more sections of the configuration, and the files that they name. */
  static async open(more = '', files: Record<string, string> = {}): Promise<Office> {
    const folder = mkdtempSync(join(tmpdir(), 'dlo-office-'));
    writeFileSync(join(folder, 'dlo.toml'), CONFIG + more);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const office = new Office(folder, await freePort());
    await office.start();
    return office;
  }

  get base() { return `http://127.0.0.1:${this.port}`; }
  get database() { return join(this.folder, 'office.db'); }

  private run(args: string[], input?: string): string {
    const own = ['--config', join(this.folder, 'dlo.toml'), '--database-url', `sqlite:${this.database}`];
    return execFileSync(program, [...args, ...own], {
      cwd: this.folder, encoding: 'utf8', input, timeout: 60_000, stdio: ['pipe', 'pipe', 'inherit'],
    }).trim();
  }

  async start() {
    const args = ['serve', '--bind', `127.0.0.1:${this.port}`, '--config', join(this.folder, 'dlo.toml'),
      '--database-url', `sqlite:${this.database}`];
    this.child = spawn(program, args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const lines = createInterface({ input: this.child.stdout! });
    lines.on('line', (line) => { this.setUp = line.match(/\/setup\?link=\S+/)?.[0] ?? this.setUp; });
    await expect(async () => {
      expect((await fetch(`${this.base}/healthz`)).ok).toBe(true);
    }).toPass({ timeout: 60_000 });
  }

  /** The process ends without a word, as when its machine fails. */
  async fail() {
    const ended = new Promise((done) => this.child!.once('exit', done));
    this.child!.kill('SIGKILL');
    await ended;
  }

  /** The process stands still: connections stay open, and nothing comes. */
  halt() { this.child!.kill('SIGSTOP'); }
  goOn() { this.child!.kill('SIGCONT'); }

  async close() {
    this.goOn();
    await this.fail();
    rmSync(this.folder, { recursive: true, force: true });
  }

  person(name: string, role: string) {
    this.run(['operators', 'add', name, '--role', role], `${PASSWORD}\n`);
  }

  signIn(page: Page, name: string, next = '/dead-letters') {
    return signInAt(this.base, page, name, PASSWORD, next);
  }

  /** Reports as an application does. */
  async put(path: string, body: object) {
    this.token ||= this.run(['tokens', 'create', '--name', 'journeys', '--role', 'reporter']);
    const answer = await fetch(`${this.base}/api/v1/${path}`, {
      method: 'PUT', body: JSON.stringify(body),
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', 'if-none-match': '*' },
    });
    expect(answer.ok, await answer.text()).toBe(true);
  }

  /** Reports a change of what stands at this revision. */
  async patch(path: string, body: object, revision: number) {
    const answer = await fetch(`${this.base}/api/v1/${path}`, {
      method: 'PATCH', body: JSON.stringify(body),
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', 'if-match': `"${revision}"` },
    });
    expect(answer.ok, await answer.text()).toBe(true);
  }

  /** An operation that nothing keeps from being sent but a second person's yes. */
  async readyToSend(id: string) {
    const as_of = new Date().toISOString();
    await this.put('owners/studio', { authorized: true, remaining_credits: '100', as_of });
    await this.put('specifications/spec_1', {
      current_revision: 1, model: 'lumen-1', model_available: true, active: true, estimated_credits: '12',
      body: { prompt: 'a lighthouse in winter fog' },
    });
    await this.put(`operations/${encodeURIComponent(id)}`, {
      provider: 'genace', account: 'main', owner: 'studio', specification: { id: 'spec_1', revision: 1 }, model: 'lumen-1',
      phase: 'prepared', dispatch: 'confirmed_not_sent',
    });
  }

  /** This person confirms the creation; answers the recovery's path. */
  async confirm(page: Page, id: string): Promise<string> {
    await page.goto(`${this.base}/operations/${encodeURIComponent(id)}/review`);
    await page.getByLabel(/Reason/).fill('nothing was ever sent');
    await page.getByLabel(/to confirm/).fill(id);
    await page.locator('form[data-action="dispatch"] button[type="submit"]').click();
    await expect(page).toHaveURL(/\/recoveries\//);
    return new URL(page.url()).pathname;
  }
}
