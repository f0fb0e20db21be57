import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../pipeline/errors.ts';
import { credentialsFrom, parseObjectAddress } from '../../pipeline/objects/object-address.ts';

describe('an address of objects', () => {
  test('has an endpoint, a bucket, a prefix, a region and credentials', () => {
    expect(
      parseObjectAddress(
        's3+https://key:a%2Fb%40c@objects.example.org:8443/releases/north/1/?region=eu-west-1',
      ),
    ).toEqual({
      name: 's3+https://objects.example.org:8443/releases/north/1',
      endpoint: 'https://objects.example.org:8443',
      bucket: 'releases',
      prefix: 'north/1/',
      region: 'eu-west-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'a/b@c', sessionToken: null },
    });
    expect(parseObjectAddress('s3+http://localhost:9000/releases')).toMatchObject({
      prefix: '',
      region: null,
      credentials: null,
    });
    parseObjectAddress('s3+http://store.internal/releases?unencrypted=true');
  });

  test.each([
    ['https://objects.example.org/releases', 's3+https://host'],
    ['s3+ftp://objects.example.org/releases', 's3+https://host'],
    ['s3+https://objects.example.org', 'found none'],
    ['s3+https://objects.example.org/Releases', 'found "Releases"'],
    ['s3+https://objects.example.org/releases/a//b', 'found "a//b"'],
    ['s3+https://objects.example.org/releases/a%2F..%2Fb', 'found "a/../b"'],
    ['s3+https://objects.example.org/releases/%zz', '% is followed by two hex digits'],
    ['s3+https://objects.example.org/releases?regoin=x', 'the parameter region, found the parameter regoin'],
    ['s3+https://objects.example.org/releases?region=a b', 'a region like eu-west-1'],
    ['s3+http://objects.example.org/releases', 'unencrypted=true, found s3+http:// to another machine'],
    ['s3+https://key@objects.example.org/releases', 'an access key and its secret'],
    ['s3+https://key%0D:hidden-value@objects.example.org/releases', 'an access key, in ASCII'],
    ['s3+https://key:hidden-value%0A@objects.example.org/releases', 'the secret of the access key, without'],
    ['s3+https://key:hidden-value@objects.example.org/', 'the name of a bucket'],
    ['s3+https://key:hidden-value@/releases', 's3+https://host'],
  ])('is not %s', (text, message) => {
    const parse = () => parseObjectAddress(text);
    expect(parse).toThrow(CathedralError);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow('hidden-value');
  });
});

test('an access key without its secret is refused', () => {
  const none = { accessKeyId: null, secretAccessKey: null, sessionToken: null };
  expect(credentialsFrom(none)).toBe(null);
  expect(() => credentialsFrom({ ...none, accessKeyId: 'key' })).toThrow('AWS_SECRET_ACCESS_KEY');
});
