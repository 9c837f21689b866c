import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  listSessionsOfPerson,
  type Person,
  type PersonChanges,
  resetPassword,
} from 'schema'
import { actsWith, type By, type Review } from '../../http/act.ts'
import { routeOf } from '../../http/route.ts'
import type { SessionRow } from '../../store/admin-session-store.ts'
import type { AdminRow, ChangedAdmin } from '../../store/admin-store.ts'
import type { NewAuditEntry } from '../../store/audit-chain.ts'
import { AdminExistsError } from '../../store/errors.ts'
import { generatePassword, requireGoodPassword } from '../../vault/password.ts'
import {
  findPerson,
  isoOf,
  NoPasswordError,
  ofPerson,
  type PeopleParts,
  PersonNotFoundError,
  providerOf,
  selfOf,
  toSession,
  validSessions,
} from './person.ts'

/** The provider states it at each sign-in. */
const RoleFromProviderError = createError<[provider: string]>(
  'ROLE_FROM_PROVIDER',
  'The role of this person is the one that %s states; change it there',
  409,
)

/** Whether it needs an approval was looked at before; it does now. */
const PersonChangedError = createError(
  'PERSON_CHANGED',
  'The role of this person was changed at the same moment; look at it and try again',
  409,
)

/** The people who may sign in: list, create, change, and end their sessions. */
export const peopleRoutes: FastifyPluginAsyncTypebox<PeopleParts> = async (app, parts) => {
  app.route({
    ...routeOf(listPeople),
    handler: async () => {
      const sessions = await validSessions(parts)
      const rows = await parts.stores.admins.list()
      return Promise.all(rows.map((row) => toPerson(parts, row, sessions)))
    },
  })

  app.route({
    ...routeOf(listSessionsOfPerson),
    handler: async (request) => {
      const { id } = await findPerson(parts, request.params.id)
      const { jti } = selfOf(request)
      return (await validSessions(parts, id)).map((row) => toSession(parts, row, jti))
    },
  })

  for (const routeWith of acts) app.route(routeWith(parts))
}

const act = actsWith<PeopleParts>()

// What would make somebody an admin, or give somebody the account of an admin, is reviewed: one who
// could do it alone could approve what that same admin asked for.
const acts = [
  act(createPerson, {
    entries: ['admin.created'],
    /** @throws AdminExistsError */
    async review({ body: { email, role, password } }, _by, { stores }) {
      if (role !== 'admin') return null
      if ((await stores.admins.findByEmail(email)) !== undefined) throw new AdminExistsError(email)
      const after = { role, password: password === undefined ? 'generated' : 'chosen' }
      return { ...ofPerson(email), before: null, after }
    },
    /** @throws PasswordTooShortError, PasswordTooCommonError */
    async check({ body: { email, password } }) {
      if (password !== undefined) await requireGoodPassword(password, email)
      return {}
    },
    /**
     * @returns the password when it was generated
     * @throws AdminExistsError, PasswordTooShortError, PasswordTooCommonError
     */
    async run({ body: { email, role, password } }, by, parts) {
      if (password !== undefined) await requireGoodPassword(password, email)
      const generated = password === undefined ? generatePassword() : null
      const passwordHash = await parts.vault.passwords.hash(password ?? generated ?? '')
      const row = await parts.stores.admins.insert(
        { email, passwordHash, role, createdAtMs: parts.nowMs() },
        by.entry({ action: 'admin.created', ...ofPerson(email), after: { role } }),
      )
      return { person: await toPerson(parts, row, []), password: generated }
    },
  }),

  act(changePerson, {
    entries: [
      'admin.role-changed',
      'admin.disabled',
      'admin.enabled',
      'admin.second-factor-removed',
    ],
    async review({ params, body }, { request }, parts) {
      const row = await findPerson(parts, params.id)
      const opens = opensByChange(row, body, selfOf(request).adminId)
      return opens ? reviewOf(parts, row, body) : null
    },
    async check({ params, body }, _by, parts) {
      await checkChange(parts, params.id, body)
      return {}
    },
    /** @throws PersonNotFoundError, RoleFromProviderError, LastAdminError, PersonChangedError */
    async run({ params: { id }, body }, by, parts) {
      const { role, isDisabled, withoutSecondFactor } = body
      const { adminId } = selfOf(by.request)
      const { disabledAtMs } = await checkChange(parts, id, body)
      const changed = await parts.stores.admins.change(
        id,
        {
          ...(role === undefined ? {} : { role }),
          // An admin who is already disabled keeps the earlier time.
          ...(isDisabled === undefined
            ? {}
            : { disabledAtMs: isDisabled ? (disabledAtMs ?? parts.nowMs()) : null }),
          withoutSecondFactor: withoutSecondFactor === true,
        },
        {
          atMs: parts.nowMs(),
          require: (before) => {
            if (!by.isApproved && opensByChange(before, body, adminId))
              throw new PersonChangedError()
          },
          toEntries: (change) => entriesOf(by, change),
        },
      )
      if (changed === undefined) throw new PersonNotFoundError(String(id))
      const { after, endedSessions } = changed
      const person = await toPerson(parts, after, await validSessions(parts, id))
      return { person, endedSessions }
    },
  }),

  // Gives a person a generated password.
  act(resetPassword, {
    entries: ['admin.password-reset'],
    async review({ params }, { request }, parts) {
      const row = await findPerson(parts, params.id)
      const opens = opensByPassword(row, selfOf(request).adminId)
      return opens ? reviewOf(parts, row, { password: 'generated' }) : null
    },
    async check({ params }, _by, parts) {
      await checkReset(parts, params.id)
      return {}
    },
    /** @throws PersonNotFoundError, NoPasswordError, PersonChangedError */
    async run({ params: { id } }, by, parts) {
      const { adminId } = selfOf(by.request)
      const { email } = await checkReset(parts, id)
      const password = generatePassword()
      const passwordHash = await parts.vault.passwords.hash(password)
      const changed = await parts.stores.admins.change(
        id,
        { passwordHash },
        {
          atMs: parts.nowMs(),
          // The hash took a while.
          require: (before) => {
            if (!by.isApproved && opensByPassword(before, adminId)) throw new PersonChangedError()
          },
          toEntries: () => [by.entry({ action: 'admin.password-reset', ...ofPerson(email) })],
        },
      )
      return { password, endedSessions: changed?.endedSessions ?? 0 }
    },
  }),

  act(endSessionsOfPerson, {
    entries: ['admin.sessions-ended'],
    /** @throws PersonNotFoundError */
    async run({ params: { id } }, by, parts) {
      const { email } = await findPerson(parts, id)
      const entry = by.entry({ action: 'admin.sessions-ended', ...ofPerson(email) })
      const endedSessions = await parts.stores.adminSessions.revokeAll(id, parts.nowMs(), entry)
      return { endedSessions }
    },
  }),
]

