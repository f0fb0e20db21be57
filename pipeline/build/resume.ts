import { z } from 'zod';
import { CathedralError } from '../errors.ts';
import { LEDGER_START, type LedgerPosition } from '../ledger/leaf.ts';
import { emptyState, formatState, parseState, type State } from '../model/state.ts';

/** Where a run stopped and the next one resumes: a release's state.json. */
export interface Resume {
  position: LedgerPosition;
  state: State;
}

export const START: Resume = {
  position: LEDGER_START,
  get state() {
    return emptyState();
  },
};

const ResumeFile = z.strictObject({
  format: z.literal('cathedral-resume/1'),
  position: z.strictObject({
    snapshot: z.string().nullable(),
    size: z.int().min(0),
    range: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
    timestamp: z.string().nullable(),
  }),
  state: z.unknown(),
});

export function formatResume({ position, state }: Resume): string {
  const { snapshot, size, range, timestamp } = position;
  const head = JSON.stringify({
    format: 'cathedral-resume/1',
    position: { snapshot, size, range, timestamp },
  });
  return `${head.slice(0, -1)},"state":${formatState(state).trimEnd()}}\n`;
}

/** Throws release_invalid if the state is of a different version, which requires a rebuild. */
export function parseResume(json: unknown): Resume {
  try {
    const { position, state } = ResumeFile.parse(json);
    return { position, state: parseState(state) };
  } catch (cause) {
    throw new CathedralError('release_invalid', {
      place: 'state.json',
      expected: 'a state from which this version can resume (otherwise run: cathedral build --rebuild)',
      found: cause instanceof z.ZodError ? z.prettifyError(cause).split('\n', 1)[0]! : String(cause),
      cause,
    });
  }
}
