import { existsSync } from 'node:fs'
import { examineDatabase } from '../../store/examine.ts'
import { openReadOnly, type ReadOnlyStore } from '../../store/open-read-only.ts'
import { about, type Finding } from './finding.ts'

export interface DatabaseCheck {
  readonly findings: readonly Finding[]
  /**
   * The open database for further checks; undefined when they make no sense. The caller closes it.
   */
  readonly store: ReadOnlyStore | undefined
}

/** Checks the whole database. A gateway may use it at the same time. */
export function checkDatabase(path: string): DatabaseCheck {
  const { ok, warn, failed } = about('database')
  if (!existsSync(path)) {
    const found = `there is none at ${path}`
    const advice =
      'The first start creates it. If there should be one, check DATABASE_URL or restore a backup.'
    return { store: undefined, findings: [warn(found, advice)] }
  }
  try {
    const { rows } = examineDatabase(path)
    const store = openReadOnly(path)
    const whole = ok(
      `${path} is intact: ${rows.clients ?? 0} clients, ${rows.order_journal ?? 0} orders, ${rows.request_logs ?? 0} log rows`,
    )
    if (!store.isCurrent) {
      store.close()
      const advice = 'Make a backup; the next start migrates it.'
      return {
        store: undefined,
        findings: [whole, warn('it has the tables of an older version', advice)],
      }
    }
    return { store, findings: [whole] }
  } catch (error) {
    return { store: undefined, findings: [failed(error)] }
  }
}
