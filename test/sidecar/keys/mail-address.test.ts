import { describe, expect, test } from 'vitest';
import { mailAddress } from '../../../src/sidecar/keys/mail-address.ts';

describe('an address', () => {
  test.each([
    'ada@example.edu',
    'a.b+c@example.co.uk',
    "o'hara@xn--bcher-kva.example",
    'x@a-b.xn--p1ai',
    `${'a'.repeat(64)}@example.org`,
  ])('%s is one', (address) => {
    expect(mailAddress.parse(address)).toBe(address);
  });

  test.each([
    ...'ada @example.edu ada@ ada@@example.edu a@b@example.edu ada@edu ada@example.edu. ada@.example.edu'.split(
      ' ',
    ),
    ...'ada@-example.edu ada@example-.edu .ada@example.edu ada.@example.edu a..da@example.edu'.split(' '),
    ...[
      'ada @example.edu',
      'ada@example.edu\u0000',
      'ada\n@example.edu',
      'adä@example.edu',
      'ada@exämple.edu',
    ],
    ...'ada@127.0.0.1 ada@[127.0.0.1] "ada"@example.edu ada(x)@example.edu ada@example.edu,b@example.edu'.split(
      ' ',
    ),
    ...['ada@example.edu;b@example.edu', '<ada@example.edu>', `${'a'.repeat(65)}@example.org`],
    ...[`a@${'b'.repeat(64)}.org`, `a@${'b.'.repeat(126)}org`],
  ])('%j is none', (address) => {
    expect(mailAddress.safeParse(address).success).toBe(false);
  });
});
