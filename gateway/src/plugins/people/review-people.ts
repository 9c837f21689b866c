import type { NewPerson, PersonChanges } from 'schema'
import type { Review } from '../../http/approvable.ts'
import type { AdminRow, AdminStore } from '../../store/admin-store.ts'
import { AdminExistsError } from '../../store/errors.ts'
import type { SecondFactorStore } from '../../store/second-factor-store.ts'
import { PersonNotFoundError } from './errors.ts'

export interface PeopleReviewDeps {
  readonly admins: Pick<AdminStore, 'find' | 'findByEmail'>
  readonly secondFactors: Pick<SecondFactorStore, 'list'>
}

/**
 * What would make somebody an admin, or give somebody the account of an admin. One who could do it
 * alone could approve what that same admin asked for.
 */
export function createPeopleReviews({ admins, secondFactors }: PeopleReviewDeps) {
  async function find(id: number): Promise<AdminRow> {
    const admin = await admins.find(id)
    if (admin === undefined) throw new PersonNotFoundError(String(id))
    return admin
  }

  async function about(row: AdminRow, after: Review['after']): Promise<Review> {
    const factors = (await secondFactors.list(row.id)).map(({ kind }) => kind)
    return {
      ...{ subjectKind: 'admin', subject: row.email },
      before: { role: row.role, isDisabled: row.disabledAtMs !== null, factors },
      after,
      // Somebody who was given another password since may be somebody else now.
      basis: [row.id, row.passwordHash],
    }
  }

  return {
    /** @throws AdminExistsError */
    async create({ email, role, password }: NewPerson): Promise<Review | null> {
      if (role !== 'admin') return null
      if ((await admins.findByEmail(email)) !== undefined) throw new AdminExistsError(email)
      const after = { role, password: password === undefined ? 'generated' : 'chosen' }
      return { subjectKind: 'admin', subject: email, before: null, after }
    },

    /** @throws PersonNotFoundError */
    async change(id: number, changes: PersonChanges, ownId: number): Promise<Review | null> {
      const row = await find(id)
      return opensByChange(row, changes, ownId) ? about(row, changes) : null
    },

    /** @throws PersonNotFoundError */
    async resetPassword(id: number, ownId: number): Promise<Review | null> {
      const row = await find(id)
      return opensByPassword(row, ownId) ? about(row, { password: 'generated' }) : null
    },
  }
}
export type PeopleReviews = ReturnType<typeof createPeopleReviews>

/** Whether changes make somebody an admin who can sign in, or take what protects another one. */
export function opensByChange(row: AdminRow, changes: PersonChanges, ownId: number): boolean {
  const { role = row.role, isDisabled, withoutSecondFactor } = changes
  const canSignIn = isDisabled === undefined ? row.disabledAtMs === null : !isDisabled
  const isRaised = role === 'admin' && row.role !== 'admin'
  const isEnabled = role === 'admin' && canSignIn && row.disabledAtMs !== null
  const isOpened = withoutSecondFactor === true && row.role === 'admin' && row.id !== ownId
  return isRaised || isEnabled || isOpened
}

/** Whether a password opens the account of another admin. */
export function opensByPassword({ id, role }: AdminRow, ownId: number): boolean {
  return role === 'admin' && id !== ownId
}
