import type { StoresBeside } from '../../store/stores-beside.ts'
import { about, type Finding } from './finding.ts'

/** Checks that somebody can sign in. */
export async function checkAdmins({
  admins: store,
}: Pick<StoresBeside, 'admins'>): Promise<Finding> {
  const { ok, warn } = about('administrators')
  const admins = await store.list()
  const active = admins.filter(({ disabledAtMs }) => disabledAtMs === null).length
  if (active > 0) return ok(`${active} can sign in`)
  return warn(
    admins.length === 0 ? 'there is none' : 'all are disabled',
    'npm run admin -- create --email E, or enable',
  )
}

/** Reports orders with unknown outcomes. */
export async function checkOrders({ journal }: Pick<StoresBeside, 'journal'>): Promise<Finding> {
  const { ok, warn } = about('orders')
  const { unknown } = await journal.countOpen()
  if (unknown === 0) return ok('every outcome is known or being looked up')
  return warn(
    `the outcome of ${unknown} is unknown`,
    'A running gateway looks them up at the exchange. Check any that stays unknown there by hand (docs/outcomes.md).',
  )
}
