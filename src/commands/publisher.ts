import { CathedralError } from '../../pipeline/errors.ts';
import {
  replacePublisher,
  requireKeys,
  retirePublisher,
  rotatePublisher,
  verifierKeyOf,
} from '../../pipeline/release/signing/change-publisher.ts';
import type { PublisherKey } from '../../pipeline/release/signing/publisher-key-file.ts';
import { readSigningRecord } from '../../pipeline/release/signing/signing-record.ts';
import { type Command, defineCommand } from './command.ts';

const show = defineCommand({
  summary: 'Prints the verifier keys of the publisher, and what they signed last.',
  settings: ['publisherKey'],
  async run({ publisherKey }, { print }) {
    const keys = await requireKeys(publisherKey);
    const { services } = await readSigningRecord(publisherKey);
    describe(keys, print);
    for (const [address, { release, version }] of Object.entries(services))
      print(`signed last for ${address}: ${release}, version ${version}`);
    return 0;
  },
});

const rotate = defineCommand({
  summary: 'Makes the publisher’s next key: from the next release on it signs beside the one of now.',
  settings: ['publisherKey', 'wait'],
  async run({ publisherKey: keyFile, wait }, { now, print }) {
    describe(await rotatePublisher({ keyFile, now: now(), waitMs: wait * 1000 }), print);
    return 0;
  },
});

const retire = defineCommand({
  summary: 'Ends a rotation: the publisher’s older key signs no more.',
  settings: ['publisherKey', 'out', 'overlapDays', 'wait'],
  async run({ publisherKey: keyFile, out, overlapDays: days, wait }, { now, print }) {
    const change = { keyFile, now: now(), waitMs: wait * 1000 };
    describe(await retirePublisher(change, { out, days }), print);
    return 0;
  },
});

const replace = defineCommand({
  summary:
    'Where the publisher’s key is lost or was stolen: makes one that nothing vouches for, so every reader has to be told.',
  settings: ['publisherKey', 'publisherName', 'out', 'givesUp', 'wait'],
  async run({ publisherKey: keyFile, publisherName: name, out, givesUp, wait }, { now, print }) {
    if (givesUp === null) {
      const expected = 'the id of the key that is given up, as /publisher.vkey has it';
      throw new CathedralError('usage', { place: '--gives-up', expected, found: 'no value' });
    }
    const change = { keyFile, now: now(), waitMs: wait * 1000 };
    describe(await replacePublisher(change, { out, givesUp, name }), print);
    return 0;
  },
});

function describe(keys: readonly PublisherKey[], print: (line: string) => void): void {
  for (const [index, key] of keys.entries()) {
    const role = index === 0 ? '' : ', signs until it is retired';
    print(`${verifierKeyOf(key)} (made ${key.made}${role})`);
  }
}

/** By name, as commands. */
export const PUBLISHER: Readonly<Record<string, Command>> = {
  'publisher show': show,
  'publisher rotate': rotate,
  'publisher retire': retire,
  'publisher replace': replace,
};
