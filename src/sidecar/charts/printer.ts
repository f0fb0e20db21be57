import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { type ChartPrint, printCharts } from '../../../pipeline/charts/files/print-charts.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { Problem } from '../../api/problem.ts';
import { FairQueue } from './fair-queue.ts';

/** Prints a chart for a client. Throws a Problem. */
export type PrintChart = (client: string, chart: ChartPrint) => Promise<Uint8Array>;

/** A browser takes a second and some hundred MiB, so one at a time; the last one that waits takes as long as a slow page. */
const QUEUE = { parallel: 1, waiting: 20 };

/** With a browser of its own for each chart, which ends with it, so that nothing stays in memory of what is rarely asked for. */
export function chartPrinter(chromium: string, onError: (error: unknown) => void): PrintChart {
  const queue = new FairQueue(QUEUE);
  return (client, chart) =>
    queue.run(client, async () => {
      const profile = await mkdtemp(join(tmpdir(), 'cathedral-print-'));
      try {
        const [pdf] = await printCharts([chart], { chromium, profile });
        return pdf!;
      } catch (error) {
        onError(error);
        throw noPrinter('its browser failed; the log of the server has the reason');
      } finally {
        await rm(profile, { recursive: true, force: true, maxRetries: 3 });
      }
    });
}

/** The browser for printing; null if there is none, or if nothing is to be printed. */
export function printingBrowser(configured: string | null, withoutPdf: boolean, path: string): string | null {
  if (withoutPdf) return null;
  try {
    return findChromium({ configured, path });
  } catch (error) {
    if (error instanceof CathedralError && error.code === 'browser_missing') return null;
    throw error;
  }
}

export function noPrinter(reason: string): Problem {
  return new Problem(
    'format_not_offered',
    `This server cannot print a chart in the state requested: ${reason}. Its SVG, PNG, CSV and JSON are offered, and its PDF without parameters.`,
  );
}
