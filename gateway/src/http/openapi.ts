import { createError } from '@fastify/error'
import type { StaticDocumentSpec } from '@fastify/swagger'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { adminOpenApi, openApi } from 'schema'
import { type Audience, describeApi } from './openapi-document.ts'
import { routeOf } from './route.ts'

const ApiDocsOffError = createError(
  'API_DOCS_OFF',
  'This gateway does not show the description of its API; its operator can switch it on (API_DOCS)',
  404,
)

/**
 * Serves the calls of bots at `/docs` (a page) and `/docs/json` (OpenAPI 3.1), those of
 * administrators at `/docs/admin` and `/docs/admin/json`. They are made at the first request for
 * one of them: it would take a tenth of the start and of the memory, and few ask. Register it
 * before the guard: the page's own files are public.
 * @param isShown otherwise each of these paths is a 404
 */
export function serveApiDocs(app: FastifyInstance, isShown: boolean): void {
  let pages: Promise<FastifyInstance> | undefined
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isShown) throw new ApiDocsOffError()
    pages ??= createPages()
    return forward(await pages, request, reply)
  }
  for (const { config, url } of [routeOf(openApi), routeOf(adminOpenApi)])
    app.route({ method: 'GET', url, config, handler })
  for (const url of ['/docs', '/docs/', '/docs/*']) app.route({ method: 'GET', url, handler })
}

/**
 * Responds as the pages do; Fastify leaves the body out of the response to HEAD. A path that they
 * do not have is a 404 here too.
 */
async function forward(pages: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
  const { url, headers: asked } = request
  const { statusCode, headers, rawPayload } = await pages.inject({ url, headers: asked })
  if (statusCode >= 500) throw new Error(`${url} cannot be made`)
  if (statusCode >= 400) return reply.callNotFound()
  const { connection, date, ...own } = headers
  return reply
    .code(statusCode)
    .headers(own)
    .send(rawPayload.length === 0 ? undefined : rawPayload)
}

/**
 * A server of its own, which is never connected to a socket, with the descriptions and the pages
 * that show them. Loads Swagger.
 */
async function createPages(): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger')
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const app: FastifyInstance = Fastify()
  // Each page is a scope of its own: Swagger's page shows the one description of its scope.
  const add = (routePrefix: string, audience: Audience) =>
    app.register(async (scope) => {
      const document = describeApi(audience)
      await scope.register(swagger, {
        mode: 'static',
        // The plugin's type is that of OpenAPI 3.0; it passes the document on as it is.
        specification: { document } as unknown as StaticDocumentSpec,
      })
      await scope.register(swaggerUi, pageOptions(routePrefix, document.info.title))
    })
  await add('/docs/admin', 'administrators')
  await add('/docs', 'bots')
  await app.ready()
  return app
}

/** The mark of the console (`console/public/favicon.svg`). */
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Sluice</title><rect width="32" height="32" rx="7" fill="#0e6178"/><path d="M6 5.5h4v15H6zM22 5.5h4v15h-4z" fill="#fff"/><path d="M11.5 5.5h9v8.5h-9z" fill="#8fd6e6"/><path d="M5 22.5c2.75-2.4 5.5-2.4 8.25 0s5.5 2.4 8.25 0 5.5-2.4 5.5-2.4M5 27c2.75-2.4 5.5-2.4 8.25 0s5.5 2.4 8.25 0 5.5-2.4 5.5-2.4" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>'

/** The colours of the console, and room for a phone. */
const STYLE = `
.swagger-ui .info { margin: 24px 0 16px }
.swagger-ui .info .title::before {
  content: ''; display: inline-block; width: 32px; height: 32px; margin-right: 12px;
  vertical-align: -4px; background: url(mark.svg) center / contain no-repeat;
}
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #0e6178 }
.swagger-ui .info a, .swagger-ui .opblock-tag a { color: #0e6178 }
.swagger-ui .servers, .swagger-ui .servers-title { display: none }
.swagger-ui .scheme-container { margin: 0; padding: 0; background: none; box-shadow: none }
.swagger-ui .filter-container { margin: 0 }
.swagger-ui .filter .operation-filter-input {
  box-sizing: border-box; width: 100%; margin: 16px 0; padding: 8px 12px;
}
.swagger-ui .btn.authorize, .swagger-ui .btn.execute {
  background: #0e6178; border-color: #0e6178; color: #fff;
}
.swagger-ui .btn.authorize svg { fill: #fff }
/* The page's own name is no part of what is granted. */
.swagger-ui .scope-def { display: none }
.swagger-ui .scopes h2 a { color: #0e6178 }
.swagger-ui :is(.markdown, .renderedMarkdown) code { color: inherit }
.swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 20px }
.swagger-ui .opblock-tag small { flex: 1 1 100%; order: 3; padding: 4px 0 0 }
.swagger-ui .opblock-tag table { margin: 0; font-size: 13px }
.swagger-ui .opblock-tag :is(td, th) { padding: 6px 12px 6px 0; text-align: left; vertical-align: top }
.swagger-ui pre:is(.curl, .example) { max-height: none; overflow: hidden !important }
.swagger-ui pre:is(.curl, .example) :is(code, span) {
  white-space: pre-wrap !important; overflow-wrap: anywhere;
}
.swagger-ui .btn.cancel { color: #b42323; border-color: #b42323 }
.swagger-ui .parameter__in { color: inherit }
.swagger-ui .highlight-code .download-contents { background: #4a5160 }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.swagger-ui .opblock .opblock-summary .view-line-link.copy-to-clipboard { transition: none }
.swagger-ui .opblock .opblock-summary:is(:hover, :focus-within) .view-line-link.copy-to-clipboard {
  flex-shrink: 0; width: 24px; margin: 0 5px;
}
.swagger-ui .opblock-summary-path { line-height: 24px }
.swagger-ui .opblock .opblock-summary-method { color: #fff }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1d7a50 }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f63b0 }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #9a5b00 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #12736a }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b42323 }
html.dark-mode { color-scheme: dark }
html.dark-mode .swagger-ui :is(.scheme-container, .dialog-ux .modal-ux) .btn.authorize,
html.dark-mode .swagger-ui .btn.authorize span { color: #fff }
html.dark-mode .swagger-ui :is(.info, .opblock-tag, .info .url, .scopes h2) a { color: #78c3d5 }
html.dark-mode .swagger-ui .opblock .btn.try-out__btn.cancel { color: #ff9d9d; border-color: #ff9d9d }
html.dark-mode .swagger-ui .headers td.header-col { color: inherit }
@media (prefers-reduced-motion: reduce) {
  .swagger-ui * { transition: none !important; animation: none !important }
}
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui .info .title { font-size: 26px }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100% }
  .swagger-ui .opblock-tag :is(table, tbody, tr, td) { display: block; padding: 2px 0 }
  .swagger-ui .opblock-tag thead { display: none }
  .swagger-ui .opblock-tag code { overflow-wrap: anywhere }
}
`

