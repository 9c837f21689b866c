import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  type NewPerson,
  type Person,
  type PersonChanges,
  resetPassword,
} from 'schema'
import { useAction } from '../../api/use-action.ts'

const CHANGED = { readAgain: [listPeople] }

/** What an admin can do with people. */
export function usePeople() {
  const creation = useAction(createPerson, CHANGED)
  const change = useAction(changePerson, CHANGED)
  const reset = useAction(resetPassword, CHANGED)
  const end = useAction(endSessionsOfPerson, CHANGED)
  return {
    isPending: creation.isPending || change.isPending || reset.isPending || end.isPending,
    create: (body: NewPerson) => creation.trigger({ body }),
    change: ({ id }: Person, body: PersonChanges) => change.trigger({ params: { id }, body }),
    resetPassword: ({ id }: Person) => reset.trigger({ params: { id } }),
    endSessions: ({ id }: Person) => end.trigger({ params: { id } }),
  }
}
