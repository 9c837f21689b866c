/** The pages' addresses; documentation pages have theirs in the catalogue (`docLinks`). */
export const addresses = {
  overview: '/',
  clients: '/client-credentials',
  apiKeys: '/api-key-management',
  /** The same page: the sidebar links to this one, the top navigation to the other. */
  apiKeysAlias: '/api-keys',
  logs: '/logs',
  operations: '/operations',
  audit: '/audit',
  people: '/people',
  approvals: '/approvals',
  account: '/account',
  connect: '/connect',
  findOrder: '/orders',
} as const

/** The site of the documentation, which the console's web server has beside the console. */
export const DOCUMENTATION = '/docs/guide/'

/** Matches both addresses of the API key page; a redirect would break bookmarks of either. */
export const API_KEYS_PATTERN = /^\/(api-key-management|api-keys)\/?$/i

/** One client, by its database id. */
export const CLIENT_PATTERN = /^\/client-credentials\/(?<id>[1-9]\d{0,14})\/?$/i

/** One order, by its request id. */
export const ORDER_PATTERN = /^\/orders\/(?<id>[^/]{1,64})\/?$/i

/**
 * The documentation pages, without the catalogue: it is long, and needed after the sign-in only.
 */
const DOC_PATTERN = /^\/(mexc|bitget)\//i

/**
 * Whether a link's address is the page at `location`, whatever its case and trailing slash. A
 * client's page belongs to the list of clients.
 */
export function isCurrent(address: string, location: string): boolean {
  const path = location.toLowerCase().replace(/(.)\/$/, '$1')
  if (CLIENT_PATTERN.test(path)) return address === addresses.clients
  const isApiKeys = (candidate: string) => API_KEYS_PATTERN.test(candidate)
  return path === address || (isApiKeys(address) && isApiKeys(path))
}

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
