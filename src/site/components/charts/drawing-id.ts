import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';

/** Pixels. */
const WIDE = 780;

/** The id of a chart's wide drawing in a page, by which the page shows it a second time. */
export function drawingId(chart: string): string {
  return `drawing-${chart}`;
}

/** A chart as wide as the text of a page, and its size. */
export function drawnWide(chart: Chart, data: unknown): { svg: string; viewBox: string } {
  const svg = chart.draw(data, DEFAULT_STATE, { width: WIDE, theme: 'page', parts: 'plot' });
  const [, viewBox = ''] = /^<svg [^>]*?viewBox="([^"]*)"/.exec(svg) ?? [];
  return { svg: svg.replace('<svg', `<svg id="${drawingId(chart.id)}"`), viewBox };
}