async function reviewOf(
  { stores }: PeopleParts,
  row: AdminRow,
  after: Review['after'],
): Promise<Review> {
  const factors = (await stores.secondFactors.list(row.id)).map(({ kind }) => kind)
  return {
    ...ofPerson(row.email),
    before: { role: row.role, isDisabled: row.disabledAtMs !== null, factors },
    after,
    // After another password was set, the account may be used by another person.
    basis: [row.id, row.passwordHash],
  }
}

/** Whether changes make somebody an admin who can sign in, or take what protects another one. */
function opensByChange(row: AdminRow, changes: PersonChanges, ownId: number): boolean {
  const { role = row.role, isDisabled, withoutSecondFactor } = changes
  const canSignIn = isDisabled === undefined ? row.disabledAtMs === null : !isDisabled
  const isRaised = role === 'admin' && row.role !== 'admin'
  const isEnabled = role === 'admin' && canSignIn && row.disabledAtMs !== null
  const isOpened = withoutSecondFactor === true && row.role === 'admin' && row.id !== ownId
  return isRaised || isEnabled || isOpened
}

/** Whether a password opens the account of another admin. */
function opensByPassword({ id, role }: AdminRow, ownId: number): boolean {
  return role === 'admin' && id !== ownId
}

/** @throws PersonNotFoundError, RoleFromProviderError */
async function checkChange(
  parts: PeopleParts,
  id: number,
  { role }: PersonChanges,
): Promise<AdminRow> {
  const row = await findPerson(parts, id)
  const provider = await providerOf(parts, id)
  if (provider !== null && role !== undefined && role !== row.role)
    throw new RoleFromProviderError(provider)
  return row
}

/** @throws PersonNotFoundError, NoPasswordError */
async function checkReset(parts: PeopleParts, id: number): Promise<AdminRow> {
  const row = await findPerson(parts, id)
  const provider = await providerOf(parts, id)
  // The password would still work when the provider no longer lets the person in.
  if (row.passwordHash === '' && provider !== null) throw new NoPasswordError(provider)
  return row
}

/** An entry for each thing that changed. */
function entriesOf(
  by: By<'admin.role-changed' | 'admin.disabled' | 'admin.enabled' | 'admin.second-factor-removed'>,
  { before, after, removedFactors }: ChangedAdmin,
): readonly NewAuditEntry[] {
  const isDisabled = after.disabledAtMs !== null
  const subject = ofPerson(after.email)
  return [
    ...(before.role === after.role
      ? []
      : [
          by.entry({
            ...{ action: 'admin.role-changed', ...subject },
            ...{ before: { role: before.role }, after: { role: after.role } },
          }),
        ]),
    ...((before.disabledAtMs !== null) === isDisabled
      ? []
      : [
          by.entry({
            ...{ action: isDisabled ? 'admin.disabled' : 'admin.enabled', ...subject },
            ...{ before: { isDisabled: !isDisabled }, after: { isDisabled } },
          }),
        ]),
    ...(removedFactors.length === 0
      ? []
      : [
          by.entry({
            ...{ action: 'admin.second-factor-removed', ...subject },
            ...{ before: { factors: removedFactors }, after: { factors: [] } },
          }),
        ]),
  ]
}

async function toPerson(
  parts: PeopleParts,
  row: AdminRow,
  sessions: readonly SessionRow[],
): Promise<Person> {
  const { secondFactors } = parts.stores
  const { id, email, role, createdAtMs, disabledAtMs, lastSignInAtMs, passwordHash } = row
  const own = sessions.filter(({ adminId }) => adminId === id)
  const kinds = (await secondFactors.list(id)).map(({ kind }) => kind)
  return {
    ...{ id, email, role, isDisabled: disabledAtMs !== null },
    createdAt: isoOf(createdAtMs),
    factors: [...new Set(kinds)],
    recoveryCodesLeft: await secondFactors.codesLeft(id),
    hasPassword: passwordHash !== '',
    provider: await providerOf(parts, id),
    sessions: own.length,
    // The session that was used last comes first.
    lastUsedAt: own[0] === undefined ? null : isoOf(own[0].lastUsedAtMs),
    lastSignInAt: lastSignInAtMs === null ? null : isoOf(lastSignInAtMs),
  }
}
