import { Center } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { FailureNote } from '../components/failure-note.tsx'

/** Above everything behind the sign-in: says what to do when it cannot be fetched or shown at all. */
export class StartBoundary extends Component<
  { readonly children: ReactNode },
  { error: Error | null }
> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <Center h="100vh" p="md" component="main">
        <FailureNote
          title="The console could not be loaded"
          detail={`Check the connection to ${window.location.host} and try again; this loads the page anew. (${error.message})`}
          onRetry={() => window.location.reload()}
        />
      </Center>
    )
  }
}
