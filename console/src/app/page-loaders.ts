import {
  API_KEYS_PATTERN,
  addresses,
  CLIENT_PATTERN,
  DOC_PATTERN,
  ORDER_PATTERN,
} from './addresses.ts'

/** Fetches the code of each page. */
export const loaders = {
  overview: () => import('../features/overview/overview-page.tsx'),
  clients: () => import('../features/clients/clients-page.tsx'),
  client: () => import('../features/clients/client-page.tsx'),
  apiKeys: () => import('../features/api-keys/api-keys-page.tsx'),
  logs: () => import('../features/logs/logs-page.tsx'),
  operations: () => import('../features/operations/operations-page.tsx'),
  order: () => import('../features/order-life/order-page.tsx'),
  findOrder: () => import('../features/order-life/orders-page.tsx'),
  audit: () => import('../features/audit/audit-page.tsx'),
  people: () => import('../features/people/people-page.tsx'),
  approvals: () => import('../features/approvals/approvals-page.tsx'),
  account: () => import('../features/account/account-page.tsx'),
  connect: () => import('../features/connect/connect-page.tsx'),
  doc: () => import('../features/docs/doc-page.tsx'),
}

type Loader = () => Promise<unknown>

const BY_ADDRESS: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  [addresses.overview, loaders.overview],
  [addresses.clients, loaders.clients],
  [addresses.logs, loaders.logs],
  [addresses.operations, loaders.operations],
  [addresses.findOrder, loaders.findOrder],
  [addresses.audit, loaders.audit],
  [addresses.people, loaders.people],
  [addresses.approvals, loaders.approvals],
  [addresses.account, loaders.account],
  [addresses.connect, loaders.connect],
])

const BY_PATTERN: readonly (readonly [RegExp, Loader])[] = [
  [API_KEYS_PATTERN, loaders.apiKeys],
  [CLIENT_PATTERN, loaders.client],
  [ORDER_PATTERN, loaders.order],
  [DOC_PATTERN, loaders.doc],
]

/** What fetches the code of the page at an address; undefined when it is no page. */
export function loaderOf(path: string): Loader | undefined {
  return BY_ADDRESS.get(path) ?? BY_PATTERN.find(([pattern]) => pattern.test(path))?.[1]
}
