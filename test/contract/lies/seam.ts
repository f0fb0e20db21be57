import { readFile } from 'node:fs/promises';
import { parseVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { parseWitnessPolicy } from '../../../pipeline/ledger/notes/witness-policy.ts';
import { PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import { readPasted } from '../../../pipeline/verify/rows/pasted.ts';
import { proveRow, type StepReport } from '../../../pipeline/verify/rows/prove-row.ts';
import type { Steps } from '../../../src/site/layout/steps.ts';
import type { Means } from '../../../src/site/verification/trust.ts';
import { verifyRelease } from '../../../src/site/verification/verify-release.ts';
import { runHere } from '../commands/seam.ts';

export interface Outcome {
  /** Of a command; 0: everything is proved. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A command in this process, at a time, that waits for nobody. */
export function run(name: string, args: readonly string[], now: number): Promise<Outcome> {
  return runHere(name, args, { now: () => now, wait: async () => {} });
}

export interface Reader {
  publisherKey: string;
  ledgerKey: string;
  /** Of witnesses, in a file. */
  policy: string;
  now: number;
}

/** What the page /verification/ of this host says about its release, and about a row. */
export async function readAsPage(url: string, row: string, reader: Reader): Promise<Outcome> {
  const { fetch } = globalThis;
  // A browser completes the addresses that a page requests.
  const here = (path: string, options: RequestInit) => fetch(url + path, options);
  Object.assign(globalThis, { fetch: here });
  try {
    return await asPage(row, reader);
  } finally {
    Object.assign(globalThis, { fetch });
  }
}

async function asPage(row: string, { publisherKey, ledgerKey, policy, now }: Reader): Promise<Outcome> {
  const witnesses = parseWitnessPolicy(await readFile(policy), policy);
  const origin = new PageOrigin();
  const ledgerKeys = [parseVerifierKey(ledgerKey)];
  const means: Means = {
    origin,
    publisherKeys: [parseVerifierKey(publisherKey)],
    ledgerKeys,
    policy: witnesses,
    now,
    wait: async () => {},
  };
  const lines: string[] = [];
  const say = (found: readonly { place: string | null; expected: string; found: string; code: string }[]) => {
    for (const { place, expected, found: what, code } of found)
      lines.push(`${place}: expected ${expected}, found ${what} (${code})`);
  };
  const steps = {
    clear: () => {},
    pass: () => {},
    say: () => {},
    skip: () => {},
    cannotCheck: () => lines.push('cannot be checked'),
    fail: (_: string, findings: Parameters<typeof say>[0]) => say(findings),
    uncheckable: 0,
  };
  await verifyRelease(steps as unknown as Steps, means).catch((error: Error) => {
    if (lines.length === 0) throw error;
  });
  if (lines.length > 0) return { status: 1, stdout: lines.join('\n'), stderr: '' };
  const report = ({ findings }: StepReport) => say(findings as never);
  const pasted = readPasted(row);
  const { verdict } = await proveRow(pasted, { origin, ledgerKeys, report });
  return {
    status: { proved: 0, does_not_hold: 1, cannot_be_checked: 3 }[verdict],
    stdout: lines.join('\n'),
    stderr: '',
  };
}
