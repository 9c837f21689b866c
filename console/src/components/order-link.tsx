import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import * as texts from './page-texts.ts'

/** Leads from a request that places, changes or cancels an order to what happened to it. */
export function OrderLink({ requestId }: { readonly requestId: string }) {
  return (
    <Anchor component={Link} fz="sm" href={`/orders?${new URLSearchParams({ find: requestId })}`}>
      {texts.order}
    </Anchor>
  )
}
