import { Problem } from '../problem.ts';

/** Characters of a value that a message quotes. */
const MAX_QUOTED = 60;

/**
 * The parameters of a query, without its question mark: each known, with a value, and at most once. A plus sign is a space,
 * as forms send it. Throws a Problem unknown_parameter or invalid_parameter.
 */
export function parseParameters<Name extends string>(
  query: string,
  names: readonly Name[],
): ReadonlyMap<Name, string> {
  const found = new Map<Name, string>();
  if (query === '') return found;
  for (const part of query.split('&')) {
    const [name, value] = parsePart(part, names);
    if (found.has(name)) throw invalidParameter(name, 'one value', 'the parameter twice');
    if (value === '') throw invalidParameter(name, 'a value', 'none');
    found.set(name, value);
  }
  return found;
}

/** `found` appears as it is; text from the client goes through quoted() first. */
export function invalidParameter(name: string, expected: string, found: string): Problem {
  return new Problem('invalid_parameter', `The parameter ${name}: expected ${expected}, found ${found}.`);
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

function parsePart<Name extends string>(part: string, names: readonly Name[]): [name: Name, value: string] {
  const equals = part.indexOf('=');
  const written = decode('name', equals < 0 ? part : part.slice(0, equals));
  const name = names.find((known) => known === written);
  if (name !== undefined) return [name, equals < 0 ? '' : decode(name, part.slice(equals + 1))];
  const expected = names.join(', ');
  const found = written === '' ? 'an empty one' : quoted(written);
  throw new Problem('unknown_parameter', `This path takes the parameters ${expected}, found ${found}.`);
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidParameter(name, 'UTF-8 in percent-encoding', quoted(text));
  }
}
