import { createHash } from 'node:crypto';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import type { NewKey } from '../../../src/sidecar/keys/key-store.ts';

const NOW = Date.UTC(2026, 2, 2, 9);

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A key in force, with what a test wants otherwise. */
export function newKey(id: string, changes: Partial<NewKey> = {}): NewKey {
  return {
    id,
    holder: `h_${id}`,
    email: 'ada@example.edu',
    hash: sha256(id),
    prefix: 'cds_economy_Ab3d',
    tier: 'economist',
    areas: ['economy'],
    name: 'Economy Desk',
    affiliation: 'Institute of Measures',
    purpose: 'A paper on minting',
    volume: '500 requests a day',
    basis: 'staff page',
    issued_at: NOW,
    expires_at: NOW + 100 * DAY_MS,
    delivered_at: NOW,
    replaces: null,
    ...changes,
  };
}
