/** What a filter can ask for: a column of the export, or the cycle, which is not among them. */
export const FIELDS = {
  event_type: {
    whole: /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/,
    beginning: /^[a-z][a-z0-9_]*$/,
    expected: 'a type like mic_mint, or its beginning like mic_*',
  },
  agent: {
    whole: /^.{1,200}$/s,
    beginning: /^.{1,200}$/s,
    expected: 'a name of 1 to 200 characters, or its beginning like AT*',
  },
  cycle: {
    whole: /^C-(0|[1-9]\d*)$/,
    beginning: /^C-(0|[1-9]\d*)?$/,
    expected: 'a cycle like C-151, or its beginning like C-15*',
  },
  attestation_hash: {
    whole: /^0x[0-9a-f]{64}$/,
    beginning: /^0x[0-9a-f]{0,63}$/,
    expected: '0x and 64 lower-case hex digits, or their beginning like 0x1f*',
  },
} as const;

export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

/** What a field is compared with: a whole value, or what it begins with. */
export interface Pattern {
  text: string;
  isBeginning: boolean;
}

/** Whether a field can ever match: what cannot is a mistake, and its empty result would be taken for an answer. */
export function canMatch(field: Field, { text, isBeginning }: Pattern): boolean {
  const { whole, beginning } = FIELDS[field];
  return (isBeginning ? beginning : whole).test(text);
}
