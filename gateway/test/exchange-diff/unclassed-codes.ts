import type { ExchangeCode } from '../../src/exchanges/exchange.ts'

/** Codes that ccxt knows and that are a plain rejection here, on purpose. */
export interface UnclassedCodes {
  readonly exchange: ExchangeCode
  readonly reason: string
  /** Codes and ranges of codes, separated by white space. */
  readonly codes: string
}

export const unclassedCodes: readonly UnclassedCodes[] = [
  {
    exchange: 'mx',
    reason: 'transfers, deposits and withdrawals, which are closed',
    codes: '10001 10015 10095-10100 10102-10103 10200-10268',
  },
  {
    exchange: 'mx',
    reason: 'sub-accounts and API keys, which are closed',
    codes: '20001 140001-140002 730003 730101 730600-730602 730700-730707',
  },
  { exchange: 'mx', reason: 'margin, which is closed', codes: '88004-88015' },
  {
    exchange: 'mx',
    reason: 'plain: there is no such account, or no opposite order',
    codes: '1000 30025',
  },
  {
    exchange: 'bg',
    reason:
      'an older API, in which the headers are named after another exchange; v2 and v3 have other numbers',
    codes: `1 1001-1003 4001-4010 20003 01001 21009 30001-30038 32001-32083 33001-33065 34001-34039
            35001-35099 36001-36230 50003-50026`,
  },
  {
    exchange: 'bg',
    reason: 'an HTTP status as the code: the status itself decides',
    codes: '400-415',
  },
  {
    exchange: 'bg',
    reason: 'market data, margin of a position, bills and other reads: plain',
    codes: '40106-40107 40202-40209 40300 40400-40401 40404-40409 40703-40704 40709 40713-40714',
  },
  {
    exchange: 'bg',
    reason: 'copy trading and broker platforms, which are closed',
    codes: '40501-40506 40508-40509 40600-40603 40605-40609 40701-40702',
  },
  { exchange: 'bg', reason: 'withdrawals, which are closed', codes: '43111' },
]

/** The codes and ranges of a group, one by one. */
export function partsOf({ codes }: UnclassedCodes): string[] {
  return codes.split(/\s+/).filter((part) => part !== '')
}

/** Whether a code is that code, or in that range. */
export function covers(part: string, code: string): boolean {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(part) ?? []
  if (first === undefined || last === undefined) return part === code
  return !code.startsWith('0') && Number(first) <= Number(code) && Number(code) <= Number(last)
}
