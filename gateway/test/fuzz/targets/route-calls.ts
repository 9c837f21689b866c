import fc from 'fast-check'
import { catalogue, type Endpoint } from 'schema'
import {
  editedText,
  hostileText,
  jsonValueText,
  mutatedJson,
  parameterTexts,
  valuesOf,
} from '../hostile.ts'
import { OTHER } from '../world.ts'

export type Who = 'nobody' | 'bot' | 'viewer' | 'operator' | 'admin' | 'rubbish'

export interface Call {
  readonly endpoint: Endpoint
  readonly who: Who
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string | undefined
}

/** They end what the other requests of a run need; each has tests of its own. */
const RARE = new Set([
  ...['stopExchange', 'stopEverything', 'stopClient', 'deleteClient', 'toggleClient', 'logout'],
  ...['changePassword', 'endOwnSession', 'endSessionsOfPerson', 'deleteApiKey', 'changePerson'],
  ...['rotateClientSecret', 'endOldSecret', 'saveApiKey', 'resetPassword', 'dropQueueOfClient'],
])
// The response to `streamEvents` does not end.
const common = catalogue.filter(({ id }) => !RARE.has(id) && id !== 'streamEvents')
const rare = catalogue.filter(({ id }) => RARE.has(id))

/** Ids that a run has: clients and people begin at 1. */
const KNOWN = ['1', '2', '3', 'mx', 'bg', 'a-bot', OTHER, 'admin@sluice.test', 'own-1', '0', 'x']

function urlsOf({ path, params, query, sample }: Endpoint): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const filled = fc
    .tuple(
      ...names.map((name) =>
        fc.oneof(
          { weight: 3, arbitrary: fc.constantFrom(...KNOWN) },
          { weight: 2, arbitrary: parameterTexts(params?.properties[name] ?? {}) },
        ),
      ),
    )
    .map((values) => {
      let at = 0
      return path.replaceAll(/\{\w+\}/g, () => {
        const value = String(values[at])
        at += 1
        return encodeURIComponent(value.toWellFormed())
      })
    })
  const fields = Object.entries(query?.properties ?? {})
  const pair = fc.oneof(
    ...fields.map(([name, each]) =>
      parameterTexts(each).map((text): [string, string] => [name, text]),
    ),
    fc.tuple(fc.oneof(hostileText, fc.constantFrom('symbol', 'limit', 'cursor')), hostileText),
  )
  const sampled = Object.entries(sample?.query ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const queries = fc.tuple(fc.boolean(), fc.array(pair, { maxLength: 3 }))
  const urls = fc.tuple(filled, queries).map(([text, [withSample, more]]) => {
    const pairs = [...(withSample ? sampled : []), ...more].map(
      ([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()],
    )
    return pairs.length === 0 ? text : `${text}?${new URLSearchParams(pairs)}`
  })
  const edited = editedText(urls).map((text) => `/${text.replaceAll(/[^\x21-\x7e]/g, '%7f')}`)
  return fc.oneof({ weight: 12, arbitrary: urls }, { weight: 1, arbitrary: edited })
}

function bodiesOf({ body, sample }: Endpoint): fc.Arbitrary<string | undefined> {
  if (body === undefined)
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: jsonValueText },
    )
  return fc.oneof(
    { weight: 4, arbitrary: mutatedJson(sample?.body ?? {}) },
    { weight: 3, arbitrary: valuesOf(body).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: valuesOf(body).chain(mutatedJson) },
    { weight: 1, arbitrary: editedText(fc.constant(JSON.stringify(sample?.body ?? {}))) },
    { weight: 1, arbitrary: jsonValueText },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

function ownWho({ access }: Endpoint): fc.Arbitrary<Who> {
  if (access === 'client') return fc.constant('bot')
  if (access === 'public') return fc.constant('nobody')
  return fc.constantFrom<Who>('admin', 'admin', 'operator', 'viewer')
}

const FORM = 'application/x-www-form-urlencoded'

function callsOf(endpoint: Endpoint): fc.Arbitrary<Call> {
  return fc.record({
    endpoint: fc.constant(endpoint),
    who: fc.oneof(
      { weight: 6, arbitrary: ownWho(endpoint) },
      {
        weight: 2,
        arbitrary: fc.constantFrom<Who>('nobody', 'bot', 'viewer', 'operator', 'admin', 'rubbish'),
      },
    ),
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant<string>(endpoint.method) },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD') },
    ),
    url: urlsOf(endpoint),
    headers: fc
      .record(
        {
          'content-type': fc.constantFrom(
            ...[FORM, 'text/plain', 'application/json; charset=latin1', 'multipart/form-data', ''],
          ),
          'idempotency-key': fc.oneof(
            fc.constantFrom('"k1"', 'k2', '"k3"'),
            fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
          ),
          prefer: fc.constantFrom('wait=2', 'respond-async', 'wait=99999999', 'wait="x"', ',;='),
          accept: fc.constantFrom('text/html', '*/*;q=0', ''),
          'accept-encoding': fc.constantFrom('gzip', 'br', 'x'),
          origin: fc.constantFrom('http://localhost:8081', 'http://evil.test', 'null'),
          paptrading: fc.constantFrom('1', '0', 'x'),
          'x-forwarded-for': fc.constantFrom('1.2.3.4', 'x', '::1, 1.1.1.1'),
          range: fc.constantFrom('bytes=0-1', 'x'),
          'if-none-match': fc.constantFrom('*', '"x"'),
        },
        { requiredKeys: [] },
      )
      .map((headers) => ({
        'content-type': endpoint.bodyType ?? 'application/json',
        ...headers,
      })),
    payload: bodiesOf(endpoint),
  })
}

/** Any request to an endpoint of the catalogue. */
export const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 60, arbitrary: fc.oneof(...common.map(callsOf)) },
  { weight: 1, arbitrary: fc.oneof(...rare.map(callsOf)) },
)
