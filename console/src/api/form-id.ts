import type { Endpoint } from 'schema'

/** The id of an endpoint's try-it form, to which the address of its page may point. */
export const formId = ({ id }: Endpoint) => `form-${id}`
