import { expect, test } from 'vitest';
import { type CathedralError, type ErrorCode, type Finding, findingOf } from '../../pipeline/errors.ts';
import { formatVerification } from '../../pipeline/verify/describe-verification.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { readLatest } from '../../pipeline/verify/signed-release.ts';
import { useFolder } from '../setups/use-folder.ts';

const finding = (code: ErrorCode, place = 'a place'): Finding => ({
  code,
  place,
  expected: 'one',
  found: 'another',
});

function lastLines(findings: readonly Finding[], isTrusted = true): string[] {
  const found = {
    release: null,
    verdicts: [],
    findings,
    warnings: [],
    witnessing: null,
    notProven: [],
  };
  return formatVerification({ place: 'HOST', sample: null, isTrusted }, found).trim().split('\n');
}

test('what two checks found is said once, and the last line says what to do', () => {
  const found = [finding('mirror_mismatch'), finding('mirror_mismatch'), finding('mirror_mismatch', 'b')];
  expect(lastLines(found)).toEqual([
    'a place: expected one, found another (mirror_mismatch)',
    'b: expected one, found another (mirror_mismatch)',
    '',
    expect.stringMatching(/^HOST is not what its publisher signed, .*docs\/troubleshooting\.md/),
  ]);
});

test.each<[ErrorCode, RegExp]>([
  ['witness_quorum', /^HOST is what its publisher signed, .*, but too few witnesses .* ask the publisher\.$/],
  ['mirror_expired', /^HOST is what its publisher signed, .*, but has expired: .* another host\.$/],
])('a release in which only %s was found is told from a damaged one', (code, says) => {
  expect(lastLines([finding(code)]).at(-1)).toMatch(says);
  for (const [findings, isTrusted] of [
    [[finding(code)], false],
    [[finding(code), finding('mirror_mismatch')], true],
  ] as const)
    expect(lastLines(findings, isTrusted).at(-1)).toMatch(/^HOST is not what its publisher signed/);
});

const folder = useFolder();

test('a folder of something else is not called a release that was changed', async () => {
  const error = await readLatest(await FolderOrigin.at(folder)).catch((caught: unknown) => caught);
  const found = lastLines([findingOf(error as CathedralError)]);
  expect(found.at(-1)).toMatch(/^HOST has no release: give the address of a service/);
});
