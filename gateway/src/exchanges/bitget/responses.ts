import type { RefusalProtocol } from '../adapter.ts'
import {
  type EndedOrder,
  type FoundOrder,
  notDoneOf,
  type OrderKey,
  type SeveralForm,
} from '../order-lookup/order-key.ts'
import { codeOf, isRecord } from '../protocol/untrusted.ts'
import {
  classesByCode,
  classOfStatus,
  rejected,
  rejectionOf,
  unknownOutcome,
  type Verdict,
  wordsOf,
} from '../protocol/verdict.ts'

/**
 * Bitget wraps everything in `{ code, msg, requestTime, data }`; the code is `00000` when it is
 * done.
 */
export function readBitgetResponse(status: number, value: unknown): Verdict {
  const words = wordsOf(value)
  const code = words.code ?? ''
  if (code === '00000' && status < 300) {
    return { kind: 'ok', data: isRecord(value) ? value.data : undefined }
  }
  // Zeros alone are success in some form: no other code of Bitget is (docs/exchanges/bitget.md, 8).
  if (/^0+$/.test(code) || (code === '' && status < 300)) {
    return unknownOutcome('Its response contradicts itself or has no envelope', words)
  }
  if (BITGET_RATE.has(code)) {
    return { kind: 'rate-limited', rejection: rejectionOf('rate', status, words) }
  }
  if (bitgetUnknown.has(code) || isNamelessParameterError(code, words.message)) {
    return unknownOutcome('It reports an internal error', words)
  }
  return rejected(bitgetClasses.get(code) ?? classOfStatus(status), status, words)
}

/** `{ code, msg }` with five digits or six; 429 alone has three (docs/exchanges/bitget.md, 8). */
export function isBitgetError(value: unknown): boolean {
  return isRecord(value) && 'msg' in value && /^(?:\d{5,6}|429)$/.test(codeOf(value.code) ?? '')
}

/**
 * During releases 40808 comes without the name of a field, and then means that the service failed.
 */
function isNamelessParameterError(code: string, message: string): boolean {
  if (code !== '40808') return false
  return (
    message.replace(/parameter verification exception/i, '').replace(/[^\p{L}\p{N}]/gu, '') === ''
  )
}

// Codes of the classic (v2) and the unified account (UTA, 2xxxx), as the error pages of December
// 2025 have them (docs/exchanges/bitget.md, 8; docs/exchanges/bitget-unified.md, 9), and a few that
// ccxt alone has. Bitget unified its codes on 2025-10-14, so older ones may still be met.

export const bitgetClasses = classesByCode({
  signature: ['40001', '40002', '40003', '40009', '40011', '40507'],
  time: ['40004', '40005', '40008', '40078', '40079'],
  key: ['40006', '40012', '40036', '40037', '40041'],
  ip: ['40018', '40038', '22010'],
  permission: [
    ...['40013', '40014', '40022', '40023', '40024', '40025', '40026', '40029'],
    ...['40016', '40031', '40040', '40301', '40710', '25620'],
    // Keys of the demo account without its header, or the reverse; what the demo account lacks.
    ...['40099', '22030', '40081', '40105', '40110'],
    // The state of the account forbids it.
    ...['25006', '25007', '25008', '25012', '25107'],
  ],
  // 25245 is on the error page only, and nobody reports it (docs/exchanges/bitget-unified.md, 1).
  'account-kind': ['40084', '40085', '25245'],
  region: ['40000', '40103', '40104'],
  parameter: [
    ...['40007', '40017', '40019', '40020', '40034', '40808', '43011', '400172'],
    ...['00171', '00172', '22003', '40201', '40302', '40303', '40304', '40305', '40402', '40500'],
    ...['40700', '40705', '40707', '25200', '25201', '25238'],
    // More than 20 orders in a batch.
    '40306',
  ],
  symbol: [
    ...['40102', '22004', '40308', '40309', '40844', '40845', '41114', '43115', '45043'],
    ...['25013', '25100', '25101', '25103', '25104', '25105', '25108'],
  ],
  balance: [
    ...['43012', '40711', '40712', '40754', '40762', '40798', '45002', '43132'],
    ...['25202', '25203', '25219', '25228'],
  ],
  position: [
    ...['22002', '40757', '40774', '40920', '45116', '45117', '25225', '25226'],
    ...['25227', '25229', '25231', '25232', '25236', '25237', '25570', '25574'],
    // A take profit or stop loss without a position, and a second one.
    ...['25594', '25601'],
  ],
  size: [
    ...['43006', '43007', '43008', '43009', '43010', '43027', '45110', '45111'],
    ...['45112', '45113', '45114', '45115', '22006', '22007', '22008', '22009'],
    ...['22034', '40108', '40706', '41103', '41117'],
    ...['25205', '25206', '25207', '25208', '25230', '25233', '25242', '25244'],
    ...['25606', '25607', '25608', '25609', '25610', '25611', '25654', '25655'],
  ],
  // The sides of a position, and prices that a trigger may not have.
  'order-form': [
    ...['40403', '40917', '45122', '25579', '25580', '25581', '25582', '25583', '25584', '25585'],
    ...['25586', '25587', '25588', '25589', '25590', '25591', '25592', '25593', '25595', '25596'],
    ...['25598', '25600', '25602', '25603', '25604', '25605', '25612', '25650', '25651', '25652'],
  ],
  limit: ['43005', '25211', '25567', '25599'],
  'order-not-found': [
    ...['43001', '40109', '45057', '31007', '22001', '43004', '43025', '40768'],
    ...['24056', '25204', '25575', '25577', '25597'],
  ],
  'order-state': [
    ...['45055', '40923', '40924', '45129', '25113', '25114'],
    ...['25568', '25569', '25571', '25572', '25573', '25653'],
  ],
  duplicate: ['40786', '43118', '45034', '40708', '50060', '25212'],
  maintenance: ['40200', '25102', '25106'],
})

