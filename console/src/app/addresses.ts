/** The pages' addresses; documentation pages have theirs in the catalogue (`docPages`). */
export const addresses = {
  overview: '/',
  clients: '/client-credentials',
  apiKeys: '/api-key-management',
  /** The same page: the sidebar links to this one, the top navigation to the other. */
  apiKeysAlias: '/api-keys',
  logs: '/logs',
  connect: '/connect',
} as const

/** Matches both addresses of the API key page; a redirect would break bookmarks of either. */
export const API_KEYS_PATTERN = /^\/(api-key-management|api-keys)\/?$/i

/** Whether a link's address is the page at `location`, whatever its case and trailing slash. */
export function isCurrent(address: string, location: string): boolean {
  const path = location.toLowerCase().replace(/(.)\/$/, '$1')
  const isApiKeys = (candidate: string) => API_KEYS_PATTERN.test(candidate)
  return path === address || (isApiKeys(address) && isApiKeys(path))
}
