import { z } from 'zod';
import { formatAmount } from '../../model/amount.ts';
import { supply as supplyOf } from '../../model/queries/supply.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { asOf, mic } from '../fields.ts';
import { decimal, formatJson } from '../format/json.ts';

const path = 'economy/supply';

const schema = z.strictObject({
  timestamp: asOf,
  total_supply: mic('All MIC ever minted, the genesis allocation included', 'Σ mints'),
  circulating: mic('MIC that can be spent', 'total_supply − locked − burned'),
  locked: mic('MIC locked in contracts', 'Σ locks − Σ unlocks'),
  burned: mic('MIC burned by deflationary sinks', 'Σ burns'),
});

export const supply = {
  kind: 'document',
  path,
  area: 'economy',
  title: 'MIC supply',
  description: 'How many MIC exist, circulate, are locked and have been burned. The four amounts are exact.',
  limits: [
    'It holds one moment. For a series, use supply-by-day.csv.',
    'The genesis allocation is part of the supply but not a mint, so the mints of mic-history.csv add up to less.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'real-time',
  schema,
  tables: [{ name: 'supply', key: [] }],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: 'c87d07c492e2d3ce', change: 'First published.' },
  ],
  render({ state }) {
    const { total, circulating, locked, burned } = supplyOf(state);
    const value = {
      timestamp: state.asOf,
      total_supply: decimal(formatAmount(total)),
      circulating: decimal(formatAmount(circulating)),
      locked: decimal(formatAmount(locked)),
      burned: decimal(formatAmount(burned)),
    };
    return formatJson(schema, value, path);
  },
} satisfies DocumentArtifact;
