import { readFile } from 'node:fs/promises';
import { printable } from '../../pipeline/attestation/printable.ts';
import { text } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { nodeHash } from '../../pipeline/ledger/log/merkle.ts';
import {
  formatWitnessing,
  missingQuorum,
  readWitnesses,
} from '../../pipeline/ledger/notes/witness-quorum.ts';
import { verifyProof as verify } from '../../pipeline/verify/audit/verify-proof.ts';
import { defineCommand, formatJson, json } from './command.ts';
import { event } from './prove.ts';
import { auditorTrust, witnessesOf } from './reader.ts';

export const verifyProof = defineCommand({
  summary: 'Verifies a proof from `prove`: that one event is in the log that a key signed. Needs no network.',
  details:
    'It verifies one event. To verify an audited export use `verify-export`; to verify a service or its files use `verify`.',
  examples: [
    'cathedral verify-proof event.tlog-proof --event 0x1f2e… --ledger-key ledger.vkey',
    'cathedral verify-proof event.tlog-proof --event 0x1f2e… --policy policy.txt',
  ],
  isReader: true,
  settings: ['ledgerKey', 'policy'],
  positionals: ['proof'],
  flags: {
    proof: {
      flag: 'proof',
      default: null,
      unit: 'a file',
      description: 'The proof, as `prove` printed it.',
      required: true,
      path: true,
      schema: text,
    },
    event,
    json,
  },
  async run({ proof: place, event, json, ...config }, { now, print }) {
    const proof = await readFile(place, 'utf8').catch((cause) => {
      throw unreadable(place, cause);
    });
    const { policy, verifiers } = await auditorTrust(config);
    const { index, checkpoint, verifier, note } = await verify(proof, event, { verifiers, nodeHash }, place);
    const witnessing = policy && (await readWitnesses(note, policy, { place, now: now() }));
    const missing = witnessing && missingQuorum(witnessing, place);
    const { origin, size, root } = checkpoint;
    const key = `${verifier.name}+${verifier.id}`;
    if (json) {
      const witnesses = witnessing && witnessesOf(witnessing);
      const valid = missing === null;
      print(formatJson({ valid, event: `0x${event}`, index, origin, size, root, key, witnesses }));
    } else {
      print(`The proof holds: event 0x${event} is number ${index} of the log ${origin},`);
      print(`in the tree of ${size} events with root hash ${root}, signed by ${key}.`);
      if (missing) print(printable(missing.message));
      else if (witnessing) print(`${formatWitnessing(witnessing, now())}.`);
    }
    return missing ? 1 : 0;
  },
});

export function unreadable(place: string, cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? cause.message;
  return new CathedralError('proof_refused', { place, expected: 'a readable file', found, cause });
}
