import { Center, Loader } from '@mantine/core'

/** A spinner in the middle of the area that loads. */
export function PageSpinner({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <Center role="status" aria-label={label} mih="40vh">
      <Loader />
    </Center>
  )
}
