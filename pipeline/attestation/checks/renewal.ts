import { attestationUuid } from '../canonical-bytes.ts';
import { type Check, failed, notChecked, passed } from '../check.ts';
import { compareInstants, parseInstant } from '../instant.ts';
import { type ProblemCode, problem } from '../problem.ts';
import { isOlder } from '../registry.ts';

export const checkRenewal: Check = ({ attestation, id, registry }) => {
  const uuid = attestation.metadata?.previous_attestation;
  if (uuid === undefined) return passed('It renews no other attestation.');
  const refused = (code: ProblemCode) => failed(problem(code, ['metadata', 'previous_attestation']));
  if (uuid.toLowerCase() === attestationUuid(id)) return refused('previous_is_itself');
  if (registry === null) return notChecked('Without a ledger it is not known what it renews.');
  const renews = registry.byId(id)?.renews ?? null;
  // The ledger has looked at it when it took this one; it may have forgotten it since.
  if (renews !== null && attestationUuid(renews) === uuid.toLowerCase())
    return passed(`It renews ${renews}.`);
  const previous = registry.byUuid(uuid);
  if (previous === null && isOlder(attestation.attested_at, registry))
    return notChecked(
      `What it renews is not known: the registry has nothing that expired before ${registry.since}.`,
    );
  if (previous === null) return refused('previous_unknown');
  const isOfSame =
    previous.companion === attestation.attested_by &&
    previous.ledger_id.toLowerCase() === attestation.ledger_id.toLowerCase();
  if (!isOfSame) return refused('previous_of_another');
  if (previous.superseded_by !== null && previous.superseded_by !== id) return refused('previous_superseded');
  const attested = parseInstant(attestation.attested_at);
  // A revocation is final; what was renewed before it stands by itself.
  if (previous.status === 'revoked' && compareInstants(parseInstant(previous.ended_at!), attested) <= 0)
    return refused('previous_revoked');
  return passed(`It renews ${previous.id}.`);
};
