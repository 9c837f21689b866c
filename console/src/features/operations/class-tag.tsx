import type { QueueEntry } from 'schema'
import { Tag, type TagColour } from '../../components/tag.tsx'
import * as texts from './texts.ts'

const COLOURS: Readonly<Record<QueueEntry['requestClass'], TagColour>> = {
  cancel: 'yellow',
  lookup: 'gray',
  order: 'green',
  account: 'blue',
  market: 'gray',
}

/** The class of a request, which decides when it is sent. */
export function ClassTag({ requestClass }: Pick<QueueEntry, 'requestClass'>) {
  return <Tag colour={COLOURS[requestClass]}>{texts.classes[requestClass]}</Tag>
}
