import type { CompanionKey } from '../../attestation/companions.ts';
import { PublishedRegistry, REGISTRY_PATH } from '../../attestation/published-registry.ts';
import { describeStatus, REGISTRY_RETENTION_DAYS } from '../../attestation/registry.ts';
import { timeOf } from '../../model/window.ts';
import type { View } from '../artifact.ts';
import { jsonDocument } from '../json-document.ts';

export const companions = jsonDocument({
  path: REGISTRY_PATH,
  title: 'Companion attestations',
  description: `The companions that may attest, with their public keys, and the attestations in the ledger until ${REGISTRY_RETENTION_DAYS} days after they have expired: what each permits, until when, how far its companion has drifted, and how it ended.`,
  limits: [
    'It lists attestations of the ledger. Whether a companion keeps to what it attested is shown by what it does, not by this file.',
    'A status is relative to timestamp: an attestation that is valid in an old copy may have ended since.',
  ],
  followsFrom: ['companion_attested', 'companion_drift', 'companion_revoked'],
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
  value: (view) => registryFile(view),
});

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
