import { byCommand } from 'gateway/operations/command-line.ts'
import { type AdminChanges, type AdminRow, createAdminStore } from 'gateway/store/admin-store.ts'
import type { AuditAct } from 'gateway/store/audit-chain.ts'
import type { Db } from 'gateway/store/open.ts'
import { createPasswords } from 'gateway/vault/password.ts'
import { counted, RefusedError } from '../cli.ts'
import type { ChosenPassword } from './choose-password.ts'

/**
 * What can be done with administrators from a terminal. Each command returns the text for the
 * person.
 */
export function createAdminCommands(db: Db, nowMs: () => number) {
  const admins = createAdminStore(db)
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
    async create(email: string, chosen: ChosenPassword): Promise<string> {
      const passwordHash = await passwords.hash(chosen.password)
      const admin = { email, passwordHash, createdAtMs: nowMs() }
      await admins.insert(admin, entry('admin.created', email))
      return `${email} can sign in now.${shownOnce(chosen)}`
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
      return rows.map(line).join('\n')
    },

    async disable(email: string): Promise<string> {
      const admin = await find(email)
      const disabledAtMs = admin.disabledAtMs ?? nowMs()
      const ended = await change(admin, { disabledAtMs }, 'admin.disabled')
      const others = (await admins.list()).filter((row) => row.disabledAtMs === null).length
      return `${admin.email} can no longer sign in; ${counted(ended, 'session')} ended. ${
        others === 0 ? 'Nobody can sign in now.' : `${counted(others, 'other')} can.`
      }`
    },

    async enable(email: string): Promise<string> {
      const admin = await find(email)
      await change(admin, { disabledAtMs: null }, 'admin.enabled')
      return `${admin.email} can sign in.`
    },
  }
}

function line({ email, createdAtMs, disabledAtMs }: AdminRow): string {
  const state = disabledAtMs === null ? 'active' : `disabled since ${day(disabledAtMs)}`
  return `${email}  created ${day(createdAtMs)}  ${state}`
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

function shownOnce({ password, isGenerated }: ChosenPassword): string {
  return isGenerated ? `\nPassword, shown only once: ${password}` : ''
}
