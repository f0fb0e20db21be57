import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orNull } from '../../../pipeline/errors.ts';
import { formatFault, isTimeZone, parseTime } from '../../../pipeline/sources/rows/local-time.ts';
import { messageOf } from '../../fault-of.ts';

// Intl knows PST and BST, but no time can be read with them; America/Panama is what EST means.
test('a time zone is one with which times are read as whoever writes it means', () => {
  const zones = [
    'Europe/Berlin',
    'UTC',
    'CET',
    'Etc/GMT+5',
    '+02:00',
    'EST',
    'MST',
    'PST',
    'BST',
    'IST',
    'Berlin',
    '2026-10-01T08:00+02:00',
    '2026-10-01T08:00[Europe/Berlin]',
  ];
  expect(zones.filter(isTimeZone)).toEqual(zones.slice(0, 5));
});

describe('a time', () => {
  test.for([
    ['2026-10-01T06:00:00Z', {}, '2026-10-01T06:00:00Z'],
    ['2026-10-01 06:00:00.123456+00', {}, '2026-10-01T06:00:00.123456Z'],
    ['2026-10-01T08:00+0200', {}, '2026-10-01T06:00:00Z'],
    ['2026-10-01 08:00', { zone: 'Europe/Berlin' }, '2026-10-01T06:00:00Z'],
    ['2026-12-01', { zone: 'Europe/Berlin' }, '2026-12-01T00:00:00Z'],
    ['2026-12-01 00:00', { zone: 'Europe/Berlin' }, '2026-11-30T23:00:00Z'],
    ['2026-03-01 10:00:00 UTC', {}, '2026-03-01T10:00:00Z'],
    ['2026-03-01 10:00 +01', {}, '2026-03-01T09:00:00Z'],
    ['1.3.2026 10:00 UTC', { format: 'd.M.yyyy HH:mm XXX' }, '2026-03-01T10:00:00Z'],
    ['2026/10/01 8:00:00 PM GMT+2', { format: 'yyyy/MM/dd h:mm:ss a XXX' }, '2026-10-01T18:00:00Z'],
    ['2026/10/01 8:00:00 AM GMT-9:30', { format: 'yyyy/MM/dd h:mm:ss a XXX' }, '2026-10-01T17:30:00Z'],
    ['Thu Oct 01 2026 08:00:00 GMT+0200', { format: 'EEE MMM dd yyyy HH:mm:ss XXX' }, '2026-10-01T06:00:00Z'],
    ['1790834400.123456', { format: 'unix' }, '2026-10-01T06:00:00.123456Z'],
    ['1790834400250.5', { format: 'unix-ms' }, '2026-10-01T06:00:00.2505Z'],
    ['1790834400123450', { format: 'unix-us' }, '2026-10-01T06:00:00.12345Z'],
    ['46296.25', { format: 'excel', zone: 'UTC' }, '2026-10-01T06:00:00Z'],
    ['46296,25', { format: 'excel', zone: 'Europe/Berlin' }, '2026-10-01T04:00:00Z'],
    ['46296.08333', { format: 'excel', zone: 'Europe/Berlin' }, '2026-10-01T00:00:00Z'],
    ['46296.3472222222', { format: 'excel', zone: 'UTC' }, '2026-10-01T08:20:00Z'],
    ['46296.25000289', { format: 'excel', zone: 'UTC' }, '2026-10-01T06:00:00.25Z'],
    ['1790834400', { format: 'unix' }, '2026-10-01T06:00:00Z'],
    ['1790834400250', { format: 'unix-ms' }, '2026-10-01T06:00:00.25Z'],
    ['10/1/2026 6:05 PM', { format: 'M/d/yyyy h:mm a', zone: 'America/New_York' }, '2026-10-01T22:05:00Z'],
    ['10/1/2026, 6:05:00\u202fPM', { format: 'M/d/yyyy, h:mm:ss a', zone: 'UTC' }, '2026-10-01T18:05:00Z'],
    ['1/10/2026 6:05 p. m.', { format: 'd/M/yyyy h:mm a', zone: 'UTC' }, '2026-10-01T18:05:00Z'],
    ['1/10/2026 12:05 a.m.', { format: 'd/M/yyyy h:mm a', zone: 'UTC' }, '2026-10-01T00:05:00Z'],
    ['01-OCT-26', { format: 'dd-MMM-yy' }, '2026-10-01T00:00:00Z'],
    ['5 de enero de 2026', { format: "d 'de' MMMM 'de' yyyy", language: 'es' }, '2026-01-05T00:00:00Z'],
    ['01. Mrz 26', { format: 'dd. MMM yy', language: 'de' }, '2026-03-01T00:00:00Z'],
    ['01. Sep 26', { format: 'dd. MMM yy', language: 'de-CH' }, '2026-09-01T00:00:00Z'],
    ['1 sep 2026', { format: 'd MMM yyyy', language: 'es' }, '2026-09-01T00:00:00Z'],
    ['1 AOUT 2026', { format: 'd MMMM yyyy', language: 'fr' }, '2026-08-01T00:00:00Z'],
    ['1 červen 2026', { format: 'd MMMM yyyy', language: 'cs' }, '2026-06-01T00:00:00Z'],
    ['2 HAZİRAN 2026', { format: 'd MMMM yyyy', language: 'tr' }, '2026-06-02T00:00:00Z'],
    ['2 KASIM 2026', { format: 'd MMMM yyyy', language: 'tr' }, '2026-11-02T00:00:00Z'],
    ['02-ARA-26', { format: 'dd-MMM-yy', language: 'tr' }, '2026-12-02T00:00:00Z'],
    ['1.Sep.2026', { format: 'd.MMM.yyyy' }, '2026-09-01T00:00:00Z'],
    ['5 มี.ค. 2026', { format: 'd MMM yyyy', language: 'th' }, '2026-03-05T00:00:00Z'],
    ['5 ינו׳ 2026', { format: 'd MMM yyyy', language: 'he' }, '2026-01-05T00:00:00Z'],
    ['5 जन॰ 2026', { format: 'd MMM yyyy', language: 'hi' }, '2026-01-05T00:00:00Z'],
    [
      'segunda-feira, 5 de outubro de 2026',
      { format: "EEEE, d 'de' MMMM 'de' yyyy", language: 'pt-BR' },
      '2026-10-05T00:00:00Z',
    ],
    ['سه\u200cشنبه 6 اکتبر 2026', { format: 'EEEE d MMMM yyyy', language: 'fa' }, '2026-10-06T00:00:00Z'],
    ['Thứ Hai, 5/10/2026', { format: 'EEEE, d/M/yyyy', language: 'vi' }, '2026-10-05T00:00:00Z'],
    ['5 জানু 2026', { format: 'd MMM yyyy', language: 'bn' }, '2026-01-05T00:00:00Z'],
    ['5 फरवरी 2026', { format: 'd MMMM yyyy', language: 'hi' }, '2026-02-05T00:00:00Z'],
    ['5 ינואר 2026', { format: 'd MMMM yyyy', language: 'he' }, '2026-01-05T00:00:00Z'],
    ['5 יאנואר 2026', { format: 'd MMMM yyyy', language: 'yi' }, '2026-01-05T00:00:00Z'],
    ['5 ஜன. 2026', { format: 'd MMM yyyy', language: 'ta' }, '2026-01-05T00:00:00Z'],
    ['5 اکتبر 2026', { format: 'd MMMM yyyy', language: 'fa' }, '2026-10-05T00:00:00Z'],
    ['Oct  1 2026  6:00AM', { format: 'MMM d yyyy h:mma', zone: 'UTC' }, '2026-10-01T06:00:00Z'],
    ['3. Jänner 2026', { format: 'd. MMMM yyyy', language: 'de' }, '2026-01-03T00:00:00Z'],
    [
      '01.10.2026 08:00 Uhr',
      { format: "dd.MM.yyyy HH:mm 'Uhr'", zone: 'Europe/Berlin' },
      '2026-10-01T06:00:00Z',
    ],
    [
      '01.10.2026 08:00:00.123450',
      { format: 'dd.MM.yyyy HH:mm:ss.SSSSSS', zone: 'UTC' },
      '2026-10-01T08:00:00.123450Z',
    ],
    ['2026-03', { format: 'yyyy-MM', zone: 'Asia/Tokyo' }, '2026-03-01T00:00:00Z'],
    ['März 2026', { format: 'MMMM yyyy', language: 'de' }, '2026-03-01T00:00:00Z'],
    ['20261001T060000', { format: 'yyyyMMddTHHmmss', zone: 'UTC' }, '2026-10-01T06:00:00Z'],
    [
      '25.10.2026 02:30',
      { format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin', ambiguous: 'earlier' },
      '2026-10-25T00:30:00Z',
    ],
    [
      '25.10.2026 02:30',
      { format: 'dd.MM.yyyy HH:mm', zone: 'Europe/Berlin', ambiguous: 'later' },
      '2026-10-25T01:30:00Z',
    ],
  ] as const)('%s with %j is %s', ([text, how, expected]) => {
    expect(parseTime(text, how)).toBe(expected);
  });

  test.for([
    ['2026-10-25 02:30', { zone: 'Europe/Berlin' }, 'occurs once in Europe/Berlin'],
    [
      '2026-03-29 02:30',
      { zone: 'Europe/Berlin' },
      'clocks were set forward over this one. Correct it, or name the "zone"',
    ],
    ['2026-02-29', { zone: 'UTC' }, 'exists in the calendar'],
    ['2026-12-31T23:59:60Z', {}, 'exists in the calendar'],
    ['2026-12-31T24:00:00Z', {}, 'exists in the calendar'],
    ['2026-12-31T06:00:00+25:00', {}, 'exists in the calendar'],
    ['1405/07/09', { format: 'yyyy/MM/dd' }, 'a year of the Gregorian calendar'],
    ['1405-07-09T06:00:00Z', {}, 'a year of the Gregorian calendar'],
    ['Sat Oct Nov Dec 05 2026', { format: 'EEE MMM dd yyyy' }, 'in the format EEE MMM dd yyyy'],
    ['not before Mon, 5 Oct 2026', { format: 'EEE, d MMM yyyy' }, 'in the format EEE, d MMM yyyy'],
    ['1 S.e.p. 2026', { format: 'd MMM yyyy' }, 'in the format d MMM yyyy'],
    [
      '16.12.1447 00:02',
      { format: 'dd.MM.yyyy HH:mm', zone: 'Asia/Riyadh' },
      'a year of the Gregorian calendar',
    ],
    ['2026-10-01 10:00 UTC+123', { format: 'yyyy-MM-dd HH:mm XXX' }, 'in the format yyyy-MM-dd HH:mm XXX'],
    ['2026-13', { format: 'yyyy-MM' }, 'exists in the calendar'],
    ['2026-03-02', { format: 'yyyy-MM' }, 'in the format yyyy-MM'],
    ['2026-03', {}, 'for months, "format": "yyyy-MM"'],
    ['29.02.2026 06:00', { format: 'dd.MM.yyyy HH:mm', zone: 'UTC' }, 'exists in the calendar'],
    ['1790834400250', { format: 'unix' }, 'Unix time in seconds'],
    ['20261001', { format: 'unix' }, 'Unix time in seconds'],
    ['1790834400', { format: 'unix-ms' }, 'Unix time in milliseconds'],
    ['1790834400000000000', { format: 'unix-ms' }, 'Unix time in milliseconds'],
    ['1 jui 2026', { format: 'd MMM yyyy', language: 'fr' }, 'a month, such as janvier'],
    ['15 مهر 1405', { format: 'd MMMM yyyy', language: 'fa' }, 'a month, such as ژانویه'],
    ['1 ma 2026', { format: 'd MMM yyyy' }, 'a month, such as january'],
    ['13:00 PM', { format: 'yyyy-MM-dd h:mm a', zone: 'UTC' }, 'in the format'],
    [
      '2026-10-01 13:05 PM',
      { format: 'yyyy-MM-dd h:mm a', zone: 'UTC' },
      'an hour from 1 to 12 with am or pm',
    ],
    ['2026-10-01 00:05 am', { format: 'yyyy-MM-dd hh:mm a', zone: 'UTC' }, 'an hour from 1 to 12'],
    ['59', { format: 'excel', zone: 'UTC' }, 'a day number of Excel'],
  ] as const)('%s with %j is refused', ([text, how, expected]) => {
    expect(messageOf(() => parseTime(text, how))).toContain(expected);
  });

  test.each([
    ['yyyy-MM-dd', null],
    ['yy/M/d h:mm a', null],
    ["yyyy'年'M'月'", null],
    ['unix-ms', null],
    ['yyyy-MM-dd q', 'only the letters '],
    ['yyyy-MM-dd MM', 'each part of a time once'],
    ['MMM yy, yyyy', 'each part of a time once'],
    ['dd.MM.', 'a year and a month'],
    ['yyyy', 'a year and a month'],
    ['yyyy-MM HH', 'a day, where there is an hour'],
    ['yyyy-MM-dd h:mm', 'h together with a (am or pm)'],
    ['yyyy-MM-dd HH:mm a', 'h together with a (am or pm)'],
  ])('of a format needs the parts of a time, each once: %s', (format, fault) => {
    if (fault === null) expect(formatFault(format)).toBeNull();
    else expect(formatFault(format)).toContain(fault);
  });

  test('with the name of a month has that month in each language, or is refused', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
    const tags = letters.flatMap((first) => letters.map((second) => first + second));
    const others: string[] = [];
    for (const language of [...Intl.DateTimeFormat.supportedLocalesOf(tags), 'dyo'])
      for (const month of ['long', 'short'] as const) {
        const how = { month, day: 'numeric', calendar: 'gregory', timeZone: 'UTC' } as const;
        const format = new Intl.DateTimeFormat(language, how);
        for (let at = 1; at <= 12; at += 1) {
          const parts = format.formatToParts(Date.UTC(2026, at - 1, 5));
          const text = `5 ${parts.find(({ type }) => type === 'month')!.value} 2026`;
          const read = orNull(() => parseTime(text, { format: 'd MMM yyyy', language }));
          if (read !== null && Number(read.slice(5, 7)) !== at) others.push(`${language} ${text}: ${read}`);
        }
      }
    expect(others).toEqual([]);
  });

  test('in UTC is what the calendar says, or refused', () => {
    const digits = (most: number, length: number) =>
      fc.integer({ min: 0, max: most }).map((number) => `${number}`.padStart(length, '0'));
    const written = fc.tuple(
      fc.tuple(fc.constantFrom('2024', '2026', '2100'), digits(13, 2), digits(32, 2)),
      fc.tuple(digits(24, 2), digits(60, 2), digits(60, 2)),
      fc.constantFrom('', '.5', '.123456', '.000000000'),
      fc.constantFrom('Z', '+00', '+00:00', ' UTC'),
    );
    const check = fc.property(written, ([day, time, fraction, zone]) => {
      const text = `${day.join('-')}T${time.join(':')}`;
      const isReal =
        messageOf(() => Temporal.PlainDateTime.from(text, { overflow: 'reject' })) === 'accepted' &&
        time[2] !== '60';
      const read = messageOf(() => parseTime(`${text}${fraction}${zone}`, {}));
      expect(read).toBe(isReal ? 'accepted' : 'a time that exists in the calendar');
      if (isReal) expect(parseTime(`${text}${fraction}${zone}`, {})).toBe(`${text}${fraction}Z`);
    });
    fc.assert(check, { numRuns: 500 });
  });
});
