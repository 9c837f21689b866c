import type { ExchangeCode } from './endpoint.ts'

type Section = 'Authentication' | 'Trading APIs' | 'Account APIs' | 'Market Data'

const ROWS = [
  ['mx', 'Authentication', 'Get Token', '/mexc/auth/token'],
  ['mx', 'Trading APIs', 'Place Order', '/mexc/trading/place-order'],
  ['mx', 'Trading APIs', 'Cancel Order', '/mexc/trading/cancel-order'],
  ['mx', 'Trading APIs', 'Order History', '/mexc/trading/history'],
  ['mx', 'Trading APIs', 'Order Status', '/mexc/trading/status'],
  ['mx', 'Trading APIs', 'Account Info', '/mexc/trading/account'],
  ['mx', 'Market Data', 'Price Ticker', '/mexc/market/ticker'],
  ['bg', 'Authentication', 'Get Token', '/bitget/auth/token'],
  ['bg', 'Trading APIs', 'Spot Orders', '/bitget/trading/spot', 3],
  ['bg', 'Trading APIs', 'Futures Orders', '/bitget/trading/futures', 4],
  ['bg', 'Trading APIs', 'Order Details', '/bitget/trading/details'],
  ['bg', 'Trading APIs', 'Order History', '/bitget/trading/history'],
  ['bg', 'Trading APIs', 'Cancel Orders', '/bitget/trading/cancel', 2],
  ['bg', 'Account APIs', 'Account Info', '/bitget/account/info'],
  ['bg', 'Account APIs', 'Positions', '/bitget/account/positions', 2],
  ['bg', 'Market Data', 'Price Ticker', '/bitget/market/ticker', 2],
  ['bg', 'Market Data', 'Market Depth', '/bitget/market/depth', 1],
] as const satisfies readonly (readonly [ExchangeCode, Section, string, string, number?])[]

/** What the sidebar says of a documentation page. */
export interface DocLink {
  readonly exchange: ExchangeCode
  readonly section: Section
  readonly label: string
  readonly path: (typeof ROWS)[number][3]
  /** The count badge of the sidebar; equals the number of endpoints of the page. */
  readonly badge?: number
}

/**
 * The documentation pages, in the sidebar's order (console-checklist.md, 53 to 63), without
 * their endpoints: every page of the console has the sidebar, and few need the whole catalogue.
 */
export const docLinks: readonly DocLink[] = ROWS.map(
  ([exchange, section, label, path, badge]): DocLink => ({
    ...{ exchange, section, label, path },
    ...(badge === undefined ? {} : { badge }),
  }),
)
