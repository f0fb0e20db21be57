import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { PROTOCOL_LIMITS } from '../../simulation/protocol/limits.ts';
import { refuse } from '../../simulation/protocol/refusal.ts';
import { MAX_ACTIONS, type Recorded, type Run } from '../../simulation/run.ts';
import { VERSIONS } from '../../simulation/versions.ts';

export interface ResumeTokensOptions {
  /** The secret that all servers of the service share. */
  readSecret: () => Promise<Uint8Array>;
  /** ms since 1970 */
  now: () => number;
  report: (error: unknown) => void;
}

/** A run that was counted when it started. */
export interface Resumable {
  /** ms since 1970 */
  until: number;
  run: Recorded;
}

/** A start counts for a day, and so do its tokens, ms. */
const VALID_MS = 24 * 60 * 60 * 1000;
/** The next attempt to read the secret, ms. */
const RETRY_MS = 5000;

const Payload = z.tuple([
  z.string(),
  z.object({
    scenario: z.string(),
    seed: z.number(),
    settings: z.record(z.string(), z.number()),
    actions: z
      .array(
        z.object({
          tick: z.number(),
          name: z.string(),
          parameters: z.record(z.string(), z.union([z.number(), z.string()])),
        }),
      )
      .max(MAX_ACTIONS),
    tick: z.number(),
  }),
  z.number(),
]);

/**
 * Tokens that let a client continue its run on another connection. A token has everything that the run follows from, and the
 * HMAC-SHA-256 of it; nothing is stored. `PAYLOAD.MAC`, both in base64url.
 */
export class ResumeTokens {
  readonly #options: ResumeTokensOptions;
  #secret: Uint8Array | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  /** Reads the secret, again and again until it is there. Until then, no run can be resumed. */
  constructor(options: ResumeTokensOptions) {
    this.#options = options;
    void this.#read();
  }

  /** Until when a run can be resumed that starts now, ms since 1970. */
  expiryOfStart(): number {
    return this.#options.now() + VALID_MS;
  }

  /** Null while there is no secret, and for a run that is too long for a token. */
  issue({ scenario, seed, settings, actions, world }: Run, until: number): string | null {
    if (!this.#secret) return null;
    const run = { scenario: scenario.name, seed, settings, actions, tick: world.tick };
    const body = Buffer.from(JSON.stringify([VERSIONS[run.scenario], run, until])).toString('base64url');
    const token = `${body}.${this.#macOf(body, this.#secret).toString('base64url')}`;
    return token.length <= PROTOCOL_LIMITS.tokenCharacters ? token : null;
  }

  /** Throws a SimulationRefusal: invalid_token, token_expired, resume_unavailable. */
  open(token: string): Resumable {
    if (!this.#secret)
      throw refuse('resume_unavailable', 'The service cannot check tokens yet. Try again in some seconds.');
    const [, body = '', mac = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
    if (!timingSafeEqual(this.#macOf(body, this.#secret), macBytes(mac)))
      throw refuse('invalid_token', 'This service did not issue the token.');
    // The service wrote what follows, though perhaps another version of it.
    const [version, run, until] = parsePayload(Buffer.from(body, 'base64url').toString());
    if (version !== VERSIONS[run.scenario]) throw invalidVersion();
    if (this.#options.now() >= until)
      throw refuse('token_expired', `The token expired at ${new Date(until).toISOString()}.`);
    return { run, until };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#retry) clearTimeout(this.#retry);
  }

  #macOf(body: string, secret: Uint8Array): Buffer {
    return createHmac('sha256', secret).update(`resume ${body}`).digest();
  }

  async #read(): Promise<void> {
    const { readSecret, report } = this.#options;
    try {
      this.#secret = await readSecret();
    } catch (error) {
      if (this.#isClosed) return;
      report(error);
      this.#retry = setTimeout(() => void this.#read(), RETRY_MS).unref();
    }
  }
}

/** Always 32 bytes; zeros for a text that is no MAC. */
function macBytes(mac: string): Buffer {
  return Buffer.concat([Buffer.from(mac, 'base64url')], 32);
}

function parsePayload(text: string): z.infer<typeof Payload> {
  const parsed = Payload.safeParse(JSON.parse(text));
  if (!parsed.success) throw invalidVersion();
  return parsed.data;
}

function invalidVersion() {
  const detail =
    'The token is of another version of the scenario. Start a simulation with the seed and actions of the last update.';
  return refuse('invalid_token', detail);
}
