import { classesByCode } from '../protocol/verdict.ts'

// MEXC documents its codes page by page and not completely; the list is that of
// docs/exchanges/mexc.md, 6. A code that is in no list is a plain rejection.

export const spotClasses = classesByCode({
  signature: ['700002', '602'],
  time: ['700003', '700005', '10073'],
  key: ['400', '10072', '700001'],
  ip: ['700006'],
  // 700011: the interface is closed to the key.
  permission: ['401', '403', '26', '700007', '700011', '730100'],
  parameter: ['33333', '44444', '700004', '700008', '700013', '730002', '-1128'],
  balance: ['10101', '30004', '30005'],
  size: ['30002', '30003', '30010', '30087'],
  'order-form': ['30041'],
  // 10007 also means a symbol that is closed to the API; 30000 is a suspended symbol as
  // well as maintenance.
  symbol: [
    ...['10007', '30000', '30001', '30014', '30016', '30018', '30019', '30020', '30021'],
    ...['70011', '60005', '730001', '-1121'],
    // Buying or selling of the coin is suspended.
    ...['30027', '30028'],
  ],
  limit: ['30029', '30032'],
  'order-not-found': ['-2011', '-2013', '30026', '22222'],
})

/** Codes in a spot body after which the order may exist. */
export const SPOT_UNKNOWN: ReadonlySet<string> = new Set([
  ...['500', '503', '504'],
  // "Internal system error" and "request failed", which say nothing about the order [?].
  ...['20002', '730000'],
])
export const SPOT_RATE: ReadonlySet<string> = new Set(['429'])
