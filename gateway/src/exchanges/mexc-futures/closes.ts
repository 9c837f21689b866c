const PREFIX = '/api/v1/private'

/**
 * Calls that close or reverse positions, and the field of how much (docs/exchanges/mexc.md, 4.4).
 */
export const closes: ReadonlyMap<string, string | undefined> = new Map([
  [`POST ${PREFIX}/position/close_all`, undefined],
  [`POST ${PREFIX}/position/reverse`, 'vol'],
])
