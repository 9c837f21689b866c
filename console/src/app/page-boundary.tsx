import { Component, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { FailureNote } from '../components/failure-note.tsx'

/** Keeps a page that breaks from taking the shell down; another address starts afresh. */
export function PageBoundary({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  return <Boundary key={location.toLowerCase()}>{children}</Boundary>
}

class Boundary extends Component<{ readonly children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <FailureNote
        title="This page could not be shown"
        detail={error.message}
        onRetry={() => this.setState({ error: null })}
      />
    )
  }
}
