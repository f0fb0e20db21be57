import type { PlantedFault } from './planted-fault.ts';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'ninety days are refused',
    breaks: 'An attestation lasts at most 90 days, these included',
    file: 'pipeline/attestation/checks/validity.ts',
    change: [
      'addSeconds(attested, MAX_VALIDITY_SECONDS)) > 0',
      'addSeconds(attested, MAX_VALIDITY_SECONDS)) >= 0',
    ],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'a clock may be 301 seconds ahead',
    breaks: 'attested_at is at most 300 s ahead of now',
    file: 'pipeline/attestation/checks/validity.ts',
    change: ['export const MAX_AHEAD_SECONDS = 300;', 'export const MAX_AHEAD_SECONDS = 301;'],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'a key counts after its end',
    breaks: 'A key has to be valid at attested_at',
    file: 'pipeline/attestation/checks/signature.ts',
    change: [
      'if (!ofAlgorithm.some((key) => isValidAt(key, parseInstant(attested_at))))',
      'if (ofAlgorithm.length === 0)',
    ],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'the ledger may have another scope',
    breaks: 'The ledger has the attestation with the same content',
    file: 'pipeline/attestation/checks/registry.ts',
    change: [
      'JSON.stringify(given.scope) === JSON.stringify(entry.scope)',
      'given.scope.length >= entry.scope.length',
    ],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'the ledger may have a later end',
    breaks: 'The ledger has the attestation with the same content',
    file: 'pipeline/attestation/checks/registry.ts',
    change: ['parseInstant(entry.expires_at)) === 0', 'parseInstant(entry.expires_at)) <= 0'],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'any justification passes',
    breaks: 'epicon_ej_hash is the hash of the justification',
    file: 'pipeline/attestation/checks/schema.ts',
    change: ['if (found === attestation.epicon_ej_hash.toLowerCase())', "if (found !== '')"],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'any wallet may sign',
    breaks: 'The wallet that signed is that of the entity',
    file: 'pipeline/attestation/checks/wallet.ts',
    change: ['if (address === known.toLowerCase())', 'if (address !== known)'],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'an early revocation is forgotten',
    breaks: 'An attestation that was revoked before it was registered is revoked',
    file: 'pipeline/attestation/checks/validity.ts',
    change: [
      "if (ended_at !== null) return { status: 'revoked'",
      "if (ended_at === undefined) return { status: 'revoked'",
    ],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'no drift check is ever late',
    breaks: 'A drift check that is overdue is a warning',
    file: 'pipeline/attestation/checks/validity.ts',
    change: [
      'if (given.registry && entry && isCheckOverdue(',
      'if (given.registry && entry && entry.late_checks < 0 && isCheckOverdue(',
    ],
    tests: ['test/contract/attestation.test.ts'],
  },
  {
    name: 'a slow clock brings an attestation back',
    breaks: 'The time of a verdict is that of the ledger if the clock is behind it',
    file: 'pipeline/attestation/check.ts',
    change: ['timeAtLeast(trust.now, trust.registry)', 'Math.min(trust.now, Date.now())'],
    tests: ['test/contract/attestation.test.ts'],
  },
];
