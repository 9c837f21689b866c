import { byCommand } from 'gateway/operations/command-line.ts'
import type { AdminChanges, AdminRow } from 'gateway/store/admin-store.ts'
import type { AuditAct } from 'gateway/store/audit-chain.ts'
import type { Stores } from 'gateway/store/stores.ts'
import { createPasswords } from 'gateway/vault/password.ts'
import type { Role } from 'schema'
import { counted, RefusedError } from '../cli.ts'
import type { ChosenPassword } from './choose-password.ts'

/**
 * What can be done with administrators from a terminal. Each command returns the text for the
 * person.
 */
export function createAdminCommands(
  { admins, secondFactors }: Pick<Stores, 'admins' | 'secondFactors'>,
  nowMs: () => number,
) {
  const passwords = createPasswords()

  /** @throws RefusedError when there is none */
  async function find(email: string): Promise<AdminRow> {
    const admin = await admins.findByEmail(email)
    if (admin === undefined)
      throw new RefusedError(`There is no administrator "${email}"; "list" shows the existing ones`)
    return admin
  }

  const entry = (action: string, email: string) =>
    byCommand(nowMs(), { action, subjectKind: 'admin', subject: email })

  /** The kinds of the second factors, each once. */
  async function factorsOf({ id }: AdminRow): Promise<string[]> {
    return [...new Set((await secondFactors.list(id)).map(({ kind }) => kind))]
  }

  /** Says when a change left nobody who manages the gateway. */
  async function nobodyLeft(): Promise<string> {
    const isAdmin = ({ role, disabledAtMs }: AdminRow) => role === 'admin' && disabledAtMs === null
    return (await admins.list()).some(isAdmin) ? '' : ' Nobody with the role admin can sign in now.'
  }

  /** Changes an administrator, and ends the sessions. @returns how many ended */
  async function change(
    { id, email }: AdminRow,
    changes: AdminChanges,
    action: string,
    facts: Pick<AuditAct, 'before' | 'after'> = {},
  ): Promise<number> {
    const changed = await admins.change(id, changes, {
      ...{ atMs: nowMs(), mayLeaveNoAdmin: true },
      toEntries: () => [{ ...entry(action, email), ...facts }],
    })
    return changed?.endedSessions ?? 0
  }

  return {
    find,

    /** @throws AdminExistsError */
    async create(email: string, chosen: ChosenPassword, role: Role = 'admin'): Promise<string> {
      const passwordHash = await passwords.hash(chosen.password)
      const admin = { email, passwordHash, role, createdAtMs: nowMs() }
      await admins.insert(admin, { ...entry('admin.created', email), after: { role } })
      return `${email} can sign in now, with the role ${role}.${shownOnce(chosen)}`
    },

    async setRole(email: string, role: Role): Promise<string> {
      const admin = await find(email)
      const facts = { before: { role: admin.role }, after: { role } }
      const ended = await change(admin, { role }, 'admin.role-changed', facts)
      return `${admin.email} has the role ${role}; ${counted(ended, 'session')} ended.${await nobodyLeft()}`
    },

    /** For a person who lost the second factor and the recovery codes. */
    async removeSecondFactor(email: string): Promise<string> {
      const admin = await find(email)
      const factors = await factorsOf(admin)
      const facts = { before: { factors }, after: { factors: [] } }
      const changes = { withoutSecondFactor: true }
      const ended = await change(admin, changes, 'admin.second-factor-removed', facts)
      return factors.length === 0
        ? `${admin.email} has no second factor.`
        : `${admin.email} signs in with the password alone now; ${counted(ended, 'session')} ended.`
    },

    /** Sets the new password and ends the sessions that began with the old one. */
    async resetPassword(admin: AdminRow, choose: () => Promise<ChosenPassword>): Promise<string> {
      const chosen = await choose()
      const passwordHash = await passwords.hash(chosen.password)
      const ended = await change(admin, { passwordHash }, 'admin.password-reset')
      const stillDisabled =
        admin.disabledAtMs === null ? '' : '\nThe account is disabled; "enable" lets it sign in.'
      return `${admin.email} has a new password; ${counted(ended, 'session')} ended.${shownOnce(chosen)}${stillDisabled}`
    },

    async list(): Promise<string> {
      const rows = await admins.list()
      if (rows.length === 0)
        return 'There is no administrator. Create one: npm run admin -- create --email E'
      return (await Promise.all(rows.map(async (row) => line(row, await factorsOf(row))))).join(
        '\n',
      )
    },

    async disable(email: string): Promise<string> {
      const admin = await find(email)
      const disabledAtMs = admin.disabledAtMs ?? nowMs()
      const ended = await change(admin, { disabledAtMs }, 'admin.disabled')
      const others = (await admins.list()).filter((row) => row.disabledAtMs === null).length
      return `${admin.email} can no longer sign in; ${counted(ended, 'session')} ended. ${
        others === 0 ? 'Nobody can sign in now.' : `${counted(others, 'other')} can.`
      }${others === 0 ? '' : await nobodyLeft()}`
    },

    async enable(email: string): Promise<string> {
      const admin = await find(email)
      await change(admin, { disabledAtMs: null }, 'admin.enabled')
      return `${admin.email} can sign in.`
    },
  }
}

function line(
  { email, role, createdAtMs, disabledAtMs }: AdminRow,
  factors: readonly string[],
): string {
  const state = disabledAtMs === null ? 'active' : `disabled since ${day(disabledAtMs)}`
  const second = factors.length === 0 ? 'no second factor' : factors.join(' and ')
  return `${email}  ${role}  ${second}  created ${day(createdAtMs)}  ${state}`
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

function shownOnce({ password, isGenerated }: ChosenPassword): string {
  return isGenerated ? `\nPassword, shown only once: ${password}` : ''
}
