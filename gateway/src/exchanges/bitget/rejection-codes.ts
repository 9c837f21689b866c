import { classesByCode } from '../protocol/verdict.ts'

// Codes of the classic (v2) and the unified account (UTA, 2xxxx), as the error pages of December
// 2025 have them. Bitget unified its codes on 2025-10-14, so older ones may still be met.

export const bitgetClasses = classesByCode({
  signature: ['40001', '40002', '40003', '40009', '40011'],
  time: ['40005', '40008', '40078', '40079'],
  key: ['40006', '40012', '40036', '40037', '40041'],
  ip: ['40018', '40038', '22010'],
  permission: [
    ...['40013', '40014', '40022', '40023', '40024', '40025', '40026', '40029'],
    ...['40031', '40040'],
  ],
  // 25245 is on the error page only, and nobody reports it (docs/exchanges/bitget-unified.md, 1).
  'account-kind': ['40084', '40085', '25245'],
  region: ['40000', '40103', '40104'],
  parameter: [
    ...['40007', '40017', '40019', '40020', '40034', '40808', '43011', '400172'],
    ...['00171', '00172', '22003', '40304', '40305', '40402'],
  ],
  symbol: ['40102', '22004', '40844', '40845', '45043'],
  balance: ['43012', '40754', '40762', '40798', '45002', '43132', '25202', '25203'],
  position: [
    ...['22002', '40757', '40774', '40920', '45116', '45117', '25225', '25226'],
    ...['25227', '25228', '25229', '25230', '25231', '25236', '25237'],
  ],
  size: [
    ...['43006', '43007', '43008', '43009', '43010', '43027', '45110', '45111'],
    ...['45112', '45113', '45114', '45115', '22006', '22007', '22008', '22009'],
    ...['22034', '25205', '25206', '25207', '25208', '25244'],
  ],
  limit: ['43005', '25211'],
  'order-not-found': [
    ...['43001', '40109', '45057', '31007', '22001', '43004', '43025', '40768'],
    ...['25204'],
  ],
  'order-state': ['45055', '40923', '40924', '45129'],
  duplicate: ['40786', '43118', '45034', '40708', '50060', '25212'],
  maintenance: ['40200', '25102', '25106'],
})

/**
 * After these the order may exist: the UTA order page itself says to look it up by its client id.
 */
export const bitgetUnknown: ReadonlySet<string> = new Set([
  ...['40010', '40015', '40725', '45001', '25000', '25001'],
])
export const BITGET_RATE: ReadonlySet<string> = new Set(['429', '25003', '25004'])
