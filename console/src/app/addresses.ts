/** The pages' addresses; documentation pages have theirs in the catalogue (`docPages`). */
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

/** Matches both addresses of the API key page; a redirect would break bookmarks of either. */
export const API_KEYS_PATTERN = /^\/(api-key-management|api-keys)\/?$/i

/** One client, by its database id. */
export const CLIENT_PATTERN = /^\/client-credentials\/(?<id>[1-9]\d{0,14})\/?$/i

/** One order, by its request id. */
export const ORDER_PATTERN = /^\/orders\/(?<id>[^/]{1,64})\/?$/i

/**
 * The documentation pages, without the catalogue: it is long, and needed after the sign-in only.
 */
export const DOC_PATTERN = /^\/(mexc|bitget)\//i

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
