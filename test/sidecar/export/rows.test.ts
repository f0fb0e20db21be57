import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSweep } from '../../setups/sweep.ts';
import { appOver, type ExportApp, urlOf } from './export-app.ts';
import { hardLines, type Line } from './ledger-lines.ts';

const LINES = hardLines(900, 7);
const COLUMNS = ['timestamp', 'event_type', 'agent', 'data', 'attestation_hash'];

type Wanted = Record<string, string>;

/** What the export has of a line, each cell as text. */
function rowOf({ timestamp, type, agent, text, hash }: Line): Wanted {
  // Between the two members around it, as it stands in the line.
  const data = text.slice(text.indexOf(',"data":') + ',"data":'.length, text.lastIndexOf(',"salt":'));
  return { timestamp, event_type: type, agent, data, attestation_hash: hash };
}

/** Of each form the rows, read by somebody else's parser. */
const READERS: Record<string, (body: string) => Wanted[]> = {
  csv: (body) => {
    const [header, ...rows] = parse(body, { bom: false, record_delimiter: '\n' }) as string[][];
    expect(header).toEqual(COLUMNS);
    return rows.map((cells) => Object.fromEntries(COLUMNS.map((name, index) => [name, cells[index]!])));
  },
  json: (body) => {
    const { events, count, complete } = JSON.parse(body);
    expect([count, complete]).toEqual([events.length, true]);
    return events.map(withDataAsText);
  },
  ndjson: (body) =>
    body
      .split('\n')
      .slice(0, -1)
      .map((line) => withDataAsText(JSON.parse(line))),
};

function withDataAsText(event: Record<string, unknown>): Wanted {
  expect(Object.keys(event)).toEqual(COLUMNS);
  return { ...(event as Wanted), data: JSON.stringify(event.data) };
}

/** Unix ms, with what is after the millisecond; ledger times here have three digits at most. */
const msOf = (timestamp: string) => Date.parse(timestamp);

/** A filter that knows by itself what it lets through. */
interface Known {
  text: string;
  takes: (line: Line) => boolean;
}

const VALUE_OF: Record<string, (line: Line) => string> = {
  event_type: (line) => line.type,
  agent: (line) => line.agent,
  cycle: (line) => line.cycle,
  attestation_hash: (line) => line.hash,
};

const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
const isPlain = (text: string) => /^[^"'();,=!~<> \t\r\n*]+$/.test(text);

const comparison: fc.Arbitrary<Known> = fc
  .record({
    field: fc.constantFrom(...Object.keys(VALUE_OF)),
    operator: fc.constantFrom('==', '!=', '=in=', '=out='),
    lines: fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 4 }),
    cut: fc.option(fc.integer({ min: 2, max: 10 })),
  })
  .map(({ field, operator, lines, cut }) => {
    const textOf = VALUE_OF[field]!;
    const values = (operator.length > 2 ? lines : lines.slice(0, 1)).map(textOf).map((value) => {
      const beginning = value.slice(0, cut ?? undefined);
      const isPrefix = cut !== null && beginning.length < value.length && isPlain(beginning);
      return isPrefix
        ? { written: `${beginning}*`, takes: (text: string) => text.startsWith(beginning) }
        : { written: isPlain(value) ? value : quote(value), takes: (text: string) => text === value };
    });
    const list = values.map(({ written }) => written).join(',');
    const negated = operator === '!=' || operator === '=out=';
    return {
      text: `${field}${operator}${operator.length > 2 ? `(${list})` : list}`,
      takes: (line: Line) => values.some(({ takes }) => takes(textOf(line))) !== negated,
    };
  });

const { filter } = fc.letrec<{ filter: Known; joined: Known }>((tie) => ({
  filter: fc.oneof({ maxDepth: 3, depthSize: 'small' }, comparison, tie('joined')),
  joined: fc
    .tuple(
      fc.constantFrom(';', ',', ' and ', ' or '),
      fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    )
    .map(([joint, parts]) => {
      const isAll = joint === ';' || joint === ' and ';
      return {
        text: parts.map(({ text }) => `(${text})`).join(joint),
        takes: (line: Line) =>
          isAll ? parts.every(({ takes }) => takes(line)) : parts.some(({ takes }) => takes(line)),
      };
    }),
}));

