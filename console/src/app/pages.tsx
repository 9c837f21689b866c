import { lazy, Suspense } from 'react'
import { docPages } from 'schema'
import { Route, Switch } from 'wouter'
import { PageSpinner } from '../components/page-spinner.tsx'
import { API_KEYS_PATTERN, addresses, CLIENT_PATTERN, ORDER_PATTERN } from './addresses.ts'
import { PageBoundary } from './page-boundary.tsx'

const OverviewPage = lazy(() => import('../features/overview/overview-page.tsx'))
const ClientsPage = lazy(() => import('../features/clients/clients-page.tsx'))
const ClientPage = lazy(() => import('../features/clients/client-page.tsx'))
const ApiKeysPage = lazy(() => import('../features/api-keys/api-keys-page.tsx'))
const LogsPage = lazy(() => import('../features/logs/logs-page.tsx'))
const OperationsPage = lazy(() => import('../features/operations/operations-page.tsx'))
const OrderPage = lazy(() => import('../features/order-life/order-page.tsx'))
const FindOrderPage = lazy(() => import('../features/order-life/find-order-page.tsx'))
const ConnectPage = lazy(() => import('../features/connect/connect-page.tsx'))
const DocPage = lazy(() => import('../features/docs/doc-page.tsx'))
const NotFoundPage = lazy(() => import('../features/not-found/not-found-page.tsx'))

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
