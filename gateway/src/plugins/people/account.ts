import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type Account,
  CONFIRMED_SECONDS,
  changePassword,
  endOwnSession,
  getAccount,
  listOwnSessions,
  type SecondFactor,
} from 'schema'
import { actsWith } from '../../http/act.ts'
import { countedCaller } from '../../http/request-origin.ts'
import { routeOf } from '../../http/route.ts'
import type { SecondFactorRow } from '../../store/second-factor-store.ts'
import { requireGoodPassword } from '../../vault/password.ts'
import {
  findPerson,
  isoOf,
  NoPasswordError,
  ofPerson,
  type PeopleParts,
  providerOf,
  type Self,
  SessionNotFoundError,
  selfOf,
  toSession,
  validSessions,
} from './person.ts'

/** What administrators do with their own accounts. */
export const accountRoutes: FastifyPluginAsyncTypebox<PeopleParts> = async (app, parts) => {
  app.route({ ...routeOf(getAccount), handler: async (request) => read(parts, selfOf(request)) })
  app.route({
    ...routeOf(listOwnSessions),
    handler: async (request) => {
      const { adminId, jti } = selfOf(request)
      return (await validSessions(parts, adminId)).map((row) => toSession(parts, row, jti))
    },
  })
  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<PeopleParts>()

const acts = [
  act(changePassword, {
    entries: ['admin.password-changed'],
    /**
     * Changes the own password, and ends the other sessions.
     * @returns how many sessions ended
     * @throws NoPasswordError, PasswordTooShortError, PasswordTooCommonError,
     * PasswordQueueFullError
     */
    async run({ body: { newPassword } }, by, parts) {
      const { stores, vault, config, nowMs } = parts
      const { adminId, jti } = selfOf(by.request)
      const { email, passwordHash: before } = await findPerson(parts, adminId)
      if (before === '') throw new NoPasswordError(config.openId?.name ?? 'a provider')
      await requireGoodPassword(newPassword, email)
      const passwordHash = await vault.passwords.hash(newPassword)
      // It stays known: the session that asks is used from there.
      const address = countedCaller(by.request)?.address ?? ''
      const changed = await stores.admins.change(
        adminId,
        { passwordHash },
        {
          ...{ atMs: nowMs(), keepSession: { jti, address } },
          toEntries: () => [by.entry({ action: 'admin.password-changed', ...ofPerson(email) })],
        },
      )
      return { endedSessions: changed?.endedSessions ?? 0 }
    },
  }),

  act(endOwnSession, {
    entries: ['session.ended'],
    /** @throws SessionNotFoundError */
    async run({ params: { id } }, by, parts) {
      const { adminId } = selfOf(by.request)
      const { email } = await findPerson(parts, adminId)
      const session = (await validSessions(parts, adminId)).find(({ jti }) => jti === id)
      if (session === undefined) throw new SessionNotFoundError(id)
      const { device, address } = session
      const entry = by.entry({
        ...{ action: 'session.ended', ...ofPerson(email) },
        before: { session: id, device, address },
      })
      const hasEnded = await parts.stores.adminSessions.revoke(id, parts.nowMs(), entry)
      if (!hasEnded) throw new SessionNotFoundError(id)
    },
  }),
]

async function read(parts: PeopleParts, { adminId, jti }: Self): Promise<Account> {
  const { secondFactors } = parts.stores
  const { id, email, role, createdAtMs, passwordHash } = await findPerson(parts, adminId)
  const valid = await validSessions(parts, adminId)
  const current = valid.find((session) => session.jti === jti)
  if (current === undefined) throw new SessionNotFoundError(jti)
  const untilMs = current.confirmedAtMs + CONFIRMED_SECONDS * 1000
  return {
    ...{ id, email, role },
    createdAt: isoOf(createdAtMs),
    factors: (await secondFactors.list(adminId)).map(toFactor),
    recoveryCodesLeft: await secondFactors.codesLeft(adminId),
    hasPassword: parts.config.passwordSignIn && passwordHash !== '',
    provider: await providerOf(parts, adminId),
    session: toSession(parts, current, jti),
    confirmedUntil: untilMs > parts.nowMs() ? isoOf(untilMs) : null,
  }
}

function toFactor({ id, kind, name, createdAtMs, lastUsedAtMs }: SecondFactorRow): SecondFactor {
  const lastUsedAt = lastUsedAtMs === null ? null : isoOf(lastUsedAtMs)
  return { id, kind, name, createdAt: isoOf(createdAtMs), lastUsedAt }
}
