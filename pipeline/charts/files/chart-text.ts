import { chartCsv } from '../chart-table.ts';
import type { ThemeName } from '../drawing/theme.ts';
import { formatChartDocument } from './chart-document.ts';
import { FILE_WIDTH, type MadeKind, type ShownChart } from './chart-formats.ts';

/**
 * The text of a chart's file; for a PNG, the drawing that it is rasterised from. The same chart, state and sources give the
 * same text. Throws usage if the state names a series that the data does not have.
 */
export function chartText(shown: ShownChart, kind: MadeKind, theme: ThemeName): string {
  if (kind === 'document') return formatChartDocument(shown);
  return kind === 'rows' ? chartCsv(shown.chart.show(shown.state)) : drawChart(shown, theme);
}

/** An SVG document that needs nothing but its fonts, and names substitutes for those. */
export function drawChart({ chart, state }: ShownChart, theme: ThemeName): string {
  return `${chart.show(state).draw({ width: FILE_WIDTH, theme })}\n`;
}
