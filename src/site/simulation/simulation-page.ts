/**
 * The page before anybody plays: a list of scenarios. What plays them is loaded when one is chosen, or when the address names a
 * run.
 */
const simulation = document.querySelector<HTMLElement>('#simulation');

function load(): void {
  const script = document.createElement('script');
  script.type = 'module';
  script.src = simulation!.dataset.play!;
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
  // From now on, what is loaded follows links and addresses.
  document.removeEventListener('click', choose);
  load();
}

/** Prints the sheet alone, without the rest of the page. */
function printSheet(): void {
  document.body.dataset.print = 'sheet';
  addEventListener('afterprint', () => delete document.body.dataset.print, { once: true });
  print();
}

if (simulation) {
  document.querySelector('[data-do="print-sheet"]')!.addEventListener('click', printSheet);
  if (new URLSearchParams(location.search).has('scenario')) load();
  else document.addEventListener('click', choose);
}
