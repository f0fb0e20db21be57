import { z } from 'zod';
import { minting } from '../../model/queries/supply.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, cycle, mintingActive, share } from '../fields.ts';
import { formatJson } from '../format/json.ts';

const path = 'economy/mii';

const schema = z.strictObject({
  timestamp: asOf,
  mii: share('Integrity index, the latest reading in the ledger; null before the first').nullable(),
  threshold: share(
    'Index below which minting pauses, as a share; null while the supply is 0',
    'threshold = (95 − 2·log10(total_supply ÷ 1e6)) ÷ 100, clamped to [0, 1]',
  ).nullable(),
  minting_active: mintingActive,
  cycle,
});

export const mii = {
  kind: 'document',
  path,
  area: 'economy',
  title: 'Integrity index',
  description: 'The Integrity Index (MII), its threshold, and whether minting is active.',
  limits: [
    'The index is a reading that the ledger records; how it was measured is not in the ledger.',
    'It holds the latest reading. For a series, use mii-by-day.csv.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [{ name: 'mii', key: [] }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: '38ce60de6e4dbb22', change: 'First published.' },
  ],
  render: ({ state }) =>
    formatJson(schema, { timestamp: state.asOf, ...minting(state), cycle: state.cycle }, path),
} satisfies DocumentArtifact;
