import { existsSync } from 'node:fs'
import { examineDatabase } from '../../store/examine.ts'
import { openReadOnly, type ReadOnlyStore } from '../../store/open-read-only.ts'
import { about, type Finding } from './finding.ts'

export interface DatabaseCheck {
  readonly findings: readonly Finding[]
  /** To ask it more; undefined when that makes no sense. Whoever gets it closes it. */
  readonly store: ReadOnlyStore | undefined
}

/** Reads the whole database, beside a gateway that runs or without one. */
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
