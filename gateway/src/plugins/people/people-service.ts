import type { AdminSession, NewPerson, Person, PersonChanges } from 'schema'
import type { AdminSessionStore, SessionRow } from '../../store/admin-session-store.ts'
import type { AdminRow, AdminStore, ChangedAdmin } from '../../store/admin-store.ts'
import type { AuditAct, AuditFacts, Author, NewAuditEntry } from '../../store/audit-chain.ts'
import type { OpenIdStore } from '../../store/openid-store.ts'
import type { SecondFactorStore } from '../../store/second-factor-store.ts'
import { generatePassword, type Passwords, requireGoodPassword } from '../../vault/password.ts'
import {
  NoPasswordError,
  PersonChangedError,
  PersonNotFoundError,
  RoleFromProviderError,
} from './errors.ts'
import { type Provider, providerOf } from './provider.ts'
import { opensByChange, opensByPassword } from './review-people.ts'
import { isoOf, toSession } from './to-session.ts'

export interface PeopleServiceDeps {
  readonly admins: Pick<AdminStore, 'find' | 'list' | 'insert' | 'change'>
  readonly adminSessions: Pick<AdminSessionStore, 'listValid' | 'revokeAll'>
  readonly secondFactors: Pick<SecondFactorStore, 'list' | 'codesLeft'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly sessionTimes: { readonly idleMs: number }
  readonly openIds: Pick<OpenIdStore, 'subjectOf'>
  readonly provider: Provider | undefined
  readonly nowMs: () => number
}

/** Who changes a person, and whether that may open the account of an admin. */
export interface ChangedBy {
  readonly adminId: number
  readonly author: Author
  readonly isApproved: boolean
}

/** The people who may sign in: list, create, change, and end their sessions. */
export function createPeopleService(deps: PeopleServiceDeps) {
  const { admins, adminSessions, passwords, nowMs } = deps
  const { idleMs } = deps.sessionTimes
  const validSessions = (id?: number) => adminSessions.listValid({ nowMs: nowMs(), idleMs }, id)

  const find = (id: number) => findPerson(deps, id)
  const toPerson = (row: AdminRow, sessions: readonly SessionRow[]) => describe(deps, row, sessions)
  const checks = createChecks(deps)
  const { checkChange, checkReset } = checks

  return {
    // What a change would be refused for, before it waits.
    ...checks,

    async list(): Promise<Person[]> {
      const sessions = await validSessions()
      return Promise.all((await admins.list()).map((row) => toPerson(row, sessions)))
    },

    /** @throws PasswordTooShortError, PasswordTooCommonError */
    async check({ email, password }: NewPerson): Promise<AuditFacts> {
      if (password !== undefined) await requireGoodPassword(password, email)
      return {}
    },

    /**
     * @returns the password when it was generated
     * @throws AdminExistsError, PasswordTooShortError, PasswordTooCommonError
     */
    async create(
      { email, role, password }: NewPerson,
      author: Author,
    ): Promise<{ person: Person; password: string | null }> {
      if (password !== undefined) await requireGoodPassword(password, email)
      const generated = password === undefined ? generatePassword() : null
      const passwordHash = await passwords.hash(password ?? generated ?? '')
      const row = await admins.insert(
        { email, passwordHash, role, createdAtMs: nowMs() },
        about(author, email, { action: 'admin.created', after: { role } }),
      )
      return { person: await toPerson(row, []), password: generated }
    },

    /** @throws PersonNotFoundError, RoleFromProviderError, LastAdminError, PersonChangedError */
    async change(
      id: number,
      changes: PersonChanges,
      { adminId, author, isApproved }: ChangedBy,
    ): Promise<{ person: Person; endedSessions: number }> {
      const { role, isDisabled, withoutSecondFactor } = changes
      await checkChange(id, changes)
      const { disabledAtMs } = await find(id)
      const changed = await admins.change(
        id,
        {
          ...(role === undefined ? {} : { role }),
          // Who is disabled already stays so since then.
          ...(isDisabled === undefined
            ? {}
            : { disabledAtMs: isDisabled ? (disabledAtMs ?? nowMs()) : null }),
          withoutSecondFactor: withoutSecondFactor === true,
        },
        {
          atMs: nowMs(),
          require: (before) => {
            if (!isApproved && opensByChange(before, changes, adminId))
              throw new PersonChangedError()
          },
          toEntries: (change) => entriesOf(author, change),
        },
      )
      if (changed === undefined) throw new PersonNotFoundError(String(id))
      const { after, endedSessions } = changed
      return { person: await toPerson(after, await validSessions(id)), endedSessions }
    },

    /**
     * Gives a person a generated password.
     * @throws PersonNotFoundError, NoPasswordError, PersonChangedError
     */
    async resetPassword(
      id: number,
      { adminId, author, isApproved }: ChangedBy,
    ): Promise<{ password: string; endedSessions: number }> {
      await checkReset(id)
      const { email } = await find(id)
      const password = generatePassword()
      const passwordHash = await passwords.hash(password)
      const changed = await admins.change(
        id,
        { passwordHash },
        {
          atMs: nowMs(),
          // The hash took a while.
          require: (before) => {
            if (!isApproved && opensByPassword(before, adminId)) throw new PersonChangedError()
          },
          toEntries: () => [about(author, email, { action: 'admin.password-reset' })],
        },
      )
      return { password, endedSessions: changed?.endedSessions ?? 0 }
    },

    /** @throws PersonNotFoundError */
    async sessions(id: number, currentJti: string): Promise<AdminSession[]> {
      await find(id)
      return (await validSessions(id)).map((row) => toSession(row, { idleMs, currentJti }))
    },

    /** Ends all sessions of a person. @throws PersonNotFoundError */
    async endSessions(id: number, author: Author): Promise<number> {
      const { email } = await find(id)
      const entry = about(author, email, { action: 'admin.sessions-ended' })
      return adminSessions.revokeAll(id, nowMs(), entry)
    },
  }
}
export type PeopleService = ReturnType<typeof createPeopleService>

