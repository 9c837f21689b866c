import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type Client, type DocLink, docLinks, listClients } from 'schema'
import { SWRConfig, type SWRConfiguration } from 'swr'
import { Route, Switch, useLocation } from 'wouter'
import { reportFailure } from '../api/failures.tsx'
import { FreshFactorGate } from '../api/fresh-factor.tsx'
import { noteRead, queryKey } from '../api/queries.tsx'
import type { Session } from '../api/session.ts'
import { ConfirmHost } from '../components/confirm.tsx'
import { FailureNote } from '../components/failure-note.tsx'
import { PageSpinner } from '../components/page.tsx'
import { NotFoundPage } from '../features/not-found/not-found-page.tsx'
import { API_KEYS_PATTERN, addresses, CLIENT_PATTERN, loaders, ORDER_PATTERN } from './addresses.ts'
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
      <ConfirmHost address={address} onFailure={reportFailure} />
      <FreshFactorGate />
    </SWRConfig>
  )
}

const OverviewPage = lazy(loaders.overview)
const ClientsPage = lazy(loaders.clients)
const ClientPage = lazy(loaders.client)
const ApiKeysPage = lazy(loaders.apiKeys)
const LogsPage = lazy(loaders.logs)
const OperationsPage = lazy(loaders.operations)
const OrderPage = lazy(loaders.order)
const FindOrderPage = lazy(loaders.findOrder)
const AuditPage = lazy(loaders.audit)
const PeoplePage = lazy(loaders.people)
const ApprovalsPage = lazy(loaders.approvals)
const AccountPage = lazy(loaders.account)
const ConnectPage = lazy(loaders.connect)
const DocPage = lazy(async () => {
  const { default: Page, docPages } = await loaders.doc()
  const at = (path: string) => docPages.find((page) => page.path === path)
  return {
    default: ({ path }: Pick<DocLink, 'path'>) => {
      const page = at(path)
      return page && <Page page={page} />
    },
  }
})

/** The page of the address. Each is a piece of its own, fetched when it is first opened. */
function Pages() {
  return (
    <PageBoundary>
      <Suspense fallback={<PageSpinner />}>
        <Switch>
          <Route path={addresses.overview} component={OverviewPage} />
          <Route path={addresses.clients} component={ClientsPage} />
          <Route path={CLIENT_PATTERN}>{({ id }) => <ClientPage key={id} id={Number(id)} />}</Route>
          <Route path={API_KEYS_PATTERN} component={ApiKeysPage} />
          <Route path={addresses.logs} component={LogsPage} />
          <Route path={addresses.operations} component={OperationsPage} />
          <Route path={ORDER_PATTERN}>{({ id }) => <OrderPage key={id} id={id ?? ''} />}</Route>
          <Route path={addresses.findOrder} component={FindOrderPage} />
          <Route path={addresses.audit} component={AuditPage} />
          <Route path={addresses.people} component={PeoplePage} />
          <Route path={addresses.approvals} component={ApprovalsPage} />
          <Route path={addresses.account} component={AccountPage} />
          <Route path={addresses.connect} component={ConnectPage} />
          {docLinks.map(({ path }) => (
            <Route key={path} path={path}>
              <DocPage key={path} path={path} />
            </Route>
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
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
