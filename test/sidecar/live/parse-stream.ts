export interface Message {
  event?: string;
  data?: string;
  id?: string;
  retry?: string;
}

/** Parses server-sent events (HTML standard, §9.2.6) as far as this service uses them; ignores comments. */
export function parseStream(text: string): Message[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks
    .map((block) => {
      const fields = block.split('\n').filter((line) => !line.startsWith(':'));
      return Object.fromEntries(fields.map((line) => /^(\w+): ?(.*)$/s.exec(line)!.slice(1, 3)));
    })
    .filter((message) => Object.keys(message).length > 0);
}
