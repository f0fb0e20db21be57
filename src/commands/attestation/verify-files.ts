import type { Trust } from '../../../pipeline/attestation/check.ts';
import { type Verdict, verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { readInput } from './read-input.ts';

export type FileVerdict = { file: string } & Verdict;

/** A file of which nothing can be said, and why. */
export interface Unread {
  file: string;
  valid: false;
  error: string;
}

/** The verdicts on documents, each as soon as it is there: a file that cannot be read keeps nobody from those of the others. */
export async function* verifyFiles(
  files: readonly string[],
  trust: Trust,
): AsyncGenerator<FileVerdict | Unread> {
  for (const file of files) {
    try {
      yield { file, ...verifyAttestation(await readInput(file), trust) };
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      yield { file, valid: false, error: error.message };
    }
  }
}
