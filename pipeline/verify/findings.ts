import { CathedralError, type ErrorCode, errorOf, type Finding, findingOf } from '../errors.ts';
import { printable } from '../words/printable.ts';

/** A file differs from what is signed. */
export const mismatchError = errorOf('mirror_mismatch');

/** Collects what the checks find. */
export class Findings {
  /** Throws the first finding, for callers who give up then. */
  readonly #isStrict: boolean;
  readonly all: Finding[] = [];

  constructor({ isStrict = false } = {}) {
    this.#isStrict = isStrict;
  }

  /** The result of `work`; null if it throws, which is a finding. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await withClientCodes(work);
    } catch (error) {
      // An error that ends the whole run says nothing about the file that was being read.
      const isFinding = error instanceof CathedralError && error.code !== 'mirror_stopped';
      if (this.#isStrict || !isFinding) throw error;
      this.all.push(findingOf(error));
      return null;
    }
  }
}

/** The code of a malformed or unsigned document for those who read it elsewhere. Its author gets a code that says how to repair it. */
const CLIENT_CODES: Partial<Record<ErrorCode, ErrorCode>> = {
  release_invalid: 'mirror_invalid',
  ledger_corrupt: 'mirror_invalid',
  config_invalid: 'mirror_invalid',
  ledger_signature: 'mirror_untrusted',
  log_invalid: 'mirror_mismatch',
};

async function withClientCodes<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof CathedralError && CLIENT_CODES[error.code];
    if (!code) throw error;
    throw new CathedralError(code, { ...error, cause: error });
  }
}

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 2000;

export interface Retries {
  wait: (ms: number) => Promise<void>;
  log: (line: string) => void;
}

/**
 * Repeats `work` while what it reads is inconsistent: for a few seconds, a release that is being published looks like a forged
 * one. Throws mirror_mismatch if it is still inconsistent after 14 s.
 */
export async function retryWhileInconsistent<T>({ wait, log }: Retries, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withClientCodes(work);
    } catch (error) {
      const isInconsistent = error instanceof CathedralError && error.code === 'mirror_mismatch';
      if (!isInconsistent || attempt === ATTEMPTS) throw error;
      log(`${printable(error.message)}; trying again`);
      await wait(FIRST_DELAY_MS * 2 ** (attempt - 1));
    }
  }
}