/** @throws PersonNotFoundError */
async function findPerson(
  { admins }: Pick<PeopleServiceDeps, 'admins'>,
  id: number,
): Promise<AdminRow> {
  const admin = await admins.find(id)
  if (admin === undefined) throw new PersonNotFoundError(String(id))
  return admin
}

async function describe(
  deps: PeopleServiceDeps,
  row: AdminRow,
  sessions: readonly SessionRow[],
): Promise<Person> {
  const { id, email, role, createdAtMs, disabledAtMs, lastSignInAtMs, passwordHash } = row
  const own = sessions.filter(({ adminId }) => adminId === id)
  const kinds = (await deps.secondFactors.list(id)).map(({ kind }) => kind)
  return {
    ...{ id, email, role, isDisabled: disabledAtMs !== null },
    createdAt: isoOf(createdAtMs),
    factors: [...new Set(kinds)],
    recoveryCodesLeft: await deps.secondFactors.codesLeft(id),
    hasPassword: passwordHash !== '',
    provider: await providerOf(id, deps),
    sessions: own.length,
    // The session that was used last comes first.
    lastUsedAt: own[0] === undefined ? null : isoOf(own[0].lastUsedAtMs),
    lastSignInAt: lastSignInAtMs === null ? null : isoOf(lastSignInAtMs),
  }
}

function createChecks(deps: PeopleServiceDeps) {
  return {
    /** @throws PersonNotFoundError, RoleFromProviderError */
    async checkChange(id: number, { role }: PersonChanges): Promise<AuditFacts> {
      const { role: roleBefore } = await findPerson(deps, id)
      const provider = await providerOf(id, deps)
      if (provider !== null && role !== undefined && role !== roleBefore)
        throw new RoleFromProviderError(provider)
      return {}
    },

    /** @throws PersonNotFoundError, NoPasswordError */
    async checkReset(id: number): Promise<AuditFacts> {
      const { passwordHash } = await findPerson(deps, id)
      const provider = await providerOf(id, deps)
      // It would still work when the provider lets the person in no more.
      if (passwordHash === '' && provider !== null) throw new NoPasswordError(provider)
      return {}
    },
  }
}

function about(
  author: Author,
  email: string,
  what: Pick<AuditAct, 'action' | 'before' | 'after'>,
): NewAuditEntry {
  return { author, subjectKind: 'admin', subject: email, ...what }
}

/** An entry for each thing that changed. */
function entriesOf(
  author: Author,
  { before, after, removedFactors }: ChangedAdmin,
): readonly NewAuditEntry[] {
  const isDisabled = after.disabledAtMs !== null
  return [
    ...(before.role === after.role
      ? []
      : [
          about(author, after.email, {
            ...{ action: 'admin.role-changed', before: { role: before.role } },
            after: { role: after.role },
          }),
        ]),
    ...((before.disabledAtMs !== null) === isDisabled
      ? []
      : [
          about(author, after.email, {
            action: isDisabled ? 'admin.disabled' : 'admin.enabled',
            ...{ before: { isDisabled: !isDisabled }, after: { isDisabled } },
          }),
        ]),
    ...(removedFactors.length === 0
      ? []
      : [
          about(author, after.email, {
            ...{ action: 'admin.second-factor-removed', before: { factors: removedFactors } },
            after: { factors: [] },
          }),
        ]),
  ]
}
