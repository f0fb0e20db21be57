/** The rows of a text, one a line, with their cells between ` | `; ¶ is a line end. */
export function rowsOf<Row extends string[]>(text: string): Row[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.split(' | ').map((cell) => cell.replaceAll('¶', '\n')) as Row);
}
