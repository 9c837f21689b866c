import { Paper } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { FindOrder } from './find-order.tsx'
import * as texts from './texts.ts'

/** A search as an address: `/orders?find=grid-7-42`. */
export default function FindOrderPage() {
  const [text, setText] = useAddressParam('find')
  return (
    <>
      <PageHeader title={texts.find.title} description={texts.find.description} />
      <Paper withBorder p="lg">
        <FindOrder key={text} text={text} onSearch={setText} />
      </Paper>
    </>
  )
}
