import { describe, expect, test } from 'vitest';
import { ProblemDocument } from '../../src/api/openapi/responses.ts';
import { formatProblem, PROBLEMS, Problem, type ProblemCode, problemPage } from '../../src/api/problem.ts';

const codes = Object.keys(PROBLEMS) as ProblemCode[];

describe('a problem code', () => {
  test.each(codes)('%s has a meaning, a remedy and an example', (code) => {
    const { status, title, meaning, remedy, example } = PROBLEMS[code];
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    for (const text of [meaning, remedy, example.detail]) expect(text).toMatch(/^[A-Z].*[.>?]$/s);
    expect(meaning.length + remedy.length).toBeGreaterThan(90);
    expect(example.instance).toMatch(/^\/[a-z]/);
  });

  test.each(codes)('%s gives a document that fits the published schema, and its type is its page', (code) => {
    const { status, title, example } = PROBLEMS[code];
    const text = formatProblem(new Problem(code, example.detail), example.instance);
    const document = ProblemDocument.strict().parse(JSON.parse(text));
    expect(document).toEqual({
      type: problemPage(code),
      title,
      status,
      detail: example.detail,
      instance: example.instance,
      code,
    });
  });

  test('without a known path has no instance', () => {
    const text = formatProblem(new Problem('bad_request', 'The request could not be read.'));
    expect(JSON.parse(text)).not.toHaveProperty('instance');
  });
});
