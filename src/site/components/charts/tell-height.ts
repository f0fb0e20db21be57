/** What a page gets that has an embed in a frame, each time that the height of the embed has changed. */
export interface HeightMessage {
  type: 'cathedral-embed';
  /** Id of the chart. */
  chart: string;
  /** px */
  height: number;
}

/** Tells the page around the frame how high this one is, now and whenever it changes; it holds nothing that is secret. */
export function tellHeight(chart: string): void {
  if (window.parent === window) return;
  let told = 0;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    window.parent.postMessage({ type: 'cathedral-embed', chart, height } satisfies HeightMessage, '*');
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}
