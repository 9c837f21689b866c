import { Button, Code, Paper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Client, type DocLink, docLinks, listClients } from 'schema'
import { SWRConfig, type SWRConfiguration } from 'swr'
import { Link, Route, Switch, useLocation } from 'wouter'
import { reportFailure } from '../api/failures.tsx'
import { FreshFactorGate } from '../api/fresh-factor.tsx'
import { noteRead, queryKey } from '../api/queries.tsx'
import type { Session } from '../api/session.ts'
import { ConfirmHost } from '../components/confirm.tsx'
import { DialogHost } from '../components/dialogs.tsx'
import { FailureNote } from '../components/failure-note.tsx'
import { lazyPart } from '../components/load-ahead.ts'
import { PageHeader, PageSpinner } from '../components/page.tsx'
import * as pageTexts from '../components/page-texts.ts'
import {
  CLIENT_PATTERN,
  loadClientPage,
  loadDocPage,
  loadOrderPage,
  ORDER_PATTERN,
  plainPages,
} from './addresses.ts'
import { Shell } from './shell/shell.tsx'
import { ErrorBoundary } from './start.tsx'
import * as texts from './texts.ts'

const readOnce: SWRConfiguration = {
  shouldRetryOnError: false,
  revalidateOnFocus: false,
  // What is on the screen may have changed in between.
  revalidateOnReconnect: true,
  revalidateIfStale: false,
  refreshInterval: 0,
}

interface SignedInProps {
  readonly session: Session
  /** Read by the check of the session, so that their page does not read them twice. */
  readonly clients: readonly Client[] | null
}

/**
 * Everything behind the sign-in. The cache belongs to one session: the next user starts with an
 * empty one.
 */
export default function SignedIn({ session, clients }: SignedInProps) {
  const [config] = useState(() => {
    const cache = new Map()
    if (clients !== null) {
      cache.set(queryKey(listClients), { data: clients })
      noteRead(queryKey(listClients))
    }
    return { ...readOnce, provider: () => cache }
  })
  const [address] = useLocation()
  return (
    <SWRConfig value={config}>
      <Shell user={session.user}>
        <Pages />
      </Shell>
      <DialogHost address={address} />
      <ConfirmHost address={address} onFailure={reportFailure} />
      <FreshFactorGate />
    </SWRConfig>
  )
}

const spinner = <PageSpinner />
const plain = plainPages.map(([path, load]) => [path, lazyPart(load, spinner)] as const)
const ClientPage = lazyPart(loadClientPage, spinner)
const OrderPage = lazyPart(loadOrderPage, spinner)
const DocPage = lazyPart(async () => {
  const { default: Page, docPages } = await loadDocPage()
  return {
    default: ({ path }: Pick<DocLink, 'path'>) => {
      const page = docPages.find((each) => each.path === path)
      return page && <Page page={page} />
    },
  }
}, spinner)

/** The page of the address. Each is a piece of its own, fetched when it is first opened. */
function Pages() {
  return (
    <PageBoundary>
      <Switch>
        {plain.map(([path, Page]) => (
          <Route key={`${path}`} path={path}>
            <Page />
          </Route>
        ))}
        <Route path={CLIENT_PATTERN}>{({ id }) => <ClientPage id={Number(id)} />}</Route>
        <Route path={ORDER_PATTERN}>{({ id }) => <OrderPage id={id ?? ''} />}</Route>
        {docLinks.map(({ path }) => (
          <Route key={path} path={path}>
            <DocPage path={path} />
          </Route>
        ))}
        <Route component={NotFoundPage} />
      </Switch>
    </PageBoundary>
  )
}

/** Keeps a page that breaks from taking the shell down; another address starts afresh. */
function PageBoundary({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  return (
    <ErrorBoundary
      key={location.toLowerCase()}
      fallback={({ message }, retry) => (
        <FailureNote title={texts.noPage} detail={message} onRetry={retry} />
      )}
    >
      {children}
    </ErrorBoundary>
  )
}

/** Any address without a page. */
function NotFoundPage() {
  const [location] = useLocation()
  return (
    <>
      <PageHeader title={pageTexts.notFoundTitle} />
      <Paper withBorder p="lg">
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          {pageTexts.notFound} <Code>{location}</Code>
        </Text>
        <Button component={Link} href="/">
          {pageTexts.notFoundBack}
        </Button>
      </Paper>
    </>
  )
}
