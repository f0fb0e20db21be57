import type { CompanionKey } from '../../attestation/companions.ts';
import {
  type PublishedAttestation,
  PublishedRegistry,
  REGISTRY_PATH,
} from '../../attestation/published-registry.ts';
import type { Registered } from '../../attestation/registry.ts';
import { describeStatus } from '../../attestation/status.ts';
import { timeOf } from '../../model/window.ts';
import type { DocumentArtifact, View } from '../artifact.ts';
import { formatJson } from '../format/json.ts';

export const companions = {
  kind: 'document',
  path: REGISTRY_PATH,
  area: 'philosophy',
  title: 'Companion attestations',
  description:
    'The companions that may attest, with their public keys, and each attestation that the ledger has: what it permits, until when, how far its companion has drifted, and how it ended.',
  mediaType: 'application/json',
  restricted: false,
  refresh: 'real-time',
  schema: PublishedRegistry,
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
      .map(([id, registered]) => rowOf(id, registered, asOf))
      .reverse(),
    unattested: [...Object.entries(state.remembered), ...Object.entries(state.unattested)].map(
      ([attestation, said]) => ({ attestation, ...said }),
    ),
  };
}

function rowOf(id: string, registered: Registered, asOf: string): PublishedAttestation {
  const described = describeStatus({ ...registered, id }, timeOf(asOf));
  const { risk_level, scope } = described;
  return {
    ...described,
    scope: [...scope],
    risk_level: risk_level as PublishedAttestation['risk_level'],
  };
}
