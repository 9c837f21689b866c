import { isIP } from 'node:net'
import { isPostgresUrl } from '../store/database-path.ts'
import type { Kind, Values, VariableTable } from './variable.ts'

/** Where a node listens for the others. */
interface NodeListen {
  readonly host: string
  readonly port: number
}

/** How a node of a group is reached by the others. */
export interface NodeConfig {
  readonly url: string
  readonly listen: NodeListen
}

const NODE_LISTEN_HOST = '0.0.0.0'

export const NODES = {
  NODE_URL: {
    ...nodeUrl('https://10.0.0.5:3100'),
    unset: 'this gateway is the only one on its database',
    example: 'https://10.0.0.5:3100',
    doc: 'Where the other gateways on the same PostgreSQL reach this one. They encrypt with a key derived from the master key, so no certificate is needed. Every gateway has its own.',
  },
  NODE_LISTEN: {
    ...hostAndPort('10.0.0.5:3100'),
    unset: 'every interface, at the port of NODE_URL',
    example: '10.0.0.5:3100',
    doc: 'Address and port on which this gateway listens for the others.',
  },
} as const satisfies VariableTable

type NodeValues = Values<typeof NODES>

/** Nothing for a gateway that is alone on its database. */
export function nodeOf({ NODE_URL: url, NODE_LISTEN: listen }: NodeValues): {
  readonly node?: NodeConfig
} {
  if (url === undefined) return {}
  const port = Number(new URL(url).port || 443)
  return { node: { url, listen: listen ?? { host: NODE_LISTEN_HOST, port } } }
}

/** What does not fit together: a sentence each. */
export function nodeProblems(
  { NODE_URL, NODE_LISTEN }: NodeValues,
  databaseUrl: string,
): readonly string[] {
  if (NODE_LISTEN !== undefined && NODE_URL === undefined)
    return ['NODE_URL is missing; NODE_LISTEN needs it']
  if (NODE_URL !== undefined && !isPostgresUrl(databaseUrl))
    return [
      'NODE_URL is set, and DATABASE_URL is a file: only one gateway can use it. Several need PostgreSQL, such as DATABASE_URL=postgres://sluice@10.0.0.2/sluice',
    ]
  return []
}

function nodeUrl(example: string): Kind<string> {
  return {
    expects: `an https address such as ${example}, without a path: what the others reach this gateway by`,
    parse(found) {
      const url = URL.canParse(found) ? new URL(found) : undefined
      if (url?.protocol !== 'https:') return undefined
      const rest = `${url.username}${url.password}${url.pathname.slice(1)}${url.search}${url.hash}`
      // It is one address of this machine, never the wildcard address.
      const isOne = !['0.0.0.0', '[::]'].includes(url.hostname) && url.port !== '0'
      return rest === '' && isOne ? url.origin : undefined
    },
  }
}

function hostAndPort(example: string): Kind<NodeListen> {
  return {
    expects: `an address of this machine and a port, such as ${example} or [::]:3100`,
    parse(found) {
      const [, v6, v4, digits] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(found) ?? []
      const host = v6 ?? v4 ?? ''
      const port = Number(digits)
      if (isIP(host) !== (v6 === undefined ? 4 : 6) || port > 65_535) return undefined
      return { host, port }
    },
  }
}
