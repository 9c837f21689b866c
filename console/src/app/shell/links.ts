import { type Endpoint, listApprovals, listPeople } from 'schema'
import type { IconName } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'
import * as texts from './texts.ts'

export interface ShellLink {
  readonly label: string
  readonly address: string
  readonly icon: IconName
  /** Shown only to roles that may call it; absent: to all. */
  readonly needs?: Endpoint
}

interface LinkGroup {
  readonly title: string
  readonly links: readonly ShellLink[]
}

/** The sidebar's entries, in their groups; the palette lists the same pages. */
export const navigation: readonly LinkGroup[] = [
  {
    title: texts.groups.run,
    links: [
      { label: texts.overview, address: addresses.overview, icon: 'gauge' },
      { label: texts.operations, address: addresses.operations, icon: 'waves' },
      { label: texts.logs, address: addresses.logs, icon: 'activity' },
      { label: texts.orders, address: addresses.findOrder, icon: 'list' },
    ],
  },
  {
    title: texts.groups.setUp,
    links: [
      { label: texts.clients, address: addresses.clients, icon: 'users' },
      { label: texts.apiKeys, address: addresses.apiKeysAlias, icon: 'key' },
      { label: texts.connect, address: addresses.connect, icon: 'plug' },
      { label: texts.streams, address: addresses.streams, icon: 'activity' },
    ],
  },
  {
    title: texts.groups.govern,
    links: [
      { label: texts.people, address: addresses.people, icon: 'users', needs: listPeople },
      { label: texts.approvals, address: addresses.approvals, icon: 'check', needs: listApprovals },
      { label: texts.audit, address: addresses.audit, icon: 'shield' },
    ],
  },
]

/**
 * The top navigation: other words and one other address for four of these pages. On narrow screens
 * the panel has them in place of the sidebar's own.
 */
export const topLinks: readonly ShellLink[] = [
  { label: texts.overviewInTop, address: addresses.overview, icon: 'gauge' },
  { label: texts.clients, address: addresses.clients, icon: 'users' },
  { label: texts.apiKeysInTop, address: addresses.apiKeys, icon: 'key' },
  { label: texts.logsInTop, address: addresses.logs, icon: 'activity' },
]

/** In the palette; the header leads there with the e-mail address. */
export const accountLink: ShellLink = {
  label: texts.account,
  address: addresses.account,
  icon: 'key',
}
