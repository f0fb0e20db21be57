import { formatCell } from '../../artifacts/format/csv.ts';

/** A ledger line of the usual spelling, up to its type. */
const HEAD =
  /^\{"seq":(\d{1,15}),"timestamp":"([0-9TZ:.-]+)","cycle":"(C-\d+)","type":"([a-z0-9_]+)","agent":"[^"\\]*","data":\{/;

/** The data of a mint, in which no text needs quotes in a CSV, and what follows it. */
const MINT =
  /"sentinel":"([^"\\,=+@\t\r\n-][^"\\,\r\n]*)","cathedral":"([A-Z-]+)","coordination_score":(\d{1,15}(?:\.\d{1,15})?),"multiplier":[\d.]+,"amount":"(\d{1,15}(?:\.\d{1,6})?)"\},"salt":"[\w-]*"\}$/y;

/**
 * The row of mic-history.csv that a line gives, without a JSON parser; empty for an event of another type. Null: its spelling is unusual, so
 * it has to be parsed.
 */
export function mintRow(line: string, index: number): string | null {
  const head = HEAD.exec(line);
  if (!head || head[1] !== String(index)) return null;
  if (head[4] !== 'mic_mint') return '';
  MINT.lastIndex = head[0].length;
  const data = MINT.exec(line);
  if (!data) return null;
  const [, sentinel, cathedral, score, amount] = data;
  // A number is written as it would be after a parse.
  if (String(Number(score)) !== score) return null;
  const cells = [sentinel, formatCell(amount!, 'decimal'), cathedral, formatCell(Number(score), 'number')];
  return `${head[2]},${head[3]},${cells.join(',')}\n`;
}
