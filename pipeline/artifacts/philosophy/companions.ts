import type { CompanionKey } from '../../attestation/companions.ts';
import { PublishedRegistry, REGISTRY_PATH } from '../../attestation/published-registry.ts';
import { describeStatus } from '../../attestation/registry.ts';
import { timeOf } from '../../model/window.ts';
import type { DocumentArtifact, View } from '../artifact.ts';
import { formatJson } from '../format/json.ts';

export const companions = {
  kind: 'document',
  path: REGISTRY_PATH,
  area: 'philosophy',
  title: 'Companion attestations',
  description:
    'The companions that may attest, with their public keys, and every attestation in the ledger: what it permits, until when, how far its companion has drifted, and how it ended.',
  limits: [
    'It lists attestations of the ledger. Whether a companion keeps to what it attested is shown by what it does, not by this file.',
    'A status is relative to timestamp: an attestation that is valid in an old copy may have ended since.',
  ],
  mediaType: 'application/json',
  restricted: false,
  refresh: 'real-time',
  schema: PublishedRegistry,
  tables: [
    {
      name: 'companion_attestations',
      from: 'attestations[]',
      key: ['id'],
    },
    {
      name: 'companion_keys',
      from: 'companions[].keys[]',
      title: 'Public keys of companions',
      parent: { column: 'companion', member: 'companion' },
      key: ['companion', 'public_key'],
    },
    {
      name: 'companion_wallets',
      from: 'wallets[]',
      title: 'Wallets behind ledger ids',
      key: ['ledger_id'],
    },
  ],
  schemaHistory: [
    { version: '1.0.0', date: '2026-11-22', digest: '130028550086f011', change: 'First published.' },
  ],
  render: (view) => formatJson(PublishedRegistry, registryFile(view), REGISTRY_PATH),
} satisfies DocumentArtifact;

function registryFile({ state, companions: { companions, wallets } }: View): PublishedRegistry {
  const { asOf } = state;
  const published = (key: CompanionKey) => ({ ...key, valid_until: key.valid_until ?? null });
  return {
    timestamp: asOf,
    companions: companions.map((one) => ({ companion: one.companion, keys: one.keys.map(published) })),
    wallets,
    attestations: Object.entries(state.companions)
      .map(([id, registered]) => describeStatus({ ...registered, id }, timeOf(asOf)))
      .reverse(),
    unattested: [...Object.entries(state.remembered), ...Object.entries(state.unattested)].map(
      ([attestation, said]) => ({ attestation, ...said }),
    ),
  };
}
