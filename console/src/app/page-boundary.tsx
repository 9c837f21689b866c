import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { FailureNote } from '../components/failure-note.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import * as texts from './texts.ts'

/** Keeps a page that breaks from taking the shell down; another address starts afresh. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
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
