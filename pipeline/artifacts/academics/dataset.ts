import * as z from 'zod/mini';
import { scoredSentinels } from '../../model/queries/coordination.ts';
import { described, listOf } from '../../words/described.ts';
import { cathedral, cycle, dateTime, giScore, sentinelId, share, text } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

const Registered = z.strictObject({
  name: text('Name in the ledger'),
  version: text('Version last registered'),
  status: text('Status last registered'),
  registered_at: dateTime('Time at which this version was registered'),
});

type Registry = Record<string, { version: string; status: string; registered_at: string }>;

function byName(registry: Registry) {
  return Object.keys(registry)
    .sort()
    .map((name) => ({ name, ...registry[name]! }));
}

export const dataset = jsonDocument({
  path: 'academics/dataset.json',
  title: 'System dataset',
  description:
    'The system at a glance: cycle, integrity baseline, sentinels with their scores, apps and packages.',
  limits: [
    'It has no timestamp of its own; the manifest has the time of its data.',
    'mii_baseline is the index when the current cycle opened, not the latest reading.',
  ],
  followsFrom: [
    'sentinel_registered',
    'sentinel_retired',
    'attestation',
    'mii_reading',
    'app_registered',
    'package_registered',
  ],
  schema: z.strictObject({
    cycle,
    mii_baseline: z.nullable(
      share('Integrity index when the current cycle opened; null if there was no earlier reading'),
    ),
    sentinels: listOf('Active sentinels that have attested, in the order of registration', {
      id: sentinelId,
      score: giScore,
      cathedral,
    }),
    apps: described(z.array(Registered), 'Applications registered in the ledger, by name'),
    packages: described(z.array(Registered), 'Packages registered in the ledger, by name'),
  }),
  tables: [
    {
      name: 'dataset_sentinels',
      from: 'sentinels[]',
      key: ['id'],
      references: { id: 'sentinel_status' },
      title: 'System dataset: sentinels',
    },
    { name: 'apps', from: 'apps[]', key: ['name'], title: 'Applications' },
    {
      name: 'packages',
      from: 'packages[]',
      key: ['name'],
      title: 'Packages',
    },
  ],
  value({ state }) {
    const sentinels = scoredSentinels(state).map(({ id, gi_score, cathedral }) => ({
      id,
      score: gi_score,
      cathedral,
    }));
    const { cycle, mii_baseline, apps, packages } = state;
    return { cycle, mii_baseline, sentinels, apps: byName(apps), packages: byName(packages) };
  },
});