/**
 * Runs before Swagger's own script starts the page: follows the colours of the system, shows
 * sections without calls, and finds calls by path and summary instead of by section alone.
 */
const SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followSystem()
dark.addEventListener('change', followSystem)

function showEmptySections(original, system) {
  return (...state) => {
    const sections = original(...state)
    const isFiltered = typeof system.layoutSelectors.currentFilter() === 'string'
    if (isFiltered || sections.size === 0) return sections
    const empty = sections.first().update('operations', (calls) => calls.clear())
    return system.specSelectors.tags().reduce((all, tag) => {
      const name = tag.get('name')
      return all.set(name, sections.get(name) ?? empty.set('tagDetails', tag))
    }, sections.clear())
  }
}

function findCalls(sections, phrase) {
  const wanted = phrase.toLowerCase()
  const has = (...texts) => texts.join(' ').toLowerCase().includes(wanted)
  const isFound = (call) => has(call.get('path'), call.getIn(['operation', 'summary']))
  return sections
    .map((section, name) =>
      has(name) ? section : section.update('operations', (calls) => calls.filter(isFound)))
    .filter((section) => section.get('operations').size > 0)
}

// Opens with the focus in its first field, closes with Escape, and gives the focus back.
const authorizationPopup = (Part, { React, authActions }) => (props) => {
  React.useEffect(() => {
    document.querySelector('.modal-ux :is(input, button:not(.close-modal))')?.focus()
    return () => document.querySelector('.auth-wrapper .authorize')?.focus()
  }, [])
  const onKeyDown = ({ key }) => key === 'Escape' && authActions.showDefinitions(false)
  return React.createElement('div', { role: 'dialog', 'aria-label': 'Authorize', onKeyDown },
    React.createElement('h2', { className: 'visually-hidden' }, 'Authorize'),
    React.createElement(Part, props))
}

// For screen readers and the keyboard: a link within the button that opens a call is text alone,
// a button has the name that it shows, and what has no name or no place on the page gets one.
const wrapped = (wrap) => (Part, { React }) => (props) => wrap(React.createElement, Part, props)
const wrapComponents = {
  authorizationPopup,
  Button: wrapped((make, Part, { 'aria-label': _other, ...props }) => make(Part, props)),
  CloseIcon: wrapped((make, Part) =>
    make('span', null, make(Part), make('span', { className: 'visually-hidden' }, 'Close'))),
  DeepLink: wrapped((make, _Link, { text }) => make('span', null, text)),
  TextArea: wrapped((make, Part, props) => make(Part, { 'aria-label': 'Text to send', ...props })),
  InfoContainer: wrapped((make, Part, props) => make('div', { role: 'banner' }, make(Part, props))),
  SchemesContainer: wrapped((make, Part, props) =>
    make('section', { 'aria-label': 'Authorization' }, make(Part, props))),
  FilterContainer: wrapped((make, Part, props) =>
    make('section', { 'aria-label': 'Filter' }, make('h2', { className: 'visually-hidden' }, 'Calls'), make(Part, props))),
}

const SwaggerOfTheBundle = window.SwaggerUIBundle
const sluice = () => ({
  fn: { opsFilter: findCalls },
  wrapComponents,
  statePlugins: { spec: { wrapSelectors: { taggedOperations: showEmptySections } } },
})
window.SwaggerUIBundle = Object.assign(
  (options) => SwaggerOfTheBundle({ ...options, plugins: [...options.plugins, sluice] }),
  SwaggerOfTheBundle,
)
`

/**
 * Swagger's page for one description, with the name of that description. Scalar's has a better list
 * of contents; but it is three times as large, names its maker, and offers services of that maker
 * that would get what people type here.
 */
function pageOptions(routePrefix: string, title: string): FastifySwaggerUiOptions {
  return {
    routePrefix,
    theme: {
      title,
      css: [{ filename: 'sluice.css', content: STYLE }],
      js: [{ filename: 'sluice.js', content: SCRIPT }],
      favicon: [
        ...[
          { filename: 'mark.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: MARK },
        ],
      ],
    },
    uiConfig: {
      // Without the bar that has Swagger's logo and a field for another description.
      layout: 'BaseLayout',
      deepLinking: true,
      filter: true,
      displayRequestDuration: true,
      syntaxHighlight: { theme: 'tomorrow-night' },
      defaultModelsExpandDepth: 0,
      persistAuthorization: false,
      validatorUrl: null,
    },
    // All resources come from this server; the page's script writes its own inline styles.
    staticCSP: {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    },
  }
}
