import { PageHeader } from '../../components/page-header.tsx'

export default function LogsPage() {
  return <PageHeader title="Request Logs" />
}