/** A bound with the ms at which it begins and ends. */
const bound = fc.oneof(
  fc.constantFrom(...LINES).map(({ timestamp }) => {
    const day = Date.parse(timestamp.slice(0, 10));
    return { text: timestamp.slice(0, 10), from: day, to: day + 86_399_999 };
  }),
  fc
    .tuple(fc.constantFrom(...LINES), fc.constantFrom(-1, 0, 1), fc.integer({ min: -840, max: 840 }))
    .map(([{ timestamp }, more, offset]) => {
      const ms = msOf(timestamp) + more;
      const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1);
      const part = (minutes: number) => String(Math.abs(minutes)).padStart(2, '0');
      const zone = `${offset < 0 ? '-' : '+'}${part(Math.trunc(offset / 60))}:${part(offset % 60)}`;
      return { text: offset === 0 ? `${local}Z` : `${local}${zone}`, from: ms, to: ms };
    }),
);

async function exported({ origin }: ExportApp, parameters: Record<string, string>): Promise<string> {
  const answer = await fetch(origin + urlOf(parameters));
  const body = await answer.text();
  expect([answer.status, parameters, answer.ok ? '' : body]).toEqual([200, parameters, '']);
  return body;
}

describe('the rows of an export', () => {
  test.each(Object.keys(READERS))('as %s are all events of the ledger, newest first', async (format) => {
    const served = await appOver(LINES);
    const { manifest } = (await served.releases.current())!;
    expect(manifest.segments['government/ledger/export']!.length).toBeGreaterThan(20);
    expect(READERS[format]!(await exported(served, { format }))).toEqual(LINES.map(rowOf).reverse());
  });

  test('are those that a plain computation from the ledger’s lines gives, for any from, to and filter', async () => {
    const served = await appOver(LINES);
    const query = fc.record({
      format: fc.constantFrom('csv', 'json', 'ndjson'),
      bounds: fc.array(bound, { maxLength: 2 }),
      openEnd: fc.boolean(),
      filter: fc.option(filter),
    });
    let found = 0;
    const property = fc.asyncProperty(query, async ({ format, bounds, openEnd, filter }) => {
      const sorted = bounds.toSorted((a, b) => a.from - b.from);
      const [from, to] = openEnd && sorted.length === 1 ? [undefined, sorted[0]] : sorted;
      if (from && to && from.from > to.to) return;
      const parameters = {
        format,
        ...(from && { from: from.text }),
        ...(to && { to: to.text }),
        ...(filter && { filter: filter.text }),
      };
      const wanted = LINES.filter(
        (line) =>
          (!from || msOf(line.timestamp) >= from.from) &&
          (!to || msOf(line.timestamp) <= to.to) &&
          (filter?.takes(line) ?? true),
      );
      found += wanted.length > 0 && wanted.length < LINES.length ? 1 : 0;
      const rows = READERS[format]!(await exported(served, parameters));
      expect(rows).toEqual(wanted.map(rowOf).reverse());
    });
    const numRuns = isSweep ? 120 : 40;
    await fc.assert(property, { numRuns, seed: 11 });
    expect(found).toBeGreaterThan(numRuns / 3);
  });

  test('of a date are those of the whole day in UTC, with its first and its last moment', async () => {
    const times = [
      '2025-11-30T23:59:59.999Z',
      '2025-12-01T00:00:00Z',
      '2025-12-01T23:59:59.999999999Z',
      '2025-12-02T00:00:00Z',
    ];
    const [first] = hardLines(1, 1);
    const lines = times.map((timestamp, seq): Line => {
      const event = { ...(JSON.parse(first!.text) as object), seq, timestamp };
      const text = JSON.stringify(event);
      return { ...first!, text, timestamp };
    });
    const served = await appOver(lines);
    const { events } = JSON.parse(await exported(served, { from: '2025-12-01', to: '2025-12-01' }));
    expect(events.map((event: Wanted) => event.timestamp)).toEqual([times[2], times[1]]);
  });

  test('of a ledger without events are none, in every form', async () => {
    const served = await appOver([]);
    expect(await exported(served, { format: 'csv' })).toBe(`${COLUMNS.join(',')}\n`);
    expect(await exported(served, { format: 'ndjson' })).toBe('');
    expect(JSON.parse(await exported(served, { from: '2025-12-01' }))).toEqual({
      from: '2025-12-01',
      to: null,
      filter: null,
      events: [],
      count: 0,
      complete: true,
    });
  });
});

describe('a JSON export', () => {
  test('ends with complete, so that one which was cut off anywhere can be told', async () => {
    const body = await exported(await appOver(LINES.slice(0, 60)), {
      filter: 'cycle!=C-3',
      to: '2026-01-31',
    });
    expect(Object.keys(JSON.parse(body))).toEqual(['from', 'to', 'filter', 'events', 'count', 'complete']);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: body.length - 3 }), (length) => {
        const cut = body.slice(0, length);
        expect(() => JSON.parse(cut)).toThrow();
        expect(cut).not.toContain('"complete":true');
      }),
    );
  });
});
