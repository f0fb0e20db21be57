import { z } from 'zod';
import { CathedralError } from '../errors.ts';
import { LEDGER_START, type LedgerPosition } from '../ledger/log/leaf.ts';
import { Position } from '../ledger/writing/sealed-position.ts';
import { emptyState } from '../model/empty-state.ts';
import { formatState, parseState, STATE_VERSION, type State } from '../model/state.ts';

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

const RESUME_VERSION = 1;

const ResumeFile = z.strictObject({
  format: z.literal(`cathedral-resume/${RESUME_VERSION}`),
  position: Position,
  state: z.unknown(),
});

export function formatResume({ position, state }: Resume): string {
  const head = JSON.stringify({ format: `cathedral-resume/${RESUME_VERSION}`, position });
  return `${head.slice(0, -1)},"state":${formatState(state).trimEnd()}}\n`;
}

/** Why the state of a release cannot be resumed from: an earlier version wrote it. A rebuild from genesis replaces it. */
export interface Outdated {
  outdated: string;
}

const VERSIONS = { resume: RESUME_VERSION, state: STATE_VERSION } as const;
const Format = z.string().regex(/^cathedral-(resume|state)\/(0|[1-9]\d{0,8})$/);
const Formats = z.object({ format: Format, state: z.object({ format: Format }) });

/**
 * Where a run resumes that continues from this state. Throws release_invalid for the state of a later version: what that version has
 * published must not be replaced by accident.
 */
export function readResume(json: unknown): Resume | Outdated {
  const { data } = Formats.safeParse(json);
  if (!data) throw unusable('the format of a state', 'none');
  for (const format of [data.format, data.state.format]) {
    const [, kind, version] = /^cathedral-(resume|state)\/(\d+)$/.exec(format)!;
    const known = VERSIONS[kind as keyof typeof VERSIONS];
    const own = `cathedral-${kind}/${known}`;
    if (Number(version) > known)
      throw unusable(`${own} or earlier, which this version writes`, `${format}, of a later version`);
    if (Number(version) < known)
      return { outdated: `its state has the format ${format}, and this version resumes from ${own}` };
  }
  try {
    const { position, state } = ResumeFile.parse(json);
    return { position, state: parseState(state) };
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    const [fault] = z.prettifyError(cause).split('\n', 1);
    return { outdated: `its state does not fit this version: ${fault}` };
  }
}

/** A state that this version has just written. */
export function parseResume(json: unknown): Resume {
  const { position, state } = ResumeFile.parse(json);
  return { position, state: parseState(state) };
}

function unusable(expected: string, found: string): CathedralError {
  const advice =
    'nothing is published: run that version, or replace what it published with: cathedral build --rebuild';
  return new CathedralError('release_invalid', {
    place: 'state.json',
    expected: `${expected} (${advice})`,
    found,
  });
}
