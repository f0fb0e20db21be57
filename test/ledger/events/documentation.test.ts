import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { parseVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { useFolder } from '../../setups/use-folder.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/ledger.md'), 'utf8');
const [, program = ''] = /^```python\n([\s\S]*?)^```$/m.exec(page) ?? [];
const succeeds = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const FOLDER = useFolder();

const canRun = succeeds('python3', '-c', 'import cryptography') && succeeds('zstd', '--version');

describe.skipIf(!canRun)('the program in the ledger’s documentation', () => {
  test('writes a ledger that verifies with the key beside it', async () => {
    const path = join(FOLDER, 'ledger');
    const { status, stderr } = spawnSync('python3', ['-', path], { input: program, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const key = parseVerifierKey(readFileSync(`${path}.vkey`, 'utf8').trim());
    const [snapshot] = await openDirectory(path).snapshots(null);
    const types = [];
    for await (const batch of readSnapshot(snapshot!, LEDGER_START, [key]))
      types.push(...batch.map(({ event }) => event.type));
    expect(types).toEqual(['genesis', 'cycle_opened', 'sentinel_registered', 'mii_reading']);
  });
});
