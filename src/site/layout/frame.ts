/** What the frame of every page does with keys and clicks. Without this script the menu and the search work all the same. */

const menu = document.querySelector<HTMLDetailsElement>('.menu');
const summary = menu?.querySelector('summary');

function closeMenu(): void {
  if (menu) menu.open = false;
}

/** A page with a search of its own has that one focused. */
function searchField(): HTMLInputElement | null {
  const field = 'input[type="search"][name="q"]';
  return document.querySelector<HTMLInputElement>(`main ${field}`) ?? document.querySelector(field);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  );
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { key, target } = event;
  const field = searchField();
  if (key === '/' && field?.checkVisibility() && !isTyping(target)) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (key === 'Escape' && menu?.open) {
    closeMenu();
    summary?.focus();
  } else if (key === 'Escape' && target instanceof HTMLInputElement && target.matches('.site-search input')) {
    // Once to clear the field, as browsers do it, and once to leave it.
    if (target.value === '') target.blur();
  }
}

document.addEventListener('keydown', press);
// A reader who goes on elsewhere has no use for an open menu.
for (const type of ['pointerdown', 'focusin'] as const) {
  document.addEventListener(type, ({ target }) => {
    if (menu?.open && target instanceof Node && !menu.contains(target)) closeMenu();
  });
}

// On a phone the row of areas may be wider than the window. The observer is called after the page’s first layout; asking for widths
// here would make the browser compute it twice.
const row = document.querySelector('.site-nav ul');
const current = row?.querySelector<HTMLElement>('[aria-current]');
if (row && current) {
  const observer = new ResizeObserver(() => {
    observer.disconnect();
    row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  });
  observer.observe(row);
}
