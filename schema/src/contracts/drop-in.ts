import type { Endpoint } from '../endpoint.ts'

/**
 * The exchanges' own paths behind one prefix. Each covers a whole family, whose paths and methods
 * only the exchange lists in full, so that they are not in the catalogue.
 */
export const mxDropIn = {
  id: 'mxDropIn',
  method: 'GET',
  path: '/mx/{path}',
  tag: 'MEXC',
  summary: "MEXC's own paths",
  description:
    "MEXC's own API is served under `/mx`: `/mx/api/v3/…` (spot), `/mx/api/v1/contract/…` and `/mx/api/v1/private/…` (futures), and without the prefix. Point an SDK's base URL there, without a slash at its end, and add the bearer token. The gateway removes the SDK's signature and signs the call itself; query, body and response pass byte for byte. Market data, account reading and trading are open; account settings need the permission `settings`; withdrawals, transfers, sub-accounts, keys and listen keys are rejected with `ENDPOINT_FORBIDDEN`.",
  access: 'client',
  proxy: { exchange: 'mx', permission: 'market', requestClass: 'market' },
} as const satisfies Endpoint

export const bgDropIn = {
  id: 'bgDropIn',
  method: 'GET',
  path: '/bg/{path}',
  tag: 'Bitget',
  summary: "Bitget's own paths",
  description:
    "Bitget's own API is served under `/bg`: `/bg/api/v2/…` (classic accounts) and `/bg/api/v3/…` (unified accounts). Point an SDK's base URL there, without a slash at its end, and add the bearer token. The gateway removes the SDK's signature and signs the call itself; query, body and response pass byte for byte. Market data, account reading and trading are open; account settings need the permission `settings`, grid bots `strategies`; withdrawals, transfers, loans, sub-accounts and keys are rejected with `ENDPOINT_FORBIDDEN`.",
  access: 'client',
  proxy: { exchange: 'bg', permission: 'market', requestClass: 'market' },
} as const satisfies Endpoint
