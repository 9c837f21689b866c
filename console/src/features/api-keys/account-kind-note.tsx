import type { AccountKind } from 'schema'
import { ExplainedText } from '../../components/explained-text.tsx'
import * as texts from './texts.ts'

/** The kind of a Bitget account and what it means for bots; nothing while it is unknown. */
export function AccountKindNote({ kind }: { readonly kind: AccountKind | null }) {
  // A gateway older than this console sends none.
  if (!kind) return null
  return <ExplainedText {...texts.accountKinds[kind]} />
}
