import { describe, expect, test } from 'vitest';
import { addressWords, nearAddresses } from '../../src/site/layout/near-address.ts';

const KNOWN = [
  ['/economy/'],
  ['/academics/'],
  ['/decisions/'],
  ['/charts/'],
  ['/charts/supply/'],
  ['/files/'],
  ['/files/economy/supply/'],
  ['/files/economy/mic-history.csv/'],
  ['/files/academics/citations.bib/'],
] as const;
const near = (path: string) => nearAddresses(path, KNOWN).map(([href]) => href);

describe('a missed address', () => {
  test.each([
    ['/economy/mic-histroy.csv', '/files/economy/mic-history.csv/'],
    ['/economics/', '/economy/'],
    ['/decisions/decision-9999-1/', '/decisions/'],
    ['/chart/suply', '/charts/supply/'],
    ['/FILES/citations.bib', '/files/academics/citations.bib/'],
  ])('%s is near %s', (asked, expected) => {
    expect(near(asked)[0]).toBe(expected);
  });

  test('is near nothing where no part resembles one, and may be undecodable', () => {
    expect(near('/wp-login.php')).toEqual([]);
    expect(near('/')).toEqual([]);
    expect(near('/%E0%A4%A/')).toEqual([]);
  });

  test('has words to search for, without its ending and its numbers', () => {
    expect(addressWords('/economy/mic-history.csv/')).toEqual(['economy', 'mic', 'history']);
    expect(addressWords('/decisions/D%C3%A9cision-400/index.html')).toEqual(['decisions', 'décision']);
  });
});
