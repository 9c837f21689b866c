import {
  type DocPage,
  docPages,
  type Endpoint,
  EXCHANGE_NAMES,
  type ListedClient,
  listApprovals,
  listPeople,
} from 'schema'
import { formId } from '../../api/form-id.ts'
import type { IconName } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'
import {
  accountLink,
  approvalsLink,
  auditLink,
  botLinks,
  operationsLink,
  peopleLink,
  type ShellLink,
  sidebarLinks,
} from '../shell/links.ts'
import type { AskedAction } from './action-dialog.tsx'
import type { Findable } from './match.ts'
import * as texts from './texts.ts'

/** A line of the palette: where it leads, or what it does. */
export interface Entry extends Findable {
  readonly key: string
  readonly group: keyof typeof texts.groups
  readonly icon: IconName
  readonly hint?: string | undefined
  /** Offered only to roles that may call it; absent: to all. */
  readonly needs?: Endpoint
  readonly does:
    | { readonly go: string }
    | { readonly ask: AskedAction }
    /** `stays`: the palette shows what comes of it, or something else takes its place. */
    | { readonly run: () => void; readonly stays?: boolean }
}

/** The pages that are no documentation: shown before anything is typed. */
export const mainPages: readonly Entry[] = [
  ...[...sidebarLinks, operationsLink, auditLink].map(toPage),
  { ...toPage(peopleLink), needs: listPeople },
  { ...toPage(approvalsLink), needs: listApprovals },
  ...[accountLink, ...botLinks].map(toPage),
  pageOf(addresses.findOrder, texts.findPage, 'search'),
]

export const documentationPages: readonly Entry[] = docPages.map((page) => ({
  ...pageOf(page.path, `${EXCHANGE_NAMES[page.exchange]} ${page.label}`, 'list'),
  hint: page.section,
  words: page.section,
}))

/** Each documented endpoint once, with the address of its form, if it has one. */
export const endpoints: readonly Entry[] = [
  ...new Map(
    docPages.flatMap((page) =>
      page.endpoints.map((endpoint) => [endpoint.id, toEndpointEntry(endpoint)] as const),
    ),
  ).values(),
]

function toPage({ label, address, icon }: ShellLink): Entry {
  return pageOf(address, label, icon)
}

function pageOf(address: string, label: string, icon: IconName): Entry {
  return { key: address, group: 'page', icon, label, does: { go: address } }
}

function toEndpointEntry(endpoint: Endpoint): Entry {
  const { id, method, path, summary, proxy } = endpoint
  const exchange = proxy === undefined ? '' : EXCHANGE_NAMES[proxy.exchange]
  return {
    key: id,
    group: 'endpoint',
    icon: 'send',
    label: summary,
    hint: `${method} ${path}`,
    words: `${method} ${path} ${id} ${exchange}`,
    does: { go: addressOf(endpoint) },
  }
}

function addressOf({ id }: Endpoint): string {
  const shows = ({ endpoints }: DocPage) => endpoints.some((each) => each.id === id)
  // A page whose first endpoint places orders has a form for that one alone.
  const hasForm = (page: DocPage) =>
    page.endpoints[0].id === id ||
    (page.endpoints[0].proxy?.requestClass !== 'order' && shows(page))
  const withForm = docPages.find(hasForm)
  return withForm === undefined
    ? (docPages.find(shows)?.path ?? addresses.overview)
    : `${withForm.path}#${formId({ id } as Endpoint)}`
}

/** The page of each client. */
export function clientEntries(clients: readonly ListedClient[]): readonly Entry[] {
  return clients.map(({ id, clientId, description }) => ({
    key: `client ${id}`,
    group: 'client',
    icon: 'users',
    label: clientId,
    hint: description ?? undefined,
    words: description ?? undefined,
    does: { go: `${addresses.clients}/${id}` },
  }))
}
