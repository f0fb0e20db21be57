import { expect, test } from 'vitest';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { readCheckpoint } from '../../pipeline/verify/log.ts';
import { assertExtendsKept } from '../../pipeline/verify/signed-log.ts';

test('a kept checkpoint that names another log may be of another service, and is said to be', async () => {
  const signer = signerFromSeed('other.example', new Uint8Array(32).fill(1));
  const head = { size: 3, root: '00'.repeat(32) };
  const note = signNote(formatCheckpoint({ origin: 'other.example', ...head }), signer);
  const log = { checkpoint: { origin: 'ledger.example', ...head }, reader: null as never };
  const refusal =
    'kept: expected a checkpoint of the log ledger.example, found one of the log other.example, so it is of another service, or this one has begun another log (mirror_forked)';
  const keys = [signer.verifier];
  await expect(assertExtendsKept(log, { note, place: 'kept' }, keys)).rejects.toThrow(refusal);
  await expect(readCheckpoint(note, { origin: 'ledger.example', keys }, 'kept')).rejects.toThrow(refusal);
});
