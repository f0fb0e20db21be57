import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KeyServices } from '../../../src/sidecar/keys/key-life.ts';
import { openKeyStore } from '../../../src/sidecar/keys/key-store.ts';
import type { Mail } from '../../../src/sidecar/keys/mailer.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

/** 2026-03-02T09:00:00Z */
export const NOW = Date.UTC(2026, 2, 2, 9);

export interface TinyKeyServices extends KeyServices {
  /** What was accepted, in order. */
  mails: Mail[];
  /** ms since 1970; tests move it. */
  clock: { now: number };
  /** Of the store. */
  path: string;
}

/** The real store in a folder of the test's own, a clock that the test moves, and a mail server that accepts everything. */
export async function tinyKeyServices(send?: (mail: Mail) => Promise<void>): Promise<TinyKeyServices> {
  const path = join(await temporaryFolder(), 'keys.sqlite');
  const store = await openKeyStore(path);
  onTestFinished(() => store.close().catch(() => undefined));
  const clock = { now: NOW };
  const mails: Mail[] = [];
  const mailer = {
    async send(mail: Mail) {
      await send?.(mail);
      mails.push(mail);
    },
  };
  const baseUrl = 'https://data.example.org';
  return { store, mailer, now: () => clock.now, randomBytes, baseUrl, mails, clock, path };
}

export const GOVERNMENT = {
  tier: 'government',
  email: 'desk@ministry.example',
  name: 'Audit Desk',
  affiliation: 'Ministry of Audit',
  purpose: 'Yearly audit',
  basis: 'call back, 2026-03-01',
} as const;

export const ECONOMIST = {
  tier: 'economist',
  email: 'ada@institute.example',
  name: 'Economy Desk',
  affiliation: 'Institute of Measures',
  purpose: 'A paper on minting',
  volume: '500 requests a day',
  basis: 'staff page, 2026-03-01',
  deliver: 'print',
} as const;

export const ACADEMIC = {
  tier: 'academic',
  email: 'eve@university.example',
  name: 'Eve Marl',
  affiliation: 'University of Soundings',
  purpose: 'A thesis',
  volume: '100 requests a day',
} as const;

/** The key in a mail. */
export function keyIn({ text }: Mail): string {
  return /^cds_\w+$/m.exec(text)![0];
}

/** The code in a mail. */
export function codeIn({ text }: Mail): string {
  return /^\w{4}-\w{4}-\w{4}$/m.exec(text)![0].replaceAll('-', '');
}
