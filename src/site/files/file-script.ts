// The list of releases is larger than the page, so its script is loaded when a reader asks for it.
const versions = document.querySelector<HTMLElement>('#file-versions');
if (versions) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'List the releases of this file';
  button.addEventListener('click', () => {
    button.disabled = true;
    const script = document.createElement('script');
    script.src = versions.dataset.tool!;
    script.addEventListener('error', () => {
      button.disabled = false;
    });
    document.head.append(script);
  });
  versions.append(button);
}
