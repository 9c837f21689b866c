import Type from 'typebox'
import { endpoint } from '../endpoint.ts'

export const healthLive = endpoint({
  id: 'healthLive',
  method: 'GET',
  path: '/health/live',
  tag: 'Operations',
  summary: 'The process runs; touches nothing',
  access: 'public',
  response: Type.Object({ status: Type.String() }),
  sample: { response: { status: 'ok' } },
})

export const healthReady = endpoint({
  id: 'healthReady',
  method: 'GET',
  path: '/health/ready',
  tag: 'Operations',
  summary: 'It takes work: 503 with the reasons when it does not',
  description:
    'Whether a restart or another machine would help: the store, its version, the master key, the end of the process. An exchange that an administrator stopped, or that does not answer, changes nothing here: requests to it are refused with a code of their own, such as `EXCHANGE_STOPPED`, and all others go on.',
  access: 'public',
  response: Type.Object({
    status: Type.Enum(['ready', 'not-ready']),
    reasons: Type.Array(Type.String()),
  }),
  sample: { response: { status: 'ready', reasons: [] } },
})

export const getMetrics = endpoint({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operations',
  summary: 'Figures for Prometheus',
  description:
    'In the text format of Prometheus 0.0.4; docs/operations/metrics.md tells each one. Needs `METRICS_TOKEN` as a bearer token when that is set; when it is not, only this machine is answered, asked without a proxy.',
  access: 'public',
  response: Type.String(),
  sample: { response: 'sluice_slots_used_total{exchange="mx"} 1234\n' },
})

export const openApi = endpoint({
  id: 'openApi',
  method: 'GET',
  path: '/docs/json',
  tag: 'Operations',
  summary: 'This description, as OpenAPI 3.1',
  access: 'public',
  response: Type.Unknown(),
})
