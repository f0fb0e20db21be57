import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { realOf } from '../../disk/real-path.ts';
import { CathedralError } from '../../errors.ts';
import { currentId } from '../format/release.ts';
import {
  formatSigningRecord,
  NOTHING_SIGNED,
  parseSigningRecord,
  type SigningRecord,
  type SigningRecords,
} from './signing-record.ts';

/**
 * A folder beside the keys rather than in OUT, so it survives when OUT is lost or restored from an old back-up. Every link to the keys leads to the
 * same folder, since with two records the keys could sign two manifests of one version.
 */
export function signingFolder(keyFile: string): string {
  return `${realOf(keyFile)}.signed`;
}

function signingRecordPath(keyFile: string): string {
  return join(signingFolder(keyFile), 'record.json');
}

/** Folders of this machine, by their paths without links. */
export const FOLDERS = {
  nameOf: (out: string) => realpath(out),
  isAbandoned: async (out: string) => (await currentId(out).catch(() => 'damaged')) === null,
};

/** The record of one machine: a file beside the keys. `waitMs`: how long to wait for another run that is signing with them, ms. */
export function fileRecords(keyFile: string, { waitMs }: { waitMs: number }): SigningRecords {
  return {
    place: signingRecordPath(keyFile),
    isShared: false,
    read: () => readSigningRecord(keyFile),
    change(why, decide) {
      const lock = { waitMs, holder: `${why}, process ${process.pid}` };
      return withLock(signingFolder(keyFile), lock, async () => {
        const { record, result, afterwards } = await decide(await readSigningRecord(keyFile));
        if (record) await writeSigningRecord(keyFile, record);
        await afterwards?.();
        return result;
      });
    },
    ...FOLDERS,
  };
}

/** Throws config_invalid. */
async function readSigningRecord(keyFile: string): Promise<SigningRecord> {
  const place = signingRecordPath(keyFile);
  const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CathedralError('config_invalid', {
      place,
      expected: 'a file that can be read',
      found: `${error.code}`,
      cause: error,
    });
  });
  return text === null ? NOTHING_SIGNED : parseSigningRecord(text, place);
}

/** Throws publish_failed. */
async function writeSigningRecord(keyFile: string, record: SigningRecord): Promise<void> {
  await replaceFile(signingRecordPath(keyFile), formatSigningRecord(record));
}
