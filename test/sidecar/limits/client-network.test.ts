import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientNetwork } from '../../../src/sidecar/limits/client-network.ts';

describe('a client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['0.0.0.0', '0.0.0.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    // The deprecated compatible form, which no network routes.
    ['::203.0.113.7', '203.0.113.7'],
    // Not mapped, but translated.
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ])('at %s is counted as %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  test.each([
    ...['', ' ', '203.0.113.7 ', '203.0.113.7, 203.0.113.8', '\u0661.1.1.1', 'unknown', 'localhost'],
    ...'203.0.113 203.0.113.256 203.0.113.07 203.0.113.7:80 0x7f.1 2130706433 2001:db8 1:2:3:4:5:6:7:8:9'.split(
      ' ',
    ),
    ...'1::2::3 12345:: [::1] ::1/64 ::ffff:203.0.113.256'.split(' '),
  ])('is not at %j', (address) => {
    expect(() => clientNetwork(address)).toThrow(RangeError);
  });

  test('is the same for all addresses of one /64 and another one for the next', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const networks = fc.tuple(fc.integer({ min: 0x2000, max: 0x3fff }), group, group, group);
    const hosts = fc.tuple(group, group, group, group);
    const format = (...groups: number[]) => groups.map((value) => value.toString(16)).join(':');
    fc.assert(
      fc.property(networks, hosts, hosts, (network, host, other) => {
        const one = clientNetwork(format(...network, ...host));
        expect(clientNetwork(format(...network, ...other))).toBe(one);
        const [a, b, c, d] = network;
        expect(clientNetwork(format(a, b, c, d ^ 1, ...host))).not.toBe(one);
      }),
    );
  });

  test('is the same in both forms of an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(clientNetwork(`::ffff:${address}`)).toBe(address);
      }),
    );
  });
});
