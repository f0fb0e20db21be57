import { hash } from 'node:crypto';
import type { Companions } from '../attestation/companions.ts';
import { publicKeyHex, type SigningKey } from '../attestation/sign-attestation.ts';
import { DEMO_ORIGIN } from './demo-key.ts';
import { DEMO_LEDGER_IDS, demoWalletAddress } from './demo-wallets.ts';
import { GENESIS_DATE } from './span.ts';

/** The sample's companions, and what each signs with. */
const ALGORITHM = { LANTERN: 'ed25519', TALLY: 'ed25519', COMPASS: 'ecdsa-secp256k1' } as const;

/** The keys of the sample's companions. They are public, these lines give them to everybody: what they sign proves nothing. */
export function demoCompanionKeys(): SigningKey[] {
  return Object.entries(ALGORITHM).map(([companion, algorithm]) => {
    const secretKey = hash('sha256', `${DEMO_ORIGIN}: a published key of ${companion}`, 'buffer');
    return { companion, algorithm, secretKey };
  });
}

/** The public halves, and the wallets of those who request. */
export function demoCompanions(): Companions {
  const companions = demoCompanionKeys().map(({ companion, algorithm, secretKey }) => {
    const key = {
      algorithm,
      public_key: publicKeyHex(algorithm, secretKey),
      valid_from: `${GENESIS_DATE}T00:00:00Z`,
    };
    return { companion, keys: [key] };
  });
  const wallets = DEMO_LEDGER_IDS.map((ledger_id) => ({ ledger_id, address: demoWalletAddress(ledger_id) }));
  return { companions, wallets };
}

/** In hex. */
export function demoPublicKeys(): ReadonlySet<string> {
  return new Set(demoCompanionKeys().map(({ algorithm, secretKey }) => publicKeyHex(algorithm, secretKey)));
}

/** data/keys/companions.json. */
export function formatDemoCompanions(): string {
  return `${JSON.stringify(demoCompanions(), null, 2)}\n`;
}
