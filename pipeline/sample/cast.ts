/** Names with the day after genesis on which they are registered, and the version they begin with. */
export const APPS = [
  { name: 'audit-room', day: 0, version: '1.0.0' },
  { name: 'treasury-console', day: 0, version: '1.2.0' },
  { name: 'integrity-monitor', day: 0, version: '2.1.0' },
  { name: 'reading-room', day: 0, version: '1.0.0' },
  { name: 'consultation-hall', day: 1, version: '0.9.0' },
  { name: 'grant-desk', day: 2, version: '1.0.0' },
  { name: 'bond-registry', day: 5, version: '1.0.0' },
  { name: 'scenario-lab', day: 12, version: '0.4.0' },
  { name: 'treaty-desk', day: 19, version: '0.8.0' },
] as const;
export const PACKAGES = [
  { name: 'ledger-client', day: 0, version: '3.2.0' },
  { name: 'attestation-kit', day: 0, version: '1.1.0' },
  { name: 'scoring-core', day: 0, version: '1.0.0' },
  { name: 'merkle-proofs', day: 0, version: '2.0.1' },
  { name: 'policy-models', day: 3, version: '0.7.0' },
] as const;
