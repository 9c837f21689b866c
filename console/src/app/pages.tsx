import { lazy, Suspense } from 'react'
import { docPages } from 'schema'
import { Route, Switch } from 'wouter'
import { PageSpinner } from '../components/page-spinner.tsx'
import { NotFoundPage } from '../features/not-found/not-found-page.tsx'
import { API_KEYS_PATTERN, addresses, CLIENT_PATTERN, ORDER_PATTERN } from './addresses.ts'
import { PageBoundary } from './page-boundary.tsx'
import { loaders } from './page-loaders.ts'

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
const DocPage = lazy(loaders.doc)

/** The page of the address. Each is a piece of its own, fetched when it is first opened. */
export function Pages() {
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
          {docPages.map((page) => (
            <Route key={page.path} path={page.path}>
              <DocPage key={page.path} page={page} />
            </Route>
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </PageBoundary>
  )
}
