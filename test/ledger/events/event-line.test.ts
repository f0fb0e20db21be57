import { describe, expect, test } from 'vitest';
import { AMOUNT, type LedgerEvent, MAX_LINE_BYTES } from '../../../pipeline/ledger/events/event.ts';
import { formatEventLine, parseEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { faultOf } from '../../fault-of.ts';
import { rowsOf } from '../../rows-of.ts';
import { sampleEvent, sampleEvents } from './sample-events.ts';

const parse = (line: string | Buffer) => parseEventLine(Buffer.from(line as string), () => 'here:17');
const mint = sampleEvent(2);

function changed(change: Record<string, unknown>, event: LedgerEvent = mint): string {
  return JSON.stringify({ ...event, ...change });
}

describe('an event line', () => {
  test('has the members in the order of the format, without white space', () => {
    expect(formatEventLine(sampleEvent(1))).toBe(
      '{"seq":1,"timestamp":"2025-07-03T00:01:00Z","cycle":"C-0","type":"attestation","agent":"ATLAS",' +
        '"data":{"apps":9,"packages":5,"workflows":27,"drift":0.1,"uptime_days":3.5,"gi_score":0.99,"score":51.25},' +
        `"salt":"${sampleEvent(1).salt}"}`,
    );
  });

  test('parses back to the same event', () => {
    for (const event of sampleEvents(20)) expect(parse(formatEventLine(event))).toEqual(event);
  });

  test('escapes the agent, the only text of the envelope that may need it', () => {
    const event = { ...mint, agent: 'A "quoted" \\ name — é' };
    expect(formatEventLine(event)).toContain('"agent":"A \\"quoted\\" \\\\ name — é",');
    expect(parse(formatEventLine(event))).toEqual(event);
  });

  test('may be of an unknown type with any data', () => {
    const event = { ...mint, type: 'from_the_future', data: { amount: 12, list: [null] } };
    expect(parse(JSON.stringify(event))).toEqual(event);
  });

  test('keeps names with escapes, which V8 takes for others that it has seen there', () => {
    for (const name of ['\\', '"', '\n', '\\u00df', 'a\\', 'a"']) {
      const event = { ...mint, type: 'from_the_future', data: { x: 1, [name]: 2 } };
      expect(parse(JSON.stringify(event)).data).toEqual(event.data);
      expect(parse(JSON.stringify(event).replace('{', '{ ')).data).toEqual(event.data);
    }
  });

  test('of a known type may have names with escapes, whatever was read before', () => {
    const before = { z9: 1, '\\u0': 1 };
    expect(parse(changed({ type: 'from_the_future', data: before })).data).toEqual(before);
    const mii = changed({ type: 'mii_reading', data: { z9: 1, mii: 1 } });
    expect(parse(mii.replace('"mii"', '"\\u006dii"')).data).toEqual({ z9: 1, mii: 1 });
  });

  test('may have a different member order and inner white space', () => {
    const reversed = Object.fromEntries(Object.entries(mint).reverse());
    expect(parse(JSON.stringify(reversed, null, ' ').replaceAll('\n', ''))).toEqual(mint);
  });

  test.each(['1.0', '1e-07', '-0.0', '9.731E-1'])('may spell a number as %s', (text) => {
    const reading = changed({ type: 'mii_reading', data: { mii: 1 } });
    expect(parse(reading.replace('"mii":1', `"mii":${text}`)).data).toEqual({ mii: Number(text) });
  });

  test('may have additional members in data', () => {
    const event = { ...mint, data: { ...mint.data, source: { event_id: 'x' } } };
    expect(parse(JSON.stringify(event))).toEqual(event);
  });

  test.each([
    ['nothing', ''],
    ['a carriage return at the end', `${JSON.stringify(mint)}\r`],
    ['white space before it', ` ${JSON.stringify(mint)}`],
    ['white space after it', `${JSON.stringify(mint)} `],
    ['a byte order mark', `\ufeff${JSON.stringify(mint)}`],
    ['an array', '[]'],
    ['two objects', '{}{}'],
    ['half an object', JSON.stringify(mint).slice(0, 100)],
    ['an extra comma', JSON.stringify(mint).replace('}', ',}')],
    ['NaN', changed({}).replace('12.345678', '').replace('""', 'NaN')],
    ['a control character in a string', changed({}).replace('ATLAS', 'AT\u0001LAS')],
    ['UTF-16', Buffer.from(changed({}), 'utf16le')],
    ['a duplicate member of the event', changed({}).replace('{"seq"', '{"seq":0,"seq"')],
    ['a duplicate member of data', changed({}).replace('"amount"', '"amount":"1","amount"')],
    ['a number beyond a double', changed({ type: 'other' }).replace('51.25', '1e999')],
  ])('is refused with %s', (_, line) => {
    expect(faultOf(() => parse(line))).toMatchObject({ code: 'ledger_corrupt', place: 'here:17' });
  });

  test.each([
    ['an invalid byte', Buffer.from(changed({}).replace('ATLAS', 'AT\xffLAS'), 'latin1')],
    ['an overlong encoding', Buffer.from(changed({}).replace('ATLAS', 'AT\xc1\x81LAS'), 'latin1')],
    ['a surrogate in UTF-8', Buffer.from(changed({}).replace('ATLAS', 'AT\xed\xa0\x80LAS'), 'latin1')],
  ])('is refused with %s', (_, line) => {
    expect(faultOf(() => parse(line))).toMatchObject({ code: 'ledger_corrupt', expected: 'UTF-8' });
  });

  test('has a maximum length in bytes of UTF-8', () => {
    const event = (text: string) => JSON.stringify({ ...mint, type: 'long', data: { text } });
    const room = MAX_LINE_BYTES - Buffer.byteLength(event(''));
    expect(parse(event('a'.repeat(room))).seq).toBe(mint.seq);
    expect(parse(event('é'.repeat(Math.floor(room / 2)))).seq).toBe(mint.seq);
    expect(faultOf(() => parse(event('a'.repeat(room + 1))))).toMatchObject({
      code: 'ledger_corrupt',
      expected: 'at most 65535 bytes',
      found: '65536',
    });
    expect(faultOf(() => parse(event('é'.repeat(Math.ceil(room / 2) + 1)))).code).toBe('ledger_corrupt');
  });
});

describe('the error of an invalid event has the place, what was expected and what was found', () => {
  const ofMint = (data: object) => JSON.stringify({ data: { ...mint.data, ...data } });
  const TIME = 'timestamp to be a UTC time like 2025-12-01T06:00:00Z';
  const NAME =
    'agent to be a name other than __proto__, of well-formed Unicode without control characters, that begins with none of = + - @';
  const rows = rowsOf<[change: string, expected: string, found: string]>(`
{"seq":"2"} | seq to be a number | "2"
{"seq":1.5} | seq to be a whole number | 1.5
{"seq":-1} | seq to be at least 0 | -1
{"timestamp":"2025-02-30T00:00:00Z"} | ${TIME} | "2025-02-30T00:00:00Z"
{"timestamp":"2025-12-01T06:00:00+01:00"} | ${TIME} | "2025-12-01T06:00:00+01:00"
{"cycle":151} | cycle to be a string | 151
{"cycle":"C-0151"} | cycle to be a cycle label like C-151 | "C-0151"
{"type":"MicMint"} | type to be a snake_case token | "MicMint"
{"agent":""} | agent to be a text of at least 1 character | ""
{"agent":"${'x'.repeat(201)}"} | agent to be a text of at most 200 characters | "${'x'.repeat(199)}
{"agent":"AT\\u0000LAS"} | ${NAME} | "AT\\u0000LAS"
{"agent":"AT\\ud800LAS"} | ${NAME} | "AT\\ud800LAS"
{"agent":"__proto__"} | ${NAME} | "__proto__"
{"type":"deliberation_opened","data":{"deliberation":"d","topic":"half \\udc00"}} | data.topic to be well-formed Unicode | "half \\udc00"
{"data":[]} | data to be an object | []
{"data":null} | data to be an object | null
{"salt":"short"} | salt to be 16 random bytes in base64url | "short"
{"extra":1} | the event to be one without the member extra | ${JSON.stringify({ ...mint, extra: 1 }).slice(0, 200)}
${ofMint({ amount: 12.5 })} | data.amount to be a string | 12.5
${ofMint({ amount: '1e3' })} | data.amount to be ${AMOUNT} | "1e3"
${ofMint({ amount: '012.5' })} | data.amount to be ${AMOUNT} | "012.5"
${ofMint({ multiplier: 2.5 })} | data.multiplier to be at most 2 | 2.5
${ofMint({ coordination_score: 1e19 })} | data.coordination_score to be at most 1000000000000000000 | 10000000000000000000
${ofMint({ sentinel: undefined })} | data.sentinel to be a string | nothing
{"type":"mii_reading","data":{"mii":null}} | data.mii to be a number | null
{"type":"alert_raised","data":{"alert":"a","severity":"red","scope":"system","message":""}} | data.severity to be one of info, warning, critical | "red"
{"type":"companion_revoked","data":{"attestation":"a","reason":"${'x'.repeat(20_001)}"}} | data.reason to be a text of at most 20000 characters | "${'x'.repeat(199)}
${JSON.stringify({ ...sampleEvent(3), data: { ...sampleEvent(3).data, virtue_tags: ['prudence', 'envy'] } })} | data.virtue_tags.1 to be one of integrity, temperance, justice, prudence, courage | "envy"`);
  test.each<[Record<string, unknown>, string, string]>([
    [{ seq: undefined }, 'seq to be a number', 'nothing'],
    ...rows.map(([change, ...rest]): [Record<string, unknown>, string, string] => [
      JSON.parse(change),
      ...rest,
    ]),
  ])('%j', (change, expected, found) => {
    expect(faultOf(() => parse(changed(change)))).toMatchObject({
      code: 'ledger_schema',
      place: 'here:17',
      expected,
      found,
    });
  });

  test('for a union too', () => {
    const event = { type: 'compliance_audited', data: { jurisdiction: 'MARS', statuses: {} } };
    expect(faultOf(() => parse(changed(event)))).toMatchObject({ code: 'ledger_schema', found: '"MARS"' });
    expect(faultOf(() => parse(changed(event))).expected).toMatch(/^data\.jurisdiction to be /);
  });
});
