import type { JournalOrder } from 'schema'
import type { TagColour } from '../../components/tag.tsx'

/** How a state is coloured. */
export function colourOf(state: JournalOrder['state']): TagColour {
  if (state === 'answered' || state === 'resolved') return 'green'
  if (state === 'unknown' || state === 'refused') return 'red'
  return state === 'dropped' ? 'yellow' : 'blue'
}
