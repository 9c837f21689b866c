import type { FastifyInstance } from 'fastify'
import { getMetrics } from 'schema'

export interface Scrape {
  readonly text: string
  /** Names of all metrics, those of a histogram's parts left out. */
  readonly names: ReadonlySet<string>
  /** The value of one series, its labels in any order; undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

/** The metrics as Prometheus would read them. */
export async function scrape(app: FastifyInstance): Promise<Scrape> {
  const { body } = await app.inject(getMetrics.path)
  const series = new Map(
    body
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ')
        return [keyOf(line.slice(0, end)), Number(line.slice(end + 1))] as const
      }),
  )
  return {
    text: body,
    names: new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)),
    value: (name, labels = {}) => {
      const inner = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
      return series.get(keyOf(`${name}{${inner.join(',')}}`))
    },
  }
}

function keyOf(text: string): string {
  const [name = '', labels = ''] = text.replace(/}$/, '').split('{')
  return `${name} ${labels.split(',').toSorted().join(',')}`
}
