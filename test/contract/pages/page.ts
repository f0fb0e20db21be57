/** What a program reads of a page, without a script and without styles. */
export class Page {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }

  get title(): string {
    return text(/<title>(.*?)<\/title>/s.exec(this.html)?.[1] ?? '');
  }

  get language(): string | undefined {
    return /^<!doctype html>\s*<html lang="([^"]+)"/i.exec(this.html)?.[1];
  }

  get canonical(): string | undefined {
    return /<link rel="canonical" href="([^"]+)"/.exec(this.html)?.[1];
  }

  /** The words of the body. */
  get words(): string {
    const body = this.html.slice(this.html.indexOf('<body'));
    return text(body.replaceAll(/<(script|svg)\b.*?<\/\1>/gs, ' ').replaceAll(/<[^>]+>/g, ' '))
      .replaceAll(/\s+/g, ' ')
      .trim();
  }

  get headings(): number[] {
    return [...this.html.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level));
  }

  get links(): string[] {
    return [...this.html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, href]) => text(href!));
  }

  get ids(): Set<string> {
    return new Set([...this.html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => text(id!)));
  }

  get times(): string[] {
    return [...this.html.matchAll(/<time [^>]*datetime="([^"]*)"/g)].map(([, time]) => time!);
  }

  /** Scripts, styles and handlers that stand in the page itself, which its Content-Security-Policy forbids. */
  get inline(): string[] {
    const found = this.html.match(
      /<script(?![^>]* src="\/_astro\/| type="application\/(?:ld\+)?json")[^>]*>|<style|<[a-z][^>]*\s(?:style|on[a-z]+)=|="javascript:/gi,
    );
    return found ?? [];
  }

  /** The rows of its tables, cells as text. */
  get tables(): string[][][] {
    return [...this.html.matchAll(/<table\b.*?<\/table>/gs)].map(([table]) =>
      [...table.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
        [...row!.matchAll(/<t[hd]\b[^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
          text(cell!.replaceAll(/<[^>]+>/g, ''))
            .replaceAll(/\s+/g, ' ')
            .trim(),
        ),
      ),
    );
  }
}

function text(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&quot;|&#34;/g, '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&');
}
