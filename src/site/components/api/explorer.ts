import type { OpenApiDocument } from '../../../api/openapi/open-api-document.ts';
import type { Operation, Parameter } from '../../../api/openapi/operation.ts';

declare global {
  interface Window {
    /** Of swagger-ui-dist, which the page loads before this. */
    SwaggerUIBundle: (options: Record<string, unknown>) => unknown;
  }
}

/**
 * An operation as a form. Conditions are left out, and examples with them: Swagger UI fills them in, and a first try should
 * not be answered 412. Lists to choose from become text: they have no label.
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

/** A button is called what is written on it, or nobody could say its name (WCAG 2.5.3). */
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

/** Keys and operations. The layout of Swagger UI has a second main element, and a heading of the first level. */
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
  // To where the page is from, whatever address the service is published under: no other is let through.
  spec.servers = [{ url: location.origin + pathname.replace(/\/$/, '') }];
  for (const item of Object.values(spec.paths)) if (item.get) item.get = formOf(item.get);
  window.SwaggerUIBundle({
    spec,
    domNode: document.getElementById('explorer'),
    docExpansion: 'list',
    // Links inside of buttons, which keyboards and screen readers cannot tell apart.
    deepLinking: false,
    // The page of an area has the fields.
    defaultModelsExpandDepth: -1,
    // No request to a validator elsewhere.
    validatorUrl: null,
    // Its colours have too little contrast.
    syntaxHighlight: false,
    plugins: [namedAsWritten, withinPage],
    layout: 'WithinPage',
    supportedSubmitMethods: ['get', 'post'],
    tryItOutEnabled: true,
  });
}

void explore();
