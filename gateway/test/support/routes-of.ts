import type { FastifyInstance } from 'fastify'

/** What Fastify itself says it serves, as `METHOD /path/{param}`, without the HEAD of every GET. */
export function routesOf(app: FastifyInstance): string[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] =
        /^((?:[│ ] {3})*)[├└]── (\S+) \(([^)]+)\)/.exec(line) ?? []
      if (part === '') return []
      const depth = indent.length / 4
      const path = joined(above[depth - 1] ?? '', part)
      above[depth] = path
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    })
}

const joined = (parent: string, part: string) => `${parent}${part}`
