import { PageHeader } from '../../components/page-header.tsx'

export default function ClientsPage() {
  return <PageHeader title="Client Credentials" />
}
