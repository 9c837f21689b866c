import type { ComponentType } from 'react'

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
  streams: '/streams',
  findOrder: '/orders',
} as const

/** The site of the documentation, which the console's web server has beside the console. */
export const DOCUMENTATION = '/docs/guide/'

/** Matches both addresses of the API key page; a redirect would break bookmarks of either. */
const API_KEYS_PATTERN = /^\/(api-key-management|api-keys)\/?$/i

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

/** What fetches the code of the pages that need nothing but their address. */
export const plainPages: readonly (readonly [string | RegExp, PageLoader])[] = [
  [addresses.overview, () => import('../features/overview/overview-page.tsx')],
  [addresses.clients, () => import('../features/clients/clients-page.tsx')],
  [API_KEYS_PATTERN, () => import('../features/api-keys/api-keys-page.tsx')],
  [addresses.logs, () => import('../features/logs/logs-page.tsx')],
  [addresses.operations, () => import('../features/operations/operations-page.tsx')],
  [addresses.findOrder, () => import('../features/order-life/orders-page.tsx')],
  [addresses.audit, () => import('../features/audit/audit-page.tsx')],
  [addresses.people, () => import('../features/people/people-page.tsx')],
  [addresses.approvals, () => import('../features/approvals/approvals-page.tsx')],
  [addresses.account, () => import('../features/account/account-page.tsx')],
  [addresses.connect, () => import('../features/connect/connect-page.tsx')],
  [addresses.streams, () => import('../features/docs/streams-page.tsx')],
]
type PageLoader = () => Promise<{ readonly default: ComponentType }>

export const loadClientPage = () => import('../features/clients/client-page.tsx')
export const loadOrderPage = () => import('../features/order-life/order-page.tsx')
export const loadDocPage = () => import('../features/docs/doc-page.tsx')

const loaders: readonly (readonly [string | RegExp, () => Promise<unknown>])[] = [
  ...plainPages,
  [CLIENT_PATTERN, loadClientPage],
  [ORDER_PATTERN, loadOrderPage],
  [DOC_PATTERN, loadDocPage],
]

/** What fetches the code of the page at an address; undefined when it is no page. */
export const loaderOf = (path: string) =>
  loaders.find(([at]) => (typeof at === 'string' ? at === path : at.test(path)))?.[1]
