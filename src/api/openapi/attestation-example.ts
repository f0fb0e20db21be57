import { attestationId } from '../../../pipeline/attestation/canonical-bytes.ts';
import { demoCompanions } from '../../../pipeline/attestation/demo-companions.ts';
import { type Registered, registryOf } from '../../../pipeline/attestation/registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import { verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';

/** The demo companion LANTERN signed this document, so its bytes must not change. */
const DOCUMENT = {
  version: '1.0.0',
  ledger_id: '8141f636-c02c-8516-83e7-7a388be81944',
  wallet_signature:
    '0x9ef3ad73ce27ec1d261e75965b17db3d508c941f187829c634deaab6eb8780c762e6db1c0445015eeb947575a4cf5196b0355d288224d9326e024f15578e914f1c',
  epicon_ej_hash: 'sha256:c6ae5f07bf9f54bd66318522d838c4f987814ce80c4b8e7c5ef88ac02b7bf9ed',
  epicon_ej: {
    values: ['transparency'],
    reasoning:
      'The report quotes events by their hashes, and whoever writes it has to see the events themselves.',
    anchors: [
      { type: 'policy', source: 'Charter, on reporting', confidence: 0.9 },
      { type: 'practice', source: 'Reports of the two quarters before', confidence: 0.8 },
    ],
    boundaries: {
      applies_when: ['a report is being written'],
      fails_when: ['the report is delivered', 'the export is wanted for anything else'],
    },
    counterfactual: {
      if_changed: 'the report were made from public files',
      // biome-ignore lint/suspicious/noThenProperty: the document's schema names this member
      then: 'no export would be needed',
    },
  },
  scope: ['ledger.read.export'],
  expires_at: '2025-12-31T05:58:12Z',
  risk_level: 'low',
  risk_justification: 'Reading alone: nothing changes, and every access is on record.',
  attested_by: 'LANTERN',
  attested_at: '2025-12-01T04:58:12Z',
  signature_algorithm: 'ed25519',
  drift_monitoring: { enabled: true, threshold: 0.1, check_interval: 'P1D' },
  metadata: { request_context: 'quarterly report to the council' },
  signature: 'hHaot+ig7tRZy0/Agc336A/9KXV3gmQnalLTtJqejci7MZy1BD8vaEDC6lw9+SDx1BDRskOfB8A6SIj+3Lz+BQ==',
};

/** The ledger's registration of the document, about an hour after LANTERN signed it. */
const REGISTERED: Registered = {
  companion: DOCUMENT.attested_by,
  ledger_id: DOCUMENT.ledger_id,
  scope: DOCUMENT.scope,
  risk_level: DOCUMENT.risk_level,
  attested_at: DOCUMENT.attested_at,
  expires_at: DOCUMENT.expires_at,
  drift_threshold: DOCUMENT.drift_monitoring.threshold,
  check_interval: DOCUMENT.drift_monitoring.check_interval,
  drift: null,
  checked_at: null,
  late_checks: 0,
  status: 'active',
  ended_at: null,
  reason: null,
  superseded_by: null,
  renews: null,
};
const AS_OF = '2025-12-01T05:58:12Z';

/** A valid attestation, with the verdict and the status that the service answers for it. */
export function attestationExample() {
  const id = attestationId(DOCUMENT);
  const registry = registryOf({ [id]: REGISTERED });
  const now = Date.parse(AS_OF);
  const verdict = verifyAttestation(JSON.stringify(DOCUMENT), {
    companions: demoCompanions(),
    registry,
    now,
  });
  return {
    document: DOCUMENT,
    id,
    verdict: { ...verdict, as_of: AS_OF },
    status: { ...lookUpStatus(id, registry, now), as_of: AS_OF },
  };
}
