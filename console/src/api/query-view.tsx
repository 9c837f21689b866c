import type { ReactNode } from 'react'
import { FailureNote } from '../components/failure-note.tsx'
import { PageSpinner } from '../components/page-spinner.tsx'
import { ApiError, UnexpectedResponseError } from './api-error.ts'
import { FailureDetail } from './failure-detail.tsx'
import * as texts from './texts.ts'
import type { Query } from './use-query.ts'

interface QueryViewProps<T> {
  readonly query: Query<T>
  /** What is read, for the failure: "the request logs". */
  readonly what: string
  readonly loading?: ReactNode
  readonly children: (data: NonNullable<T>) => ReactNode
}

/**
 * The data of a read, or what replaces it while it loads or after it failed. Old data outlives a
 * failure.
 */
export function QueryView<T>({ query, what, loading, children }: QueryViewProps<T>) {
  const { data, error, refresh } = query
  if (data !== undefined && data !== null) return children(data)
  if (error === undefined) return loading ?? <PageSpinner label={texts.loading(what)} />
  const hasId = error instanceof ApiError || error instanceof UnexpectedResponseError
  return (
    <FailureNote
      title={texts.failed(what)}
      detail={<FailureDetail error={error} />}
      requestId={hasId ? error.requestId : null}
      onRetry={() => void refresh()}
    />
  )
}
