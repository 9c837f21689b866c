import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALERT_TYPES, catalogue } from 'schema'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type Scrape, scrape } from './support/metrics.ts'
import { renderLimits } from './support/render-limits.ts'
import { sharedApp } from './support/shared-app.ts'
import { tempFolder } from './support/temp-folder.ts'

const read = (name: string) =>
  readFileSync(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8')

interface RuleFile {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{ alert: string; expr: string; annotations: object }>
  }>
}
interface Dashboard {
  readonly panels: ReadonlyArray<{ id: number; targets?: ReadonlyArray<{ expr: string }> }>
  readonly annotations: { readonly list: ReadonlyArray<{ target: { expr: string } }> }
}

const rules = () => (parse(read('alert-rules.yaml')) as RuleFile).groups.flatMap((g) => g.rules)
const dashboard = () => JSON.parse(read('grafana-dashboard.json')) as Dashboard

/** Every query of the dashboard. */
const queries = () => {
  const { panels, annotations } = dashboard()
  return [
    ...panels.flatMap(({ targets = [] }) => targets),
    ...annotations.list.map((a) => a.target),
  ]
}

const shared = sharedApp()

/**
 * The metrics that an expression uses, the parts of a histogram by its own name, with the labels
 * that it filters or groups by.
 */
function metricsIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:sluice|process)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  )
}

function labelsIn(expr: string): string[] {
  const filtered = [...expr.matchAll(/(\w+)(?:=~?|!=)"/g)].map(([, label = '']) => label)
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/, */),
  )
  return [...filtered, ...grouped]
}

/** Labels that Prometheus or Grafana add. */
const GIVEN = ['instance', 'le']

/** The metrics in metrics.md, and the labels of each. */
const documented = new Map(
  [...read('metrics.md').matchAll(/^\| `(\w+)` \|([^|]*)\|/gm)].map(
    ([, name = '', labels = '']) => [name, [...labels.matchAll(/\w+/g)].map(([label]) => label)],
  ),
)

function expectKnown({ names }: Scrape, expr: string): void {
  const asked = metricsIn(expr)
  expect(asked.length, expr).toBeGreaterThan(0)
  for (const name of asked) expect(names, expr).toContain(name)
  const known = [...GIVEN, ...asked.flatMap((name) => documented.get(name) ?? [])]
  for (const label of labelsIn(expr)) expect(known, expr).toContain(label)
}

test('every alert rule uses existing metrics, and says what to do', async () => {
  const figures = await scrape(shared().app)
  for (const { alert, expr, annotations } of rules()) {
    expectKnown(figures, expr)
    expect(annotations, alert).toEqual({
      summary: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\S/),
    })
  }
  expect(new Set(rules().map(({ alert }) => alert)).size).toBe(rules().length)
})

interface RuleTests {
  readonly tests: ReadonlyArray<{
    readonly alert_rule_test: ReadonlyArray<{ alertname: string; exp_alerts: readonly object[] }>
  }>
}

test('of every alert rule a case is tested in which it fires, and one in which it does not', () => {
  const { tests } = parse(read('alert-rules.test.yaml')) as RuleTests
  const cases = tests.flatMap((one) => one.alert_rule_test)
  const namesOf = (found: typeof cases) =>
    [...new Set(found.map((one) => one.alertname))].toSorted()
  const expected = rules()
    .map(({ alert }) => alert)
    .toSorted()
  expect(namesOf(cases.filter((one) => one.exp_alerts.length > 0))).toEqual(expected)
  expect(namesOf(cases.filter((one) => one.exp_alerts.length === 0))).toEqual(expected)
})

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

function promtool(args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  expect({ status, output: `${stdout}${stderr}` }).toMatchObject({ status: 0 })
}

test.skipIf(!hasPromtool)('promtool finds that the alert rules do so', () => {
  promtool([
    ...['test', 'rules'],
    fileURLToPath(new URL('../../docs/operations/alert-rules.test.yaml', import.meta.url)),
  ])
})

test.skipIf(!hasPromtool)(
  'promtool reads the metrics and every query of the dashboard',
  async () => {
    promtool(['check', 'metrics'], (await scrape(shared().app)).text)
    // Grafana replaces its variables before Prometheus sees a query.
    const asPrometheusSees = (expr: string) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h')
    const recorded = queries().map(({ expr }, index) => ({
      ...{ record: `query:${index}`, expr: asPrometheusSees(expr) },
    }))
    const file = join(tempFolder(), 'queries.yaml')
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    promtool(['check', 'rules', '--lint-fatal', file])
  },
)

test('an internal error that is the first is counted from 0', async () => {
  const { value } = await scrape(shared().app)
  expect(value('sluice_http_errors_total', { code: 'INTERNAL_ERROR' })).toBe(0)
})

test('every query of the dashboard uses existing metrics', async () => {
  const figures = await scrape(shared().app)
  const { panels } = dashboard()
  for (const { expr } of queries()) expectKnown(figures, expr)
  expect(queries().length).toBeGreaterThan(15)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

test('metrics.md lists every metric and its labels, and no other', async () => {
  const { names, text } = await scrape(shared().app)
  expect([...documented.keys()].toSorted()).toEqual([...names].toSorted())
  for (const [, series = '', pairs = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const name = series.replace(/_(?:bucket|sum|count)$/, '')
    const labels = [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label)
    expect(labels.filter((label) => label !== 'le').toSorted(), name).toEqual(
      documented.get(name)?.toSorted(),
    )
  }
})

test('every call in stops.md is an endpoint of the gateway', () => {
  const page = readFileSync(new URL('../../docs/stops.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/"\$GATEWAY(\/[^"]*)"/g)].map(([, path]) => path)
  expect(shown).toContain('/api/admin/exchanges/mx/stop')
  const known = catalogue.map(({ path }) => path.replace('{exchange}', 'mx').replace('{id}', '7'))
  expect(known).toEqual(expect.arrayContaining(shown))
})

test('alerts.md lists every alert, and no other', () => {
  const types = [...read('alerts.md').matchAll(/^\| `([\w.-]+)`, /gm)].map(([, type]) => type)
  // The last one comes from systemd, not from the gateway.
  expect(types.toSorted()).toEqual([...ALERT_TYPES, 'backup.failed'].toSorted())
})

test('capacity.md shows the limits of the exchanges as the gateway knows them', () => {
  const [, section = ''] = read('capacity.md').split(/^(?=## What the exchanges allow$)/m)
  expect(section.split(/\n(?=## )/)[0]).toBe(renderLimits())
})
