import { classesByCode } from '../protocol/verdict.ts'

// MEXC documents its codes page by page and not completely; the list is that of
// docs/exchanges/mexc.md, 6. A code that is in no list is a plain rejection.

/** The account has not passed the identity check (docs/exchanges/mexc.md, 6: one source). */
const IDENTITY_CHECK = ['200005', '200006', '300000', '300001']

export const futuresClasses = classesByCode({
  signature: ['602'],
  time: ['513'],
  // 401 means a bad key and for a missing permission.
  key: ['401', '402'],
  ip: ['406'],
  permission: ['506', '511', '701', '702', '703', '704', ...IDENTITY_CHECK],
  parameter: ['600', '601', '2013', '2014', '2030', '2034', '6003', '6004'],
  balance: ['2005', '2018'],
  position: ['2008', '2009', '2043'],
  size: [...['1004', '2003', '2004', '2007', '2011', '2015', '2016', '2028'], ...['2032', '2033']],
  'order-form': [
    ...['2001', '2002', '2022', '2029', '3001', '3002', '3003', '3004'],
    ...['5001', '5002', '5003', '5004'],
  ],
  leverage: [
    ...['1003', '2006', '2019', '2021', '2023', '2024', '2025', '2026', '2027'],
    ...['2031', '2038'],
  ],
  // An account that may not trade futures by API gets 1002 or 6001 too.
  symbol: ['1001', '1002', '6001', '6002', '6005', '11444'],
  limit: ['2036'],
  'order-not-found': ['2040'],
  'order-state': ['2041'],
  // The first order with this externalOid may exist (docs/exchanges/mexc.md, 5: one source, and
  // whether ended orders count too is not established).
  duplicate: ['2042'],
  maintenance: ['604', '801'],
})

/**
 * Of these, 500 also carries maintenance notices and 603 is "repeated request": the order has to be
 * looked up.
 */
export const FUTURES_UNKNOWN: ReadonlySet<string> = new Set([
  '500',
  '501',
  '503',
  '504',
  '603',
  '9999',
])
export const FUTURES_RATE: ReadonlySet<string> = new Set(['429', '510', '2037'])
