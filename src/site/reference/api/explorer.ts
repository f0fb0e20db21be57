import type { OpenApiDocument } from '../../../api/openapi/open-api-document.ts';
import type { Operation, Parameter } from '../../../api/openapi/operation.ts';

declare global {
  interface Window {
    /** From swagger-ui-dist, which the page loads first. */
    SwaggerUIBundle: (options: Record<string, unknown>) => unknown;
  }
}

/**
 * Adapts an operation to the form. Conditional headers and their examples are left out, because Swagger UI would fill them in
 * and the first request would get a 412. Select boxes become text fields, because Swagger UI gives them no label.
 */
function formOf(operation: Operation): Operation {
  const own = (operation.parameters ?? []).filter((one): one is Parameter => !('$ref' in one));
  const parameters = own.map(({ name, in: place, required = false, description, example }) => ({
    name,
    in: place,
    required,
    description: `${description} For example: \`${example}\``,
    schema: { type: 'string' },
    example: required ? example : '',
  }));
  return { ...operation, parameters };
}

interface React {
  createElement: (component: unknown, properties: Record<string, unknown>) => unknown;
}

/** The accessible name of a button must contain its visible label, or voice control cannot find it (WCAG 2.5.3). */
const namedAsWritten = {
  wrapComponents: {
    Button:
      (original: unknown, { React }: { React: React }) =>
      (properties: Record<string, unknown>) =>
        React.createElement(original, { ...properties, 'aria-label': undefined }),
  },
};

type Component = (properties: Record<string, unknown>) => unknown;

interface System {
  React: { createElement: (component: unknown, properties: unknown, ...children: unknown[]) => unknown };
}

/** A layout with keys and operations only. Swagger UI's own has a second `main` and `h1`. */
const withinPage = ({ React: { createElement } }: System) => ({
  components: {
    WithinPage: ({ getComponent }: { getComponent: (name: string, container?: boolean) => Component }) => {
      const [Column, Row] = [getComponent('Col'), getComponent('Row')];
      const part = (name: string) => createElement(getComponent(name, true), {});
      const keys = createElement(
        Column,
        { className: 'schemes wrapper', mobile: 12 },
        part('AuthorizeBtnContainer'),
      );
      const operations = createElement(Column, { mobile: 12, desktop: 12 }, part('operations'));
      return createElement(
        'div',
        { className: 'swagger-ui' },
        createElement(getComponent('SvgAssets'), {}),
        createElement('div', { className: 'scheme-container' }, keys),
        createElement(Row, {}, operations),
      );
    },
  },
});

async function explore(): Promise<void> {
  const spec = (await (await fetch('/openapi.json')).json()) as OpenApiDocument;
  const [server] = spec.servers;
  const { pathname } = new URL(server?.url ?? '/', location.href);
  // Send requests to the page's own origin, whatever base URL the document states. The content policy allows no other.
  spec.servers = [{ url: location.origin + pathname.replace(/\/$/, '') }];
  for (const item of Object.values(spec.paths)) if (item.get) item.get = formOf(item.get);
  window.SwaggerUIBundle({
    spec,
    domNode: document.getElementById('explorer'),
    docExpansion: 'list',
    // Links inside buttons are not accessible.
    deepLinking: false,
    // The pages of the files have the fields.
    defaultModelsExpandDepth: -1,
    // No request to an external validator.
    validatorUrl: null,
    // Its colours have insufficient contrast.
    syntaxHighlight: false,
    plugins: [namedAsWritten, withinPage],
    layout: 'WithinPage',
    supportedSubmitMethods: ['get', 'post'],
    tryItOutEnabled: true,
  });
}

void explore();
