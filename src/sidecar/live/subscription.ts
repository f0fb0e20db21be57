import { Problem } from '../../api/problem.ts';

/**
 * The paths that a listener wants, in the order of `known`; all of them without a query. `query` is without its question
 * mark: `paths=economy/supply,philosophy/virtues.json`. Throws a Problem unknown_parameter or invalid_parameter.
 */
export function parseSubscription(query: string, known: readonly string[]): readonly string[] {
  if (query === '') return known;
  const parameters = [...new URLSearchParams(query)];
  const other = parameters.find(([name]) => name !== 'paths');
  if (other) throw new Problem('unknown_parameter', 'The stream of changes takes the parameter paths only.');
  if (parameters.length !== 1) throw invalid('more than one list');
  const wanted = parameters[0]![1].split(',');
  if (new Set(wanted).size !== wanted.length) throw invalid('a path twice');
  if (!wanted.every((path) => known.includes(path))) throw invalid('something else');
  return known.filter((path) => wanted.includes(path));
}

function invalid(found: string): Problem {
  return new Problem(
    'invalid_parameter',
    `The parameter paths is a list, separated by commas, of real-time paths without their first slash; found ${found}.`,
  );
}
