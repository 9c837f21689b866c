import { readdirSync, readFileSync } from 'node:fs'
import { ENV } from 'gateway/env/table.ts'
import { catalogue } from 'schema'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/*
 * The templates are Go's and are not rendered here: these tests hold what they name to what the
 * gateway has.
 */

const FOLDER = 'deploy/helm/sluice'
const file = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8')
const values = parse(file('values.yaml'))
const schema = JSON.parse(file('values.schema.json'))
const gateway = file('templates/gateway.yaml')
const templates = readdirSync(`${FOLDER}/templates`)
  .map((name) => file(`templates/${name}`))
  .join('\n')

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
}

/** The paths of the values that the schema names one by one. */
function pathsOf({ properties }: Schema, above = ''): string[] {
  if (properties === undefined) return [above]
  return Object.entries(properties).flatMap(([name, one]) => pathsOf(one, `${above}.${name}`))
}

const valueAt = (path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown>)?.[name], values)

test('the schema describes every value, and each of them has a default', () => {
  for (const path of pathsOf(schema)) expect(valueAt(path), path).toBeDefined()
  expect(Object.keys(values).toSorted()).toEqual(Object.keys(schema.properties).toSorted())
})

test('the templates use every value, and none that is not there', () => {
  const used = new Set([...templates.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path))
  for (const path of used) expect(valueAt(path ?? ''), path).toBeDefined()
  for (const path of pathsOf(schema))
    expect(
      [...used].some((one) => path === one || path.startsWith(`${one}.`)),
      path,
    ).toBe(true)
})

test('every setting that the chart sets exists, and the schema lets nobody set it twice', () => {
  const set = [...gateway.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name ?? '')
  const settings = new Set(set.filter((name) => name !== 'POD_IP'))
  for (const name of settings) expect(ENV).toHaveProperty(name)
  const refused: string[] = schema.properties.settings.propertyNames.not.enum
  for (const name of settings) expect(refused).toContain(name)
  for (const name of refused) expect(ENV).toHaveProperty(name)
})

// Kubernetes calls an update failed then, and `helm upgrade --atomic` goes back.
test('an update has as much time as a start may take', () => {
  const probe = /startupProbe:\n([\s\S]+?)livenessProbe/.exec(gateway)?.[1] ?? ''
  const number = (name: string, text: string) =>
    Number(new RegExp(`${name}: (\\d+)`).exec(text)?.[1])
  const startSeconds = number('periodSeconds', probe) * number('failureThreshold', probe)
  expect(startSeconds).toBeGreaterThan(60)
  expect(number('progressDeadlineSeconds', gateway)).toBeGreaterThan(startSeconds)
})

// IfNotPresent does not look whether a tag has moved: pods on two machines would run two versions.
test.each(['gateway', 'console'])(
  'the image of the %s is named by a tag that the values have to have',
  (part) => {
    expect(values.image[part].tag).toBe('')
    expect(file(`templates/${part}.yaml`)).toContain(
      `"{{ .Values.image.${part}.repository }}:{{ .Values.image.${part}.tag }}"`,
    )
    expect(file('templates/_helpers.tpl')).toContain(`fail "image.${part}.tag is empty.`)
  },
)

test('Prometheus gets in, and shows the token without which the gateway refuses it', () => {
  const helpers = file('templates/_helpers.tpl')
  expect(helpers).toContain('fail "serviceMonitor.enabled needs serviceMonitor.tokenSecret.name')
  expect(helpers).toContain('fail "serviceMonitor.enabled needs networkPolicy.metricsFrom')
  expect(file('templates/service-monitor.yaml')).toMatch(
    /credentials: \{ name: \{\{ \.Values\.serviceMonitor\.tokenSecret\.name \}\}/,
  )
  expect(gateway).toMatch(/- name: METRICS_TOKEN\n\s+valueFrom:\n\s+secretKeyRef/)
})

test('each Deployment has a network policy, and none of them lets everybody in', () => {
  const policies = file('templates/network-policy.yaml')
  const parts = ['gateway', 'console']
  for (const part of parts) expect(policies).toContain(`include "sluice.${part}Labels" .`)
  expect(policies.match(/^kind: NetworkPolicy$/gm)).toHaveLength(parts.length)
  expect(
    policies.match(/- from:\n\s+\{\{- toYaml \.Values\.networkPolicy\.ingressFrom/g),
  ).toHaveLength(2)
  // An empty list of callers would mean all of them.
  expect(schema.properties.networkPolicy.properties.ingressFrom.minItems).toBe(1)
})

test.each(['nodeSelector', 'tolerations'])('%s is of both Deployments', (name) => {
  for (const part of ['gateway', 'console'])
    expect(file(`templates/${part}.yaml`)).toContain(`{{- with .Values.${name} }}`)
})

test('the chart has the version of the packages', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(parse(file('Chart.yaml')).appVersion).toBe(version)
})

test('the ingress lets in every path but the metrics', () => {
  const [, list = ''] = /range list (.+) \}\}/.exec(file('templates/ingress.yaml')) ?? []
  const open = [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => path)
  const first = Object.values(catalogue).map(({ path }) => `/${path.split('/')[1]}`)
  expect(new Set(first).has('/metrics')).toBe(true)
  expect(new Set([...open, '/metrics'])).toEqual(new Set([...first, '/docs', '/mx', '/bg']))
})

test('the users are those of the images', () => {
  expect(readFileSync('Dockerfile.console', 'utf8')).toMatch(/^USER 101$/m)
  expect(file('templates/console.yaml')).toContain('runAsUser: 101')
  // "node" of the official image.
  expect(readFileSync('Dockerfile.gateway', 'utf8')).toMatch(/^USER node$/m)
  expect(gateway).toContain('runAsUser: 1000')
})

test('several gateways without PostgreSQL are refused, with what to do', () => {
  const helpers = file('templates/_helpers.tpl')
  expect(helpers).toContain(
    'if and (gt (int .Values.replicaCount) 1) (not .Values.database.urlSecret.name)',
  )
  expect(helpers).toMatch(/fail "replicaCount is above 1.*database\.urlSecret\.name.*"/)
  expect(gateway.startsWith('{{- include "sluice.check" . }}')).toBe(true)
})
