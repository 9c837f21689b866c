import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

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
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; margin: 16px 0; padding: 8px 12px }
.swagger-ui .btn.authorize, .swagger-ui .btn.execute {
  background: #0e6178; border-color: #0e6178; color: #fff;
}
.swagger-ui .btn.authorize svg { fill: #fff }
/* The page's own name is no part of what is granted. */
.swagger-ui .scope-def { display: none }
.swagger-ui :is(.markdown, .renderedMarkdown) code { color: inherit }
.swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 20px }
.swagger-ui .opblock-tag small { flex: 1 1 100%; order: 3; padding: 4px 0 0 }
.swagger-ui .opblock-tag table { margin: 0; font-size: 13px }
.swagger-ui .opblock-tag :is(td, th) { padding: 6px 12px 6px 0; text-align: left; vertical-align: top }
html.dark-mode .swagger-ui .btn.authorize { color: #fff }
html.dark-mode { color-scheme: dark }
html.dark-mode .swagger-ui :is(.info, .opblock-tag) a { color: #78c3d5 }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 12px }
  .swagger-ui .info .title { font-size: 26px }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100% }
  .swagger-ui .opblock-tag { overflow-x: auto }
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

const SwaggerOfTheBundle = window.SwaggerUIBundle
const sluice = () => ({
  fn: { opsFilter: findCalls },
  statePlugins: { spec: { wrapSelectors: { taggedOperations: showEmptySections } } },
})
window.SwaggerUIBundle = Object.assign(
  (options) => SwaggerOfTheBundle({ ...options, plugins: [...options.plugins, sluice] }),
  SwaggerOfTheBundle,
)
`

/** Swagger's page for one description, with the name of that description. */
export function pageOptions(routePrefix: string, title: string): FastifySwaggerUiOptions {
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
