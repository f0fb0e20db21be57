/**
 * The page before anybody plays: a list of scenarios. What plays them is loaded when one is chosen, or when the address names a
 * run.
 */
const simulation = document.querySelector<HTMLElement>('#simulation');

function load(): void {
  if (document.querySelector('script[data-play]')) return;
  const script = document.createElement('script');
  script.src = simulation!.dataset.play!;
  script.dataset.play = '';
  script.addEventListener('error', () => {
    const said = simulation!.querySelector('[data-part="fault"]')!;
    said.textContent = 'The simulation could not be loaded. Reload the page to try again.';
  });
  document.head.append(script);
}

function choose(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-scenario]');
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, '', `?scenario=${link.dataset.scenario}`);
  load();
  // What is loaded already hears of it; what is being loaded reads the address.
  dispatchEvent(new Event('simulation-chosen'));
}

/** Prints the sheet alone, without the rest of the page. */
function printSheet(): void {
  document.body.dataset.print = 'sheet';
  addEventListener('afterprint', () => delete document.body.dataset.print, { once: true });
  print();
}

if (simulation) {
  document.addEventListener('click', choose);
  document.querySelector('[data-do="print-sheet"]')!.addEventListener('click', printSheet);
  if (new URLSearchParams(location.search).has('scenario')) load();
}
