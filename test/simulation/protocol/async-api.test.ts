import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { fieldsIn } from '../../../pipeline/artifacts/data-dictionary.ts';
import { asyncApiDocument } from '../../../src/simulation/protocol/async-api-document.ts';
import { ORGANISATION } from '../../organisation.ts';

const require = createRequire(import.meta.url);
const facts = { baseUrl: 'https://data.example.org', version: '1.0.0', organisation: ORGANISATION };
const document = asyncApiDocument(facts);

interface Message {
  payload: object;
  examples?: { payload: unknown }[];
}
const { messages } = document.components as { messages: Record<string, Message> };

describe('/asyncapi.json', () => {
  test('is an AsyncAPI 3.0 document', () => {
    const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    const validate = ajv.compile(schema);
    validate(JSON.parse(JSON.stringify(document)));
    expect(validate.errors ?? []).toEqual([]);
  });

  test('names a secure server where the service is one', () => {
    expect(document.servers).toEqual({ service: { host: 'data.example.org', protocol: 'wss' } });
    const plain = asyncApiDocument({ ...facts, baseUrl: 'http://localhost:8080' });
    expect(plain.servers).toEqual({ service: { host: 'localhost:8080', protocol: 'ws' } });
  });

  test('has schemas that its own examples fit', () => {
    // Strict: a member of a schema that is no keyword is an error.
    const ajv = new Ajv({ strictTypes: false });
    const wrong = Object.values(messages).flatMap(({ payload, examples = [] }) =>
      examples.filter((example) => !ajv.validate(payload, example.payload)),
    );
    expect(wrong).toEqual([]);
  });

  test('says what each member of each message means', () => {
    const silent = Object.entries(messages).flatMap(([name, { payload }]) =>
      fieldsIn(payload)
        .filter(({ description }) => description === '')
        .map((field) => `${name}: ${field.name}`),
    );
    expect(silent).toEqual([]);
  });

  test('has a place for each message that comes unasked: those of ticks, and the error before a connection is closed', () => {
    const { tell } = document.operations as { tell: { messages: { $ref: string }[] } };
    expect(tell.messages.map(({ $ref }) => $ref.split('/').at(-1))).toEqual([
      'simulation_update',
      'simulation_error',
    ]);
  });

  test('has only references that lead somewhere', () => {
    const text = JSON.stringify(document);
    for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer!
        .split('/')
        .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
      expect(found, pointer).toBeDefined();
    }
  });
});
