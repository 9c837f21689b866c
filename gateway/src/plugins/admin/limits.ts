import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  type ClientLimitChanges,
  type ClientLimits,
  changeClientLimits,
  type FieldProblem,
  getClientLimits,
  hasRole,
  type LimitsWithUsage,
  NO_LIMITS,
  type Role,
  replaceClientLimits,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { isBelow, plainDecimal } from '../../exchanges/protocol/decimals.ts'
import { actsWith, type By, type Review } from '../../http/act.ts'
import { RoleForbiddenError } from '../../http/errors.ts'
import { isNetworkWithin, readNetwork, toNetworkText } from '../../http/networks.ts'
import { routeOf, ValidationError } from '../../http/route.ts'
import { type ClientRow, limitsOf, stopOf } from '../../store/client-store.ts'
import { ClientNotFoundError, findClient, ofClient } from './clients.ts'

/** Only where loosening limits needs an approval. */
const LimitsChangedError = createError(
  'LIMITS_CHANGED',
  'Somebody else changed these limits at the same moment, and this would loosen them again; look at them and send it again',
  409,
)

type LimitParts = Pick<Parts, 'stores' | 'limits' | 'nowMs'>

/** What clients may trade: read, replace, change. */
export const limitRoutes: FastifyPluginAsyncTypebox<LimitParts> = async (app, parts) => {
  app.route({
    ...routeOf(getClientLimits),
    handler: async (request) =>
      withUsage(parts, await findClient(parts.stores.clients, request.params.id), 'admin'),
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<LimitParts>()

const acts = [
  // Limits that are absent are removed.
  act(replaceClientLimits, {
    entries: ['client-limits.changed'],
    async review({ params: { id }, body }, by, parts) {
      const toLimits = () => ({ ...NO_LIMITS, ...toStoredLimits(body) })
      return reviewChange(parts, { id, toLimits }, by)
    },
    /** @throws ClientNotFoundError, ValidationError, and why they may not loosen */
    async run({ params: { id }, body }, by, parts) {
      const stored = toStoredLimits(body)
      const row = await set(parts, { id, toLimits: () => ({ ...NO_LIMITS, ...stored }) }, by)
      const limits = await withUsage(parts, row, 'setter')
      by.log('limits replaced', { clientId: row.clientId, limits: JSON.stringify(body) })
      return limits
    },
  }),

  // Limits that are absent stay. An operator may only tighten the state.
  act(changeClientLimits, {
    entries: ['client-limits.changed'],
    async review({ params: { id }, body }, by, parts) {
      // What an operator may not loosen needs no approval: it is refused.
      if (!hasRole(roleOfCaller(by.request), 'admin')) return null
      const toLimits = (limits: ClientLimits) => ({ ...limits, ...toStoredLimits(body) })
      return reviewChange(parts, { id, toLimits }, by)
    },
    /**
     * @throws ClientNotFoundError, ValidationError, RoleForbiddenError, and why they may not loosen
     */
    async run({ params: { id }, body }, by, parts) {
      const stored = toStoredLimits(body)
      const role = roleOfCaller(by.request)
      const toLimits = (limits: ClientLimits) => {
        if (!hasRole(role, 'admin') && !isTightening(limits, stored))
          throw new RoleForbiddenError(role, 'admin')
        return { ...limits, ...stored }
      }
      const row = await set(parts, { id, toLimits }, by)
      const limits = await withUsage(parts, row, 'setter')
      by.log('limits changed', { clientId: row.clientId, limits: JSON.stringify(body) })
      return limits
    },
  }),
]

/** The change of a client's limits. */
interface LimitChange {
  readonly id: number
  readonly toLimits: (limits: ClientLimits) => ClientLimits
}

/**
 * What limits would change; null when they allow no more than before.
 * @throws ClientNotFoundError, ValidationError, and why the caller may not loosen, before it waits
 * for another administrator
 */
async function reviewChange(
  { stores }: LimitParts,
  { id, toLimits }: LimitChange,
  { request }: Pick<By, 'request'>,
): Promise<Review | null> {
  const row = await findClient(stores.clients, id)
  const before = limitsOf(row)
  const after = toLimits(before)
  if (!loosens(before, after)) return null
  if (request.whyNotLoosen !== null) throw request.whyNotLoosen
  return { ...ofClient(row.clientId), ...differences(before, after), basis: [row.id, before] }
}

/** @throws ClientNotFoundError, and why they may not loosen */
async function set(
  { stores, nowMs }: LimitParts,
  { id, toLimits }: LimitChange,
  by: By<'client-limits.changed'>,
): Promise<ClientRow> {
  const whyNotLoosen = by.isApproved ? by.request.whyNotLoosen : new LimitsChangedError()
  const apply = (limits: ClientLimits) => {
    const next = toLimits(limits)
    // In the transaction that changes them: somebody else may have tightened them just before.
    if (whyNotLoosen !== null && loosens(limits, next)) throw whyNotLoosen
    return next
  }
  const row = await stores.clients.setLimits(id, apply, nowMs(), (before, after) =>
    by.entry({
      ...{ action: 'client-limits.changed', ...ofClient(after.clientId) },
      before: before.limits === null ? null : { ...before.limits },
      after: { ...after.limits },
    }),
  )
  if (row === undefined) throw new ClientNotFoundError(String(id))
  return row
}

/** @param reader `setter`: after a change, which has to know the orders before it */
async function withUsage(
  { limits }: LimitParts,
  row: ClientRow,
  reader: 'admin' | 'setter',
): Promise<LimitsWithUsage> {
  const own = limitsOf(row)
  const usage = await limits.readUsage(row.id, own.maxDayValue === null ? 'admin' : reader)
  return { ...own, stopped: stopOf(row), usage }
}

/** Whether nothing but the state changes, and it allows no more than before. */
function isTightening(limits: ClientLimits, changes: Partial<ClientLimits>): boolean {
  const { state, ...others } = changes
  const isStateAlone = state !== undefined && Object.keys(others).length === 0
  return isStateAlone && STATES.indexOf(state) >= STATES.indexOf(limits.state)
}

function roleOfCaller({ caller }: FastifyRequest): Role {
  return caller?.kind === 'admin' ? caller.role : 'viewer'
}

const AMOUNTS = ['maxOrderValue', 'maxDayValue', 'priceCollarPercent'] as const

/**
 * Limits in the one spelling that is stored: amounts without superfluous zeros, networks without
 * the bits behind their prefix, the time in UTC. Absent limits stay absent.
 * @throws ValidationError for an invalid address
 */
function toStoredLimits(limits: ClientLimitChanges): Partial<ClientLimits> {
  const stored: Partial<ClientLimits> = { ...limits }
  for (const name of AMOUNTS) {
    const amount = stored[name]
    if (typeof amount === 'string') stored[name] = plainDecimal(amount)
  }
  if (typeof stored.expiresAt === 'string')
    stored.expiresAt = new Date(stored.expiresAt).toISOString().replace('.000Z', 'Z')
  if (Array.isArray(stored.allowedIps)) stored.allowedIps = toNetworks(stored.allowedIps)
  return stored
}

function toNetworks(texts: readonly string[]): string[] {
  const networks = texts.map(readNetwork)
  const problems: FieldProblem[] = networks.flatMap((network, i) =>
    network === undefined
      ? [
          {
            field: `allowedIps.${i}`,
            message: 'must be an address or a network, such as 203.0.113.7 or 2001:db8::/32',
          },
        ]
      : [],
  )
  if (problems.length > 0) throw new ValidationError(problems)
  const known = networks.filter((network) => network !== undefined)
  return [...new Set(known.map(toNetworkText))]
}

/** From what allows most to what allows least. */
const STATES: readonly ClientLimits['state'][] = ['active', 'reducing', 'halted']
const EXITS: readonly ClientLimits['exits'][] = ['any', 'own', 'limited']

type Names = keyof ClientLimits
type Compare<Name extends Names> = (
  before: NonNullable<ClientLimits[Name]>,
  after: NonNullable<ClientLimits[Name]>,
) => boolean

const isNotAbove = (before: string, after: string) => !isBelow(before, after)
const isAtMost = (before: number, after: number) => after <= before

/** Whether a limit allows no more than it did. `null`, no limit, is compared before. */
const ALLOWS_NO_MORE: { readonly [Name in Names]: Compare<Name> } = {
  state: (before, after) => STATES.indexOf(after) >= STATES.indexOf(before),
  mode: (before, after) => after === 'enforce' || before === 'shadow',
  symbols: (before, after) => after.every((each) => before.some((old) => covers(old, each))),
  markets: (before, after) => after.every((each) => before.includes(each)),
  maxOrderValue: isNotAbove,
  maxDayValue: isNotAbove,
  maxOpenOrders: isAtMost,
  maxOrdersPerMinute: isAtMost,
  maxLeverage: isAtMost,
  priceCollarPercent: isNotAbove,
  manageForeign: (before, after) => before || !after,
  expiresAt: (before, after) => Date.parse(after) <= Date.parse(before),
  allowedIps: (before, after) =>
    after.every((each) => before.some((old) => isNetworkWithin(each, old))),
  secretAsBearer: (before, after) => before || !after,
  repeatGuard: (before, after) => after === 'on' || before === 'off',
  exits: (before, after) => EXITS.indexOf(after) >= EXITS.indexOf(before),
}

/**
 * Whether limits allow anything that they did not allow before. Each limit is compared by itself,
 * and the result is true where several would have to be compared together.
 */
export function loosens(before: ClientLimits, after: ClientLimits): boolean {
  return (Object.keys(ALLOWS_NO_MORE) as Names[]).some((name) => isLooser(name, before, after))
}

function isLooser<Name extends Names>(
  name: Name,
  { [name]: before }: ClientLimits,
  { [name]: after }: ClientLimits,
): boolean {
  if (before === null) return false
  if (after === null) return true
  return !ALLOWS_NO_MORE[name](
    before as NonNullable<ClientLimits[Name]>,
    after as NonNullable<ClientLimits[Name]>,
  )
}

/**
 * Whether a symbol, or every symbol that a pattern such as `ETH*` matches, is within an older one.
 */
function covers(old: string, each: string): boolean {
  return old.endsWith('*') ? each.startsWith(old.slice(0, -1)) : each === old
}

/** The limits that differ, as they are in each. */
function differences(
  before: ClientLimits,
  after: ClientLimits,
): Record<'before' | 'after', Partial<ClientLimits>> {
  const names = (Object.keys(ALLOWS_NO_MORE) as Names[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (limits: ClientLimits): Partial<ClientLimits> =>
    Object.fromEntries(names.map((name) => [name, limits[name]]))
  return { before: pick(before), after: pick(after) }
}