/**
 * After these the order may exist: the UTA order page itself says to look it up by its client id.
 */
export const bitgetUnknown: ReadonlySet<string> = new Set([
  ...['40010', '40015', '40725', '45001', '25000', '25001'],
  // "System busy" and "server is busy", which say nothing about the order [?].
  ...['500', '40604'],
])
/**
 * In the class that ccxt 4.5 gives them. It knows no code of docs/exchanges/bitget.md, 8, for some
 * of these: then it is one of those that only ccxt has.
 */
export const refusals: RefusalProtocol = {
  codes: {
    // Network timeout; invalid key; incorrect permissions; too frequent; server upgrade.
    ...{ timeout: '50008', authentication: '40006', permission: '40014', rate: '50009' },
    ...{ maintenance: '40200', unavailable: '40604' },
    // Maximum order value; parameter; the operation cannot be performed.
    ...{ 'invalid-order': '45113', 'bad-request': '40017', failed: '40401' },
  },
  body: (code, msg, requestTime) => ({ code, msg, requestTime, data: null }),
}

export const BITGET_RATE: ReadonlySet<string> = new Set(['429', '25003', '25004'])

/** What Bitget responds to an order, a change and a cancel. @param nowMs exchange time */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const clientOid = found.clientOrderId ?? order.clientOrderId ?? null
  const isOfSpotPlan = order.plan === 'spot' && order.action === 'cancel'
  const result = isOfSpotPlan ? { result: 'success' } : {}
  const data = { orderId: found.orderId, clientOid, ...result }
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}

/** Such an order is not there, or can no longer be cancelled (docs/exchanges/bitget.md, 8). */
const CODES = { 'order-not-found': '43001', 'order-state': '45055' } as const

/**
 * What Bitget responds to a call about several orders (pages of 2025-12).
 * @param nowMs exchange time
 */
export function severalResponse(
  several: SeveralForm | undefined,
  ended: readonly EndedOrder[],
  nowMs: number,
): object {
  const data = severalData(several, ended)
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}

function severalData(several: SeveralForm | undefined, ended: readonly EndedOrder[]): object {
  switch (several) {
    case 'replacement':
      return replacementOf(ended)
    case 'replacements':
      return ended.flatMap((_, at) =>
        at % 2 === 0 ? [replacementOf(ended.slice(at, at + 2))] : [],
      )
    case 'two-lists':
      return twoLists(ended)
    case 'legs':
      return legsOf(ended)
    default:
      return ended.map((entry) => {
        const failure = failureOf(entry)
        const { errorCode: code, errorMsg: msg } = failure ?? {}
        return failure === undefined ? idsOf(entry) : { ...idsOf(entry), code, msg }
      })
  }
}

function twoLists(ended: readonly EndedOrder[]): object {
  return {
    successList: ended.filter((entry) => failureOf(entry) === undefined).map(idsOf),
    failureList: ended.flatMap((entry) => {
      const failure = failureOf(entry)
      return failure === undefined ? [] : [{ ...idsOf(entry), ...failure }]
    }),
  }
}

/** Each entry names the ids of both (page of 2025-12, whose sample has no entry that failed). */
function legsOf(ended: readonly EndedOrder[]): object[] {
  const ids = Object.fromEntries(
    ended.map(({ order }) => [`${order.leg}ClientOid`, order.clientOrderId]),
  )
  return ended.map((entry) => ({ orderId: idsOf(entry).orderId, ...ids, ...failureOf(entry) }))
}

/**
 * The old order and the new one. Where the new one is missing, the old one may be gone all the
 * same.
 */
function replacementOf([old, made]: readonly EndedOrder[]): object {
  const failure = made === undefined ? undefined : notDoneOf(made)
  if (made !== undefined && failure === undefined)
    return { ...idsOf(made), success: 'success', msg: null }
  const fate =
    old === undefined || notDoneOf(old) !== undefined ? 'was not cancelled' : 'is cancelled'
  const msg = `${failure?.text}; the order that it was meant to replace ${fate}`
  return { orderId: null, clientOid: null, success: 'failure', msg }
}

function failureOf(entry: EndedOrder): { errorCode: string; errorMsg: string } | undefined {
  const notDone = notDoneOf(entry)
  if (notDone === undefined) return undefined
  return { errorCode: CODES[notDone.class], errorMsg: notDone.text }
}

function idsOf({ order, end }: EndedOrder): { orderId: string; clientOid: string } {
  const found = end === 'absent' ? order : end
  return {
    orderId: found.orderId ?? '',
    clientOid: found.clientOrderId ?? order.clientOrderId ?? '',
  }
}
