import type { IconName } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'

export interface ShellLink {
  readonly label: string
  readonly address: string
  readonly icon: IconName
}

/** The top navigation; on narrow screens the first links of the panel. */
export const topLinks: readonly ShellLink[] = [
  { label: 'Dashboard', address: addresses.overview, icon: 'gauge' },
  { label: 'Client Credentials', address: addresses.clients, icon: 'users' },
  { label: 'API Key Management', address: addresses.apiKeys, icon: 'key' },
  { label: 'Logs', address: addresses.logs, icon: 'activity' },
]

/** Below the pages that every console has, with the audit trail. */
export const operationsLink: ShellLink = {
  label: 'Operations',
  address: addresses.operations,
  icon: 'waves',
}

export const auditLink: ShellLink = {
  label: 'Audit trail',
  address: addresses.audit,
  icon: 'shield',
}

/** Below the exchanges' groups, at every width. */
export const botLinks: readonly ShellLink[] = [
  { label: 'Connect a bot', address: addresses.connect, icon: 'plug' },
]

/** The sidebar's own entries: other words and one other address for the same four pages. */
export const sidebarLinks: readonly ShellLink[] = [
  { label: 'Overview', address: addresses.overview, icon: 'gauge' },
  { label: 'Client Credentials', address: addresses.clients, icon: 'users' },
  { label: 'API Keys', address: addresses.apiKeysAlias, icon: 'key' },
  { label: 'Request Logs', address: addresses.logs, icon: 'activity' },
]
