import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

const running = {
  version: Type.String({ description: 'The number of the release' }),
  commit: Type.String({
    description: 'The first 12 digits of the commit, or `unknown commit`',
  }),
}
const sampleRunning = { version: '1.0.0', commit: '9fceb02d0ae5' }

export const healthLive = endpoint({
  id: 'healthLive',
  method: 'GET',
  path: '/health/live',
  tag: 'Operations',
  summary: 'The process is running; checks nothing else',
  access: 'public',
  anywhere: true,
  response: Type.Object({ status: Type.String(), ...running }),
  sample: { response: { status: 'ok', ...sampleRunning } },
})

export const healthReady = endpoint({
  id: 'healthReady',
  method: 'GET',
  path: '/health/ready',
  tag: 'Operations',
  summary: 'The gateway accepts requests; otherwise 503 with the reasons',
  description:
    'Covers what a restart or another machine could fix: the database and its version, the master key, a shutdown in progress. An exchange that an administrator stopped, or that does not respond, makes no difference here: requests to it are rejected with their own code, such as `EXCHANGE_STOPPED`, and all others still work.',
  access: 'public',
  anywhere: true,
  response: Type.Object({
    status: Type.Enum(['ready', 'not-ready']),
    reasons: Type.Array(Type.String()),
    ...running,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What works, but should be set up differently; only in responses to this machine',
      }),
    ),
  }),
  sample: { response: { status: 'ready', reasons: [], ...sampleRunning } },
})

export const getMetrics = endpoint({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operations',
  summary: 'Metrics for Prometheus',
  description:
    'In the Prometheus text format 0.0.4; docs/operations/metrics.md describes each metric. Requires `METRICS_TOKEN` as a bearer token if that is set; otherwise only direct requests from this machine are served.',
  access: 'public',
  anywhere: true,
  response: Type.String(),
  responseTypes: ['text/plain'],
  sample: { response: 'sluice_slots_used_total{exchange="mx"} 1234\n' },
})

export const openApi = endpoint({
  id: 'openApi',
  method: 'GET',
  path: '/docs/json',
  tag: 'Operations',
  summary: 'The calls of bots, as OpenAPI 3.1',
  description: '`/docs` is the same as a page, `/docs/yaml` as YAML.',
  access: 'public',
  anywhere: true,
  response: Type.Unknown({ description: 'An OpenAPI document' }),
})

export const adminOpenApi = endpoint({
  id: 'adminOpenApi',
  method: 'GET',
  path: '/docs/admin/json',
  tag: 'Operations',
  summary: 'The calls of administrators, as OpenAPI 3.1',
  description: '`/docs/admin` is the same as a page, `/docs/admin/yaml` as YAML.',
  access: 'public',
  anywhere: true,
  response: Type.Unknown({ description: 'An OpenAPI document' }),
})
