import type { IconName } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'
import * as texts from './texts.ts'

export interface ShellLink {
  readonly label: string
  readonly address: string
  readonly icon: IconName
}

/** The top navigation; on narrow screens the first links of the panel. */
export const topLinks: readonly ShellLink[] = [
  { label: texts.overviewInTop, address: addresses.overview, icon: 'gauge' },
  { label: texts.clients, address: addresses.clients, icon: 'users' },
  { label: texts.apiKeysInTop, address: addresses.apiKeys, icon: 'key' },
  { label: texts.logsInTop, address: addresses.logs, icon: 'activity' },
]

/** Below the pages that every console has, with the audit trail. */
export const operationsLink: ShellLink = {
  label: texts.operations,
  address: addresses.operations,
  icon: 'waves',
}

export const auditLink: ShellLink = {
  label: texts.audit,
  address: addresses.audit,
  icon: 'shield',
}

/** For admins only, below the audit trail. */
export const peopleLink: ShellLink = {
  label: texts.people,
  address: addresses.people,
  icon: 'users',
}

/** For admins only, below the people. */
export const approvalsLink: ShellLink = {
  label: texts.approvals,
  address: addresses.approvals,
  icon: 'shield',
}

/** In the palette; the header leads there with the e-mail address. */
export const accountLink: ShellLink = {
  label: texts.account,
  address: addresses.account,
  icon: 'key',
}

/** Below the exchanges' groups, at every width. */
export const botLinks: readonly ShellLink[] = [
  { label: texts.connect, address: addresses.connect, icon: 'plug' },
]

/** The sidebar's own entries: other words and one other address for the same four pages. */
export const sidebarLinks: readonly ShellLink[] = [
  { label: texts.overview, address: addresses.overview, icon: 'gauge' },
  { label: texts.clients, address: addresses.clients, icon: 'users' },
  { label: texts.apiKeys, address: addresses.apiKeysAlias, icon: 'key' },
  { label: texts.logs, address: addresses.logs, icon: 'activity' },
]
