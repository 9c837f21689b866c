import { createError } from '@fastify/error'

export const TimeZoneUnknownError = createError<[timeZone: string]>(
  'TIME_ZONE_UNKNOWN',
  'There is no time zone "%s"; use an IANA name, such as "Europe/Berlin"',
  400,
)
