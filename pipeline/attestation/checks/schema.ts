import { justificationHash } from '../canonical-bytes.ts';
import { type Check, failed, notChecked, passed, warning } from '../check.ts';
import { Justification } from '../document.ts';
import type { Json } from '../limited-json.ts';
import { MAX_PROBLEMS, type Problem, problem, quote } from '../problem.ts';

export const checkJustification: Check = ({ document, attestation }) => {
  const { epicon_ej } = document;
  if (epicon_ej === undefined) return notChecked('The document does not contain the justification.');
  const found = justificationHash(epicon_ej);
  if (found === attestation.epicon_ej_hash.toLowerCase())
    return passed('The justification has the signed hash.');
  return failed(problem('hash_mismatch', ['epicon_ej_hash'], `The hash of epicon_ej is ${found}.`));
};

const { anchors, boundaries, counterfactual } = Justification.shape;

/** The objects that may have further members: their paths, and the members that are read. */
const INNER: readonly (readonly [path: readonly string[], known: readonly string[]])[] = [
  [['epicon_ej'], Object.keys(Justification.shape)],
  [['epicon_ej', 'boundaries'], Object.keys(boundaries.def.innerType.shape)],
  [['epicon_ej', 'counterfactual'], Object.keys(counterfactual.def.innerType.shape)],
  [['epicon_ej', 'anchors', '*'], Object.keys(anchors.def.innerType.def.element.shape)],
  [['drift_monitoring'], ['enabled', 'threshold', 'check_interval']],
];

/** Half of a verdict's capacity, so that these warnings never crowd out those of other checks. */
const MAX_UNREAD = MAX_PROBLEMS / 2;

/** The schema has accepted the document. This warns about unknown inner members, which the schema allows, because they may be misspelled. */
export const checkSchema: Check = ({ document }) => {
  const unread: Problem[] = [];
  for (const [path, known] of INNER)
    for (const [at, name] of unreadMembers(document, path, known, [])) {
      unread.push(problem('unread_member', [...at, name], `${quote(name)} is signed but not read.`));
      // A document can contain thousands.
      if (unread.length === MAX_UNREAD) return warning(...unread);
    }
  if (unread.length === 0) return passed('It matches the schema of version 1.0.0.');
  return warning(...unread);
};

/** Each with the path of its object. */
function* unreadMembers(
  value: Json | undefined,
  path: readonly string[],
  known: readonly string[],
  at: readonly PropertyKey[],
): Generator<readonly [at: readonly PropertyKey[], name: string]> {
  if (typeof value !== 'object' || value === null) return;
  const [step, ...rest] = path;
  if (Array.isArray(value)) {
    if (step === '*')
      for (const [index, item] of value.entries()) yield* unreadMembers(item, rest, known, [...at, index]);
    return;
  }
  if (step !== undefined) yield* unreadMembers(value[step], rest, known, [...at, step]);
  else for (const name of Object.keys(value)) if (!known.includes(name)) yield [at, name];
}
