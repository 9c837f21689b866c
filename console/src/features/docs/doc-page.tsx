import type { DocPage as Page } from 'schema'
import { PageHeader } from '../../components/page-header.tsx'

interface DocPageProps {
  readonly page: Page
}

export default function DocPage({ page }: DocPageProps) {
  return <PageHeader title={page.label} description={page.endpoints[0].summary} />
}
