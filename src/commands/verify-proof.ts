import { readFile } from 'node:fs/promises';
import { text } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { ledgerVerifiers } from '../../pipeline/ledger/ledger-keys.ts';
import { nodeHash } from '../../pipeline/ledger/merkle.ts';
import { verifyProof as verify } from '../../pipeline/verify/audit/verify-proof.ts';
import { defineCommand, formatJson, json } from './command.ts';
import { event } from './prove.ts';

export const verifyProof = defineCommand({
  summary: 'Verifies a proof from `prove`: that one event is in the log that a key signed. Needs no network.',
  details:
    'It verifies one event. To verify an audited export use `verify-export`; to verify a service or its files use `verify`.',
  examples: ['cathedral verify-proof event.tlog-proof --event 0x1f2e… --ledger-key ledger.vkey'],
  isReader: true,
  settings: ['ledgerKey'],
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
  async run({ proof: place, event, ledgerKey, json }, { print }) {
    const proof = await readFile(place, 'utf8').catch((cause) => {
      throw unreadable(place, cause);
    });
    const means = { verifiers: await ledgerVerifiers(ledgerKey, null), nodeHash };
    const { index, checkpoint, verifier } = await verify(proof, event, means, place);
    const { origin, size, root } = checkpoint;
    const key = `${verifier.name}+${verifier.id}`;
    if (json) print(formatJson({ valid: true, event: `0x${event}`, index, origin, size, root, key }));
    else {
      print(`The proof holds: event 0x${event} is number ${index} of the log ${origin},`);
      print(`in the tree of ${size} events with root hash ${root}, signed by ${key}.`);
    }
    return 0;
  },
});

export function unreadable(place: string, cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? cause.message;
  return new CathedralError('proof_refused', { place, expected: 'a readable file', found, cause });
}
