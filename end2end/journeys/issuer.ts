// A small issuer of OpenID Connect: it shows a page of its own, checks PKCE and the client's secret, and really signs.
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT = 'dead-letter-office';
export const SECRET = 'a secret of the journeys';
export const LABEL = 'Example Accounts';

/** What the issuer says of whoever agrees; the default is all right. */
export type Ways = { claims?: Record<string, unknown>; nonce?: string };

type Code = { challenge: string; nonce: string; back: string };

const packed = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function form(request: IncomingMessage): Promise<URLSearchParams> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return new URLSearchParams(Buffer.concat(pieces).toString());
}

export class Issuer {
  ways: Ways = {};
  /** How many codes were exchanged for tokens. */
  exchanged = 0;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly codes = new Map<string, Code>();
  private readonly server: Server;
  url = '';

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error) => { response.writeHead(500).end(String(error)); });
    });
  }

  static async start(): Promise<Issuer> {
    const issuer = new Issuer();
    await new Promise<void>((done) => issuer.server.listen(0, '127.0.0.1', done));
    issuer.url = `http://127.0.0.1:${(issuer.server.address() as AddressInfo).port}`;
    return issuer;
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** The sections of an office's configuration that name this issuer. The secret stands in a file. */
  get sections() {
    return `
[sign_in.roles]
staff = "viewer"
leads = "approver"
[sign_in.oidc]
issuer = "${this.url}"
client_id = "${CLIENT}"
client_secret_file = "issuer-secret"
label = "${LABEL}"
`;
  }
  get files() { return { 'issuer-secret': SECRET }; }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    const asked = new URL(request.url!, this.url);
    const json = (value: object, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    switch (asked.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      case '/keys':
        return json({ keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] });
      case '/authorize':
        return this.ask(asked.searchParams, response);
      case '/agree':
      case '/deny':
        return this.sendBack(asked, response);
      case '/token':
        return this.exchange(request, json);
      case '/favicon.ico':
        return response.writeHead(204).end();
      default:
        response.writeHead(404).end();
    }
  }

  /** The page on which a person agrees, or does not. */
  private ask(asked: URLSearchParams, response: ServerResponse) {
    const right = asked.get('client_id') === CLIENT && asked.get('response_type') === 'code'
      && asked.get('code_challenge_method') === 'S256' && asked.get('scope')!.split(' ').includes('openid')
      && asked.get('state')!.length >= 20 && asked.get('nonce')!.length >= 20;
    const query = asked.toString().replaceAll('&', '&amp;');
    const page = right
      ? `<!doctype html><html lang="en"><title>${LABEL}</title><h1>${LABEL}</h1>
         <p><a href="/agree?${query}">Continue</a> <a href="/deny?${query}">Cancel</a>`
      : '<!doctype html><title>no</title><h1>This was not asked rightly</h1>';
    response.writeHead(right ? 200 : 400, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  }

  private sendBack(asked: URL, response: ServerResponse) {
    const said = asked.searchParams;
    const back = new URL(said.get('redirect_uri')!);
    if (asked.pathname === '/deny') {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = randomBytes(16).toString('hex');
      this.codes.set(code, {
        challenge: said.get('code_challenge')!, nonce: said.get('nonce')!, back: said.get('redirect_uri')!,
      });
      back.searchParams.set('code', code);
    }
    back.searchParams.set('state', said.get('state')!);
    response.writeHead(303, { location: back.toString() }).end();
  }

  /** A code is worth one token, to whoever knows the secret, the way back and the verifier of its challenge. */
  private async exchange(request: IncomingMessage, json: (value: object, status?: number) => void) {
    const asked = await form(request);
    const code = this.codes.get(asked.get('code') ?? '');
    this.codes.delete(asked.get('code') ?? '');
    const secret = `Basic ${Buffer.from(`${CLIENT}:${new URLSearchParams({ s: SECRET }).toString().slice(2)}`).toString('base64')}`;
    const challenge = createHash('sha256').update(asked.get('code_verifier') ?? '').digest('base64url');
    if (request.headers.authorization !== secret) return json({ error: 'invalid_client' }, 401);
    if (!code || code.challenge !== challenge || code.back !== asked.get('redirect_uri')) {
      return json({ error: 'invalid_grant' }, 400);
    }
    this.exchanged += 1;
    json({ access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token: this.token(code.nonce) });
  }

  private token(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.url, aud: CLIENT, sub: 'subject-1', iat: now, exp: now + 300, nonce: this.ways.nonce ?? nonce,
      preferred_username: 'ada', groups: ['leads'], ...this.ways.claims,
    };
    const text = `${packed({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${packed(claims)}`;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(this.keys.privateKey).toString('base64url')}`;
  }
}
