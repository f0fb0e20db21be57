import { EVENT_DATA, isKnownType } from '../event.ts';

const MAX_LENGTH = 100;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/**
 * The type that an imported event has here: a known one where `data` has that type's form, else the remote ledger's own
 * as snake_case (`GENESIS_CUSTODIAN` becomes `genesis_custodian`), with `civic_` before it where a known type has that
 * name but another form: verification would refuse it. A genesis is only the first event of a ledger.
 */
export function ledgerType(eventType: string, data: Record<string, unknown>, seq: number): string {
  const type = snakeCase(eventType);
  if (!isKnownType(type)) return type;
  const fits = EVENT_DATA[type].safeParse(data).success && (type !== 'genesis' || seq === 0);
  return fits ? type : `civic_${type}`;
}

function snakeCase(text: string): string {
  if (SNAKE_CASE.test(text) && text.length <= MAX_LENGTH) return text;
  const words = text
    .slice(0, 4 * MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.join('_') || 'event';
  const named = /^[a-z]/.test(joined) ? joined : `civic_${joined}`;
  return named.slice(0, MAX_LENGTH).replace(/_$/, '');
}
