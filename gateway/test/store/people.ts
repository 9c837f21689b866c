import { gatewayAuthor, type NewAuditEntry } from '../../src/store/audit-chain.ts'
import type { OpenStores } from './engines.ts'

export const ada = { email: 'Ada@Example.com', passwordHash: 'hash', createdAtMs: 1_000 }
export const bob = { ...ada, email: 'bob@example.com' }

export const entryOf = (subject: string): NewAuditEntry => ({
  ...{ author: gatewayAuthor(1_000), action: 'admin.changed', subjectKind: 'admin', subject },
})

/** For an entry that cannot be made, so that the change is not stored either. */
export const refuse = (): never => {
  throw new Error('no entry')
}

/** An entry that fails while it is written. */
export const unwritable: NewAuditEntry = {
  ...entryOf(''),
  get subject() {
    return refuse()
  },
}

/** The subjects of the audit trail, oldest first. */
export async function subjectsOf({ sql }: Pick<OpenStores, 'sql'>): Promise<unknown[]> {
  return (await sql('select subject from audit_entries order by id')).map(({ subject }) => subject)
}
