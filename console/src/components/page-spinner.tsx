import { Center, Loader } from '@mantine/core'

/** A spinner in the middle of what it stands for. */
export function PageSpinner({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <Center role="status" aria-label={label} mih="40vh">
      <Loader />
    </Center>
  )
}
