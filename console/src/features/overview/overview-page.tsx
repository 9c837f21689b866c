import { PageHeader } from '../../components/page-header.tsx'

export default function OverviewPage() {
  return <PageHeader title="Overview" />
}
