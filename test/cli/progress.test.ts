import { describe, expect, test } from 'vitest';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { Progress } from '../../src/commands/progress.ts';

function written(isTTY: boolean, use: (progress: Progress, wait: (ms: number) => void) => void): string {
  let text = '';
  let clock = Date.parse('2025-12-01T06:01:00Z');
  const write = (piece: string) => {
    text += piece;
  };
  const progress = new Progress({ isTTY, write }, () => clock);
  use(progress, (ms) => {
    clock += ms;
  });
  return text;
}

/** What a terminal shows in the end: a carriage return and an erased line remove what was there. */
function shown(text: string): string[] {
  return text.split('\n').map((line) => line.split('\r\u001b[K').at(-1)!);
}

describe('progress', () => {
  const work = (progress: Progress, wait: (ms: number) => void) => {
    progress.stage('reading');
    wait(1500);
    progress.stage('rendering');
    wait(20);
    progress.note('a word in between');
    progress.stage('printing');
    wait(65_000);
    progress.end('failed');
    progress.end();
  };

  test('in a log is one line per stage, with its end and its duration', () => {
    expect(written(false, work).trimEnd().split('\n')).toEqual([
      '2025-12-01T06:01:01.500Z reading (1.5 s)',
      '2025-12-01T06:01:01.520Z rendering',
      '2025-12-01T06:01:01.520Z a word in between',
      '2025-12-01T06:02:06.520Z printing: failed (1 min 5 s)',
    ]);
  });

  test('on a terminal shows the current stage, and leaves the same lines', () => {
    const text = written(true, work);
    expect(text).toContain('\r\u001b[Kreading …');
    expect(shown(text)).toEqual([
      'reading (1.5 s)',
      'rendering',
      'a word in between',
      'printing: failed (1 min 5 s)',
      '',
    ]);
  });

  test('shows by its number what nobody sees or what controls a terminal, in whatever it says', () => {
    const cell = '"\u200e1\u200b/\u009b31m\u202e\u00ad"';
    const seen = '"\\u{200e}1\\u{200b}/\\u{9b}31m\\u{202e}\\u{ad}"';
    const say = (progress: Progress) => {
      progress.fault(`found ${cell}\nin two lines`);
      progress.note(cell);
      progress.stage(cell);
      progress.end();
    };
    expect(shown(written(true, say))).toEqual([`found ${seen}`, 'in two lines', seen, seen, '']);
    expect(written(true, say)).toContain(`${seen} …`);
    const lines = written(false, (progress) => {
      progress.serve();
      say(progress);
    });
    const texts = lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(texts).toEqual([`found ${seen}\nin two lines`, seen, seen]);
  });

  test('in the log of a service is one JSON object per line', () => {
    const lines = written(false, (progress, wait) => {
      expect(progress.serve()).toBe(true);
      work(progress, wait);
      progress.fault('two\nlines', 'error', { code: 'site_failed' });
    });
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { level: 30, time: '2025-12-01T06:01:01.500Z', msg: 'reading (1.5 s)' },
      { level: 30, time: '2025-12-01T06:01:01.520Z', msg: 'rendering' },
      { level: 30, time: '2025-12-01T06:01:01.520Z', msg: 'a word in between' },
      { level: 30, time: '2025-12-01T06:02:06.520Z', msg: 'printing: failed (1 min 5 s)' },
      { level: 50, time: '2025-12-01T06:02:06.520Z', code: 'site_failed', msg: 'two\nlines' },
    ]);
  });

  test('of a service on a terminal stays text', () => {
    const text = written(true, (progress) => {
      expect(progress.serve()).toBe(false);
      progress.fault('what went wrong');
    });
    expect(text).toBe('what went wrong\n');
  });

  test.each([
    [100, '0.1 s'],
    [59_940, '59.9 s'],
    [59_999, '60.0 s'],
    [119_900, '2 min 0 s'],
  ])('writes %d ms as %s', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });
});
