import type { Config } from '../config/settings.ts';
import { hashChunks } from '../disk/hash-file.ts';
import { formatVerifierKey } from '../ledger/notes/note.ts';
import { printable } from '../words/printable.ts';
import { logOrigin, type Reading, trustedKeys, unreadable } from './reader.ts';
import { findFile } from './versions/find-file.ts';

type FileConfig = Pick<Config, 'out' | 'timeLimit' | 'readerKeys'> & {
  /** The name of the file, for messages. */
  what: string;
  /** Null: the release in `out`. */
  logUrl: string | null;
};

/** Whether the publisher of a service listed exactly these bytes. Throws proof_refused, and what reading a release throws. */
export async function verifyPublishedFile(
  config: FileConfig,
  chunks: AsyncIterable<Uint8Array>,
  reading: Reading,
) {
  const { what: file, readerKeys } = config;
  const { sha256 } = await hashChunks(chunks).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(file, cause);
  });
  const origin = await logOrigin(config, reading);
  const keys = readerKeys === null ? null : await trustedKeys(readerKeys);
  reading.progress.stage(`looking for ${printable(file)} in ${origin.placeOf('')}`);
  const { found, snapshots, signedBy, expires } = await findFile(origin, { sha256, keys });
  const key = formatVerifierKey(signedBy);
  const trust = keys === null ? ', which the release names itself: compare it, or give --verifier-key' : '';
  const signed = `signed by ${key}${trust}`;
  const isExpired = reading.now() > Date.parse(expires);
  const withheld = isExpired
    ? [`The current release expired at ${expires}: somebody may be withholding a newer one.`]
    : [];
  return {
    valid: found !== null,
    facts: {
      valid: found !== null,
      file,
      sha256,
      ...found,
      signed_by: key,
      is_trusted: keys !== null,
      expires,
    },
    lines: found
      ? [
          printable(`${file} is ${found.paths.join(' and ')}, byte for byte,`),
          `of the ${found.snapshot === null ? 'current release' : `snapshot ${found.snapshot}, release`} ${found.release}, as of ${found.as_of}, ${signed}`,
          ...withheld,
        ]
      : [
          printable(`${file}: no release lists these bytes, SHA-256 ${sha256}:`),
          `neither the current one nor a snapshot (${snapshots} read), ${signed}`,
          ...withheld,
          'A release lists its public files: no restricted ones, and nothing below /log/ or /snapshots/.',
          'If it should be a public history, `cathedral prove` compares its rows with the log; if it should be an audited export, its first line is not that of one.',
        ],
  };
}
