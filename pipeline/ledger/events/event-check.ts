import * as z from 'zod/mini';
import { CathedralError, type ErrorCode, type Fault } from '../../errors.ts';
import { describeIssue } from '../../words/zod-messages.ts';
import { Envelope, EVENT_DATA, type LedgerEvent } from './event.ts';

const envelope = z.compile(Envelope);
const dataByType = new Map<string, z.ZodMiniType>(
  Object.entries(EVENT_DATA).map(([type, schema]) => [type, z.compile(schema)]),
);

/** A wrong member of an event. */
export class MemberFault extends CathedralError {
  /** `data.mii` */
  readonly member: string;

  constructor(code: ErrorCode, member: string, fault: Fault) {
    super(code, fault);
    this.member = member;
  }

  /** The same fault where a table has the member; null: in no column. */
  inColumn(column: string | null, { place = this.place, expected = this.expected } = {}): CathedralError {
    const at = column === null ? place : `${place}, column ${column}`;
    return new CathedralError(this.code, { ...this, place: at, expected, cause: this });
  }
}

/** Checks an event's members, and `data` by its type. Throws `ledger_schema`; `place` names the line. */
export function assertEvent(value: unknown, place: () => string): asserts value is LedgerEvent {
  // This runs for every event of every ledger. `validate` only accepts or refuses, in a quarter of the time that a
  // parse takes; the parse runs for refused events and says what is wrong.
  if (!z.validate(envelope, value)) assertFits(envelope, value, [], value, place);
  const { type, data } = value as LedgerEvent;
  const schema = dataByType.get(type);
  if (schema && !z.validate(schema, data)) assertFits(schema, data, ['data'], value, place);
}

function assertFits(
  schema: z.ZodMiniType,
  value: unknown,
  at: string[],
  event: unknown,
  place: () => string,
): void {
  const issue = schema.safeParse(value).error?.issues[0];
  if (!issue) return;
  const path = [...at, ...issue.path];
  const found = path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown>)?.[key], event);
  throw new MemberFault('ledger_schema', path.join('.'), {
    place: place(),
    expected: `${path.join('.') || 'the event'} to be ${describeIssue(issue)}`,
    found: found === undefined ? 'nothing' : (JSON.stringify(found) ?? typeof found).slice(0, 200),
  });
}
