import { PageHeader } from '../../components/page-header.tsx'

export default function ApiKeysPage() {
  return <PageHeader title="API Key Management" />
}
